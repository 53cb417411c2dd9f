//! Reading the audit trail. Its rows are written by the changes that they report.
//!
//! The trail is in the order of the instants, and of one instant in that of the positions.

use std::num::NonZeroU32;

use async_trait::async_trait;
use payroll_domain::audit::{AuditRow, AuditedKind};
use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;

use crate::StoreError;

/// Which rows are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditQuery {
    /// Those older than the row at this position; `None`: from the newest.
    pub before: Option<i64>,
    /// Only those that concern this company.
    pub company_id: Option<CompanyId>,
    /// Only those that concern these companies; `None`: all rows.
    pub within: Option<Vec<CompanyId>>,
    /// Only those about this kind of object.
    pub kind: Option<AuditedKind>,
    /// Only those about the object of this id.
    pub resource_id: Option<String>,
    /// Not older than this.
    pub from: Option<Timestamp>,
    /// Only rows that are older.
    pub until: Option<Timestamp>,
    /// The most to give.
    pub limit: NonZeroU32,
}

/// A part of the trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPage {
    /// Its rows, newest first.
    pub rows: Vec<AuditRow>,
    /// The position before which to go on: that of the last row that was read, given or not.
    /// `None` when there is nothing older.
    pub next: Option<i64>,
}

/// Reads and deletes the audit log.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait AuditStore: Send + Sync {
    /// Rows, newest first. After a position that is none, or is kept no longer, there are none.
    ///
    /// # Errors
    /// Those of the trait.
    async fn audit(&self, query: &AuditQuery) -> Result<AuditPage, StoreError>;

    /// Removes the oldest rows from before that instant, at most `limit`; returns how many.
    ///
    /// # Errors
    /// Those of the trait.
    async fn forget_audit(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
