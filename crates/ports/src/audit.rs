//! Reads the audit log. Each change writes its own rows.
//!
//! The log is ordered by instant, and by position for equal instants.

use std::num::NonZeroU32;

use async_trait::async_trait;
use payroll_domain::audit::{AuditRow, AuditedKind};
use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;

use crate::StoreError;

/// The filter for audit rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditQuery {
    /// Only rows older than the row at this position. `None` starts with the newest row.
    pub before: Option<i64>,
    /// Only rows about this company.
    pub company_id: Option<CompanyId>,
    /// Only rows about these companies. `None` means all rows.
    pub visible_companies: Option<Vec<CompanyId>>,
    /// Only rows about this kind of object.
    pub kind: Option<AuditedKind>,
    /// Only rows about the object with this id.
    pub resource_id: Option<String>,
    /// Only rows of this instant or later.
    pub from: Option<Timestamp>,
    /// Only rows before this instant.
    pub until: Option<Timestamp>,
    /// The maximum number of rows.
    pub limit: NonZeroU32,
}

/// A page of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// The rows of the page, newest first.
    pub rows: Vec<AuditRow>,
    /// The cursor of the next page: the position of the last row that was read, returned or not. `None` if
    /// there are no older rows.
    pub next_cursor: Option<i64>,
}

/// Reads and deletes the audit log.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait AuditStore: Send + Sync {
    /// The rows of a page, newest first. After an invalid or deleted position there are none.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn audit(&self, query: &AuditQuery) -> Result<AuditPage, StoreError>;

    /// Deletes the oldest rows from before that instant, at most `limit`. Returns their number.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn delete_audit_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
