//! Reads the audit log. Each change writes the audit rows in the transaction of the change.
//!
//! The log is ordered by instant. Rows with the same instant are ordered by position.

use std::num::NonZeroU32;

use async_trait::async_trait;
use payroll_domain::audit::{AuditRow, AuditedKind};
use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;

use crate::StoreError;

/// The filter for audit rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditQuery {
    /// Returns only rows older than the row at the given position. `None` starts with the newest row.
    pub before: Option<i64>,
    /// Returns only rows about the given company. `None` does not filter by company.
    pub company_id: Option<CompanyId>,
    /// Returns only rows about the given companies, which the operator may see. `None` returns all rows.
    pub visible_companies: Option<Vec<CompanyId>>,
    /// Returns only rows about the given kind of object. `None` does not filter by kind.
    pub kind: Option<AuditedKind>,
    /// Returns only rows about the object with the given id. `None` does not filter by id.
    pub resource_id: Option<String>,
    /// Returns only rows that were written at the given instant or later. `None` starts with the oldest row.
    pub from: Option<Timestamp>,
    /// Returns only rows that were written before the given instant. `None` ends with the newest row.
    pub until: Option<Timestamp>,
    /// The maximum number of rows in the page.
    pub limit: NonZeroU32,
}

/// A page of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// The rows of the page, newest first.
    pub rows: Vec<AuditRow>,
    /// The cursor of the next page: the position of the last row that was read. The filter may have omitted
    /// this row. `None` if there are no older rows.
    pub next_cursor: Option<i64>,
}

/// Reads and deletes the audit log.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait AuditStore: Send + Sync {
    /// Returns the rows of a page, newest first. The page is empty if no row has the position
    /// [`AuditQuery::before`].
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_audit_log(&self, query: &AuditQuery) -> Result<AuditPage, StoreError>;

    /// Deletes at most `limit` rows that were written before the instant `before`, oldest first. Returns the
    /// number of deleted rows.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delete_audit_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
