//! A company to import, with the options and the audit data of the import.

use std::sync::Arc;

use payroll_ports::import::{ImportRules, ImportSource};
use payroll_ports::write::AuditContext;

use crate::seal::Sealer;

/// One company of a file, with the data for storing it.
pub(super) struct CompanyToImport {
    pub(super) source: ImportSource,
    pub(super) rules: ImportRules,
    pub(super) audit: AuditContext,
    pub(super) sealer: Arc<Sealer>,
    /// Whether the import is a dry run, which stores nothing.
    pub(super) is_dry: bool,
    /// Whether the parent company is not stored yet but is part of the same import.
    pub(super) parent_comes: bool,
}

impl CompanyToImport {
    pub(super) fn company_id(&self) -> &str {
        self.source.company().company.company_id.as_str()
    }
}
