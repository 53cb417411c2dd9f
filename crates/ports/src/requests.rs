//! The log of requests: the recent requests of each application, for itself and for the operator.
//!
//! It is written next to requests, in batches, by the process that serves them; losing some does no harm.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId};

use crate::StoreError;

/// A request that has a response. Nothing in it is what the caller sent, but for ids: no query, no
/// body, no token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredRequest {
    /// The application that made it.
    pub application_id: ApplicationId,
    /// The time of the request.
    pub at: Timestamp,
    /// The time until its response began, in microseconds.
    pub duration_micros: u64,
    /// The method of the request.
    pub method: Cow<'static, str>,
    /// Its route, with names in braces where ids stood.
    pub route: Cow<'static, str>,
    /// The company that it was about, where that is known to the caller.
    pub company_id: Option<CompanyId>,
    /// The status of the response.
    pub status: u16,
    /// The codes of the errors in the response, each once, in their order.
    pub codes: Vec<Cow<'static, str>>,
    /// The server's id of the request.
    pub request_id: String,
    /// The id that the caller gave it.
    pub correlation_id: Option<String>,
    /// Requests of the application right before it that are not kept, because there were too many.
    pub skipped: u64,
}

/// Which requests of an application are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestQuery {
    /// Those before this position; `None`: from the newest on.
    pub before: Option<i64>,
    /// With a status among these.
    pub status: Option<RangeInclusive<u16>>,
    /// That came at this instant or later.
    pub from: Option<Timestamp>,
    /// That came before this instant.
    pub to: Option<Timestamp>,
    /// The most that are wanted.
    pub limit: NonZeroU32,
}

/// Requests of an application, those that were written last first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestPage {
    /// The requests of the page.
    pub requests: Vec<AnsweredRequest>,
    /// The position before which to go on; `None` when there are no more.
    pub next: Option<i64>,
}

/// The log of requests.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait RequestStore: Send + Sync {
    /// Writes requests after those that are there, in that order. No work depends on them: a loss of power
    /// may take the last of them.
    ///
    /// # Errors
    /// Those of the trait.
    async fn log_requests(&self, requests: &[AnsweredRequest]) -> Result<(), StoreError>;

    /// Requests of an application that have come since it was made; none if it is not there.
    ///
    /// # Errors
    /// Those of the trait.
    async fn requests(
        &self,
        application_id: &ApplicationId,
        query: &RequestQuery,
    ) -> Result<RequestPage, StoreError>;

    /// Requests of the caller's own application, as [`Self::requests`].
    ///
    /// # Errors
    /// Those of the trait.
    async fn requests_for(
        &self,
        caller: &Caller,
        query: &RequestQuery,
    ) -> Result<Guarded<RequestPage>, StoreError>;

    /// Removes requests that came before that instant, and of each application all but the newest
    /// `keep`, at most `limit` in all; returns how many.
    ///
    /// # Errors
    /// Those of the trait.
    async fn forget_requests(&self, before: Timestamp, keep: u32, limit: u32) -> Result<u64, StoreError>;
}
