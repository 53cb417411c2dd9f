//! Exports a company with all its objects in the format of an import.

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use payroll_domain::check::ProcessedCheck;
use payroll_domain::company::Lock;
use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::{CompanyRecord, Resource};

use crate::StoreError;

/// A company with all its objects, from one snapshot.
pub struct ExportedCompany {
    /// The company with its products.
    pub record: CompanyRecord,
    /// The operator's lock, if it is active.
    pub lock: Option<Lock>,
    /// The number of checks in unprocessed pay periods. They are not part of the export, because an import
    /// rejects them.
    pub omitted_checks: u64,
    /// All other objects. Dropping the stream ends the snapshot. An error ends the stream.
    pub parts: BoxStream<'static, Result<Vec<ExportPart>, StoreError>>,
}

/// A part of a company.
#[derive(Debug, PartialEq, Eq)]
pub enum ExportPart {
    /// An object, in the order of creation within its kind. Kinds have the order of an import line.
    Object(Box<Resource>),
    /// A check of the last pay period in the stream, which is processed, in the order of the period.
    Check(Box<ProcessedCheck>),
}

/// Reads complete companies for an export.
#[async_trait]
pub trait ExportStore: Send + Sync {
    /// A company with all its objects. `None` if no company has that id. Importing it into an empty store and
    /// exporting it again gives the same result.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`], also within the stream.
    async fn export_company(
        &self,
        company_id: &CompanyId,
        now: Timestamp,
    ) -> Result<Option<ExportedCompany>, StoreError>;
}
