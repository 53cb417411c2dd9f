//! The log of requests: the recent requests of each application, for itself and for operators.
//!
//! The process that serves the requests writes the log in batches. Losing some entries does no harm.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId};

use crate::StoreError;

/// A request with its response. Only `details` contain anything that the caller sent except ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// The application that made the request.
    pub application_id: ApplicationId,
    /// The time of the request.
    pub at: Timestamp,
    /// The time until the response started, in microseconds.
    pub duration_micros: u64,
    /// The method of the request.
    pub method: Cow<'static, str>,
    /// The route of the request, with names in braces in place of ids.
    pub route: Cow<'static, str>,
    /// The company of the request, if the caller may know it.
    pub company_id: Option<CompanyId>,
    /// The status of the response.
    pub status: u16,
    /// The codes of the errors in the response, each once, in their order.
    pub codes: Vec<Cow<'static, str>>,
    /// The server's id of the request.
    pub request_id: String,
    /// The correlation id from the caller.
    pub correlation_id: Option<String>,
    /// The number of requests directly before it that were not logged because there were too many.
    pub skipped_before: u64,
    /// The details of a rejected or failed request, only when it is written.
    pub details: Option<RequestDetails>,
}

/// The query, the errors and the beginning of the body of a request, as a JSON text. The store encrypts it.
/// `Debug` omits it.
#[derive(Clone, PartialEq, Eq)]
pub struct RequestDetails(pub String);

impl fmt::Debug for RequestDetails {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RequestDetails")
    }
}

/// The stored details of a rejected or failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRequest {
    /// The company of the request, if the caller could know it.
    pub company_id: Option<CompanyId>,
    /// The query, the errors and the beginning of the body of the request.
    pub details: RequestDetails,
}

/// The part of the log that [`RequestStore::delete_requests_before`] deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogSection {
    /// The rows of the log.
    Requests,
    /// The details of rejected and failed requests.
    Details,
}

/// The filter for requests of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestQuery {
    /// Only requests before this position. `None` starts with the newest one.
    pub before: Option<i64>,
    /// Only requests with a status in this range.
    pub status: Option<RangeInclusive<u16>>,
    /// Only requests of this instant or later.
    pub from: Option<Timestamp>,
    /// Only requests before this instant.
    pub to: Option<Timestamp>,
    /// The maximum number of requests.
    pub limit: NonZeroU32,
}

/// A page of an application's requests, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestPage {
    /// The requests of the page.
    pub requests: Vec<LoggedRequest>,
    /// The cursor of the next page. `None` if there are no more requests.
    pub next_cursor: Option<i64>,
}

/// Stores the log of requests.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait RequestStore: Send + Sync {
    /// Appends requests in the given order. No other work depends on them, so a power failure may lose the
    /// last ones.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn log_requests(&self, requests: &[LoggedRequest]) -> Result<(), StoreError>;

    /// The requests of an application since its creation. Empty if it does not exist.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn requests(
        &self,
        application_id: &ApplicationId,
        query: &RequestQuery,
    ) -> Result<RequestPage, StoreError>;

    /// The requests of the caller's own application, like [`Self::requests`].
    ///
    /// # Errors
    /// The errors of the trait.
    async fn requests_for(
        &self,
        caller: &Caller,
        query: &RequestQuery,
    ) -> Result<Guarded<RequestPage>, StoreError>;

    /// The details of a request of an application since its creation. `None` if there are none, or if no key
    /// decrypts them.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn failed_request(
        &self,
        application_id: &ApplicationId,
        request_id: &str,
    ) -> Result<Option<FailedRequest>, StoreError>;

    /// The details of a request of the caller's own application, like [`Self::failed_request`], with its access
    /// to the company of the request.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn failed_request_for(
        &self,
        caller: &Caller,
        request_id: &str,
    ) -> Result<Guarded<Option<FailedRequest>>, StoreError>;

    /// Deletes this part of the log from before that instant, and for each application all except the newest
    /// `keep`. It deletes at most `limit` and returns their number.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn delete_requests_before(
        &self,
        part: LogSection,
        before: Timestamp,
        keep: u32,
        limit: u32,
    ) -> Result<u64, StoreError>;
}
