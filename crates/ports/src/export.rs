//! Export: a company with everything in it, as an import takes it.

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use payroll_domain::check::ProcessedCheck;
use payroll_domain::company::Lock;
use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::{CompanyRecord, Resource};

use crate::StoreError;

/// A company with everything in it, from one snapshot.
pub struct ExportedCompany {
    /// The company with its products.
    pub record: CompanyRecord,
    /// The operator's lock, if it holds.
    pub lock: Option<Lock>,
    /// Checks of pay periods that are not processed: an import takes none, so they are not among the parts.
    pub left_out: u64,
    /// All else. Dropping the stream ends the snapshot; after an error nothing follows.
    pub parts: BoxStream<'static, Result<Vec<Part>, StoreError>>,
}

/// A part of a company.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// An object, in the order of creation. A kind comes after the other, in the order of an import's line.
    Object(Box<Resource>),
    /// A check of the pay period that came last, which is processed; in the order of the period.
    Check(Box<ProcessedCheck>),
}

/// Reads complete companies for an export.
#[async_trait]
pub trait ExportStore: Send + Sync {
    /// A company with everything in it; `None` when no company has that id. What is imported into an empty
    /// store and exported from it is the same.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`], also in the stream.
    async fn export_company(
        &self,
        company_id: &CompanyId,
        now: Timestamp,
    ) -> Result<Option<ExportedCompany>, StoreError>;
}
