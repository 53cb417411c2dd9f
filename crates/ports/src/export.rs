//! Exports a company with all its objects in the format of an import.

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use payroll_domain::check::ProcessedCheck;
use payroll_domain::company::Lock;
use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::{CompanyRecord, Resource};

use crate::StoreError;

/// A company with all its objects, which are read from one snapshot.
pub struct ExportedCompany {
    /// The company with its products.
    pub record: CompanyRecord,
    /// The operator's lock. `None` if no lock is active.
    pub lock: Option<Lock>,
    /// The number of checks in unprocessed pay periods. The export omits these checks, because an import
    /// rejects them.
    pub omitted_checks: u64,
    /// All other objects, as a stream of chunks. Dropping the stream ends the snapshot. After an error, the
    /// stream ends.
    pub parts: BoxStream<'static, Result<Vec<ExportItem>, StoreError>>,
}

/// An element of an export: an object or a check.
#[derive(Debug, PartialEq, Eq)]
pub enum ExportItem {
    /// An object. The kinds have the same order as in an import, and the objects of a kind are in the order
    /// of creation.
    Object(Box<Resource>),
    /// A check of the last pay period that precedes the check in the stream. The checks are in the order of
    /// the period.
    Check(Box<ProcessedCheck>),
}

/// Reads complete companies for an export.
#[async_trait]
pub trait ExportStore: Send + Sync {
    /// Returns a company with all its objects. `None` if no company has the given id. If you import the
    /// result into an empty store, and export the company from that store, the result is the same.
    ///
    /// # Errors
    /// Returns [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]. The stream can
    /// return the same errors.
    async fn export_company(
        &self,
        company_id: &CompanyId,
        now: Timestamp,
    ) -> Result<Option<ExportedCompany>, StoreError>;
}
