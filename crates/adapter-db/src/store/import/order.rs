//! What is to be stored, and what that needs.

use std::sync::Arc;

use payroll_ports::import::{ImportRules, Source};
use payroll_ports::write::By;

use crate::seal::Sealer;

/// One company of a file, with what storing it needs.
pub(super) struct Import {
    pub(super) source: Source,
    pub(super) rules: ImportRules,
    pub(super) by: By,
    pub(super) sealer: Arc<Sealer>,
    /// Nothing is stored: it is only validated.
    pub(super) is_dry: bool,
    /// The company above it is not stored yet, and will be.
    pub(super) parent_comes: bool,
}

impl Import {
    pub(super) fn company_id(&self) -> &str {
        self.source.company().company.company_id.as_str()
    }
}
