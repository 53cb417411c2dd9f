//! Requests to complete pay periods, for servers that require two operators for a completion.
//!
//! To approve a request, complete its period with [`StateChange::request`] set. See
//! [`PeriodStore::complete_period`](crate::periods::PeriodStore::complete_period).

use async_trait::async_trait;
use payroll_domain::check::Totals;
pub use payroll_domain::completion_request::{Approval, CompletionRequest};
use payroll_domain::id::{CompanyId, PayPeriodId};

use crate::periods::{StateChange, StateChangeOutcome};
use crate::resources::Versioned;
use crate::write::AuditContext;
use crate::{Listing, StoreError, Window};

/// A new request to complete a period, before it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCompletionRequest {
    /// The period with the version that the operator saw.
    pub state_change: StateChange,
    /// The totals of the period's checks, including the supplied data.
    pub totals: Totals,
    /// The JSON document with the data that the operator supplied, unchanged. Empty if no data was supplied.
    pub document: String,
}

/// A stored request to complete a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCompletionRequest {
    /// The completion request and its approval.
    pub request: CompletionRequest,
    /// The version of the row that stores the completion request.
    pub version: i64,
    /// The JSON document with the data that the operator supplied, unchanged. Empty if no data was supplied,
    /// or if the request is approved.
    pub document: String,
}

/// The result of creating or withdrawing a completion request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionRequestOutcome {
    /// The change is stored.
    Done,
    /// The period already has a pending completion request.
    AlreadyPending,
    /// The period has no completion request.
    NotRequested,
    /// The completion request was rejected. Contains the reason why the completion itself would be rejected.
    /// If the stored request has another version than expected, the reason is [`StateChangeOutcome::Stale`].
    Refused(StateChangeOutcome),
}

/// Stores requests to complete pay periods, at most one for each period. Each change writes an audit row,
/// which does not contain the supplied document.
///
/// A request is pending while its period is in processing and has the version for which the request was
/// created. If a completion approves the request, the request is kept. Any other change of the period's state
/// deletes the request.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`] if another writer of the company takes too
/// long.
#[async_trait]
pub trait CompletionRequestStore: Send + Sync {
    /// Returns the pending or approved request for a period. `None` if the period has no request or is
    /// unknown.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn completion_request(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Option<StoredCompletionRequest>, StoreError>;

    /// Returns the pending requests of the given companies, or of all companies if no list is given, oldest
    /// first.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn completion_requests(
        &self,
        visible_companies: Option<&[CompanyId]>,
        window: Window,
    ) -> Result<Listing<Versioned<CompletionRequest>>, StoreError>;

    /// Stores a request of the operator if no request is pending and the completion itself would be accepted.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn request_completion(
        &self,
        new: &NewCompletionRequest,
        audit: &AuditContext,
    ) -> Result<CompletionRequestOutcome, StoreError>;

    /// Deletes a pending request. If `version` is given, the request must have that version.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn withdraw_completion_request(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> Result<CompletionRequestOutcome, StoreError>;
}
