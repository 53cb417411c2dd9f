//! The request log: the recent API requests of each application. The application itself and operators can
//! read the log.
//!
//! The process that serves the requests writes the log in batches. The last entries may be lost in a crash,
//! because no other data depends on the log.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId};

use crate::StoreError;

/// A logged request with its response. Apart from ids, only `details` contains data that the caller sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// The application that sent the request.
    pub application_id: ApplicationId,
    /// The instant of the request.
    pub at: Timestamp,
    /// The time from the request to the start of the response, in microseconds.
    pub duration_micros: u64,
    /// The HTTP method of the request, such as `GET`.
    pub method: Cow<'static, str>,
    /// The route of the request, with placeholders such as `{companyId}` for ids.
    pub route: Cow<'static, str>,
    /// The company of the request. `None` if the request has no company, or if the caller must not learn
    /// whether the company exists.
    pub company_id: Option<CompanyId>,
    /// The HTTP status of the response.
    pub status: u16,
    /// The codes of the errors in the response, without duplicates, in the order of the response.
    pub codes: Vec<Cow<'static, str>>,
    /// The id that the server assigned to the request.
    pub request_id: String,
    /// The correlation id from the caller.
    pub correlation_id: Option<String>,
    /// The number of requests directly before this request that are missing from the log, because too many
    /// arrived at once.
    pub skipped_before: u64,
    /// The details of a rejected or failed request. The details are only set when a request is logged. In an
    /// entry that was read from the log, they are `None`.
    pub details: Option<RequestDetails>,
}

/// The query, the errors and the beginning of the body of a request, as a JSON text. The store encrypts this
/// text, and `Debug` omits it.
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
    /// The company of the request. `None` if the request has no company, or if the caller must not learn
    /// whether the company exists.
    pub company_id: Option<CompanyId>,
    /// The query, the errors and the beginning of the body of the request.
    pub details: RequestDetails,
}

/// The part of the request log that [`RequestStore::delete_requests_before`] deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestLogSection {
    /// The rows of the log, one for each request.
    Requests,
    /// The details of rejected and failed requests.
    Details,
}

/// The filter for requests of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestQuery {
    /// Returns only requests before the given position in the log. `None` starts with the newest request.
    pub before: Option<i64>,
    /// Returns only requests whose response has a status in the given range. `None` does not filter by
    /// status.
    pub status: Option<RangeInclusive<u16>>,
    /// Returns only requests that were received at the given instant or later.
    pub from: Option<Timestamp>,
    /// Returns only requests that were received before the given instant.
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
    /// Appends requests in the given order. The entries may be lost in a power failure, because no other data
    /// depends on the log.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn log_requests(&self, requests: &[LoggedRequest]) -> Result<(), StoreError>;

    /// Returns the requests of an application that were logged since the application was created. The page is
    /// empty if the application does not exist.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn requests(
        &self,
        application_id: &ApplicationId,
        query: &RequestQuery,
    ) -> Result<RequestPage, StoreError>;

    /// Returns the requests of the caller's own application, as [`Self::requests`] does.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn requests_of_caller(
        &self,
        caller: &Caller,
        query: &RequestQuery,
    ) -> Result<Guarded<RequestPage>, StoreError>;

    /// Returns the details of one logged request of an application. `None` if no details are stored, or if no
    /// key decrypts them. Requests from before the application's creation are not found.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_failed_request(
        &self,
        application_id: &ApplicationId,
        request_id: &str,
    ) -> Result<Option<FailedRequest>, StoreError>;

    /// Returns the details of a request of the caller's own application, as [`Self::read_failed_request`] does.
    /// The access is the application's access to the company of the request.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn failed_request_of_caller(
        &self,
        caller: &Caller,
        request_id: &str,
    ) -> Result<Guarded<Option<FailedRequest>>, StoreError>;

    /// Deletes rows of one section of the log. These are the rows from before the instant `before`, and the
    /// rows beyond the newest `keep` rows of each application. Deletes at most `limit` rows and returns their
    /// number.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delete_requests_before(
        &self,
        part: RequestLogSection,
        before: Timestamp,
        keep: u32,
        limit: u32,
    ) -> Result<u64, StoreError>;
}
