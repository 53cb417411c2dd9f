//! Requests to complete pay periods, for servers on which two operators complete one.
//!
//! A request is approved by completing its period: [`PeriodMove::request`] names it, and
//! [`PeriodStore::complete`](crate::periods::PeriodStore::complete) carries that out.

use async_trait::async_trait;
use payroll_domain::check::Totals;
pub use payroll_domain::completion_request::{Approval, CompletionRequest};
use payroll_domain::id::{CompanyId, PayPeriodId};

use crate::periods::{Moved, PeriodMove};
use crate::resources::Versioned;
use crate::write::By;
use crate::{Listing, StoreError, Window};

/// A request to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCompletionRequest {
    /// The period in the version that was seen.
    pub moved: PeriodMove,
    /// What its checks come to, with what is handed in.
    pub totals: Totals,
    /// The document that is handed in, as it was sent; empty for none.
    pub document: String,
}

/// A request as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCompletionRequest {
    /// The request and its input.
    pub request: CompletionRequest,
    /// The version of its row.
    pub version: i64,
    /// The document that was handed in, as it was sent; empty for none, and once it is approved.
    pub document: String,
}

/// What became of making or withdrawing a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requested {
    /// The change is stored.
    Done,
    /// A request waits already.
    Waits,
    /// The period has no request.
    NotRequested,
    /// What a completion of the period would be rejected for at that instant, or
    /// [`Moved::Stale`] for another version of the request.
    Refused(Moved),
}

/// Keeping requests to complete pay periods: at most one for a period. A change leaves its row in the
/// audit trail, without the document that was handed in.
///
/// A request waits while its period is in processing in the version that was requested. What moves the
/// period otherwise removes it.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those
/// that write also [`StoreError::CompanyBusy`] when another writer of the company takes too long.
#[async_trait]
pub trait CompletionRequestStore: Send + Sync {
    /// The request for a period that waits or was approved; `None` without one, and for an unknown
    /// period.
    ///
    /// # Errors
    /// Those of the trait.
    async fn completion_request(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Option<StoredCompletionRequest>, StoreError>;

    /// The requests of these companies that wait, or of all, the oldest first.
    ///
    /// # Errors
    /// Those of the trait.
    async fn completion_requests(
        &self,
        within: Option<&[CompanyId]>,
        window: Window,
    ) -> Result<Listing<Versioned<CompletionRequest>>, StoreError>;

    /// Stores a request by the operator who writes, if the period could be completed so and no request waits.
    ///
    /// # Errors
    /// Those of the trait.
    async fn request_completion(&self, new: &NewCompletionRequest, by: &By) -> Result<Requested, StoreError>;

    /// Removes a request that waits; `version`: only in that version.
    ///
    /// # Errors
    /// Those of the trait.
    async fn withdraw_completion_request(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        version: Option<i64>,
        by: &By,
    ) -> Result<Requested, StoreError>;
}
