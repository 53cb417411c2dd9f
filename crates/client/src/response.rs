//! Responses: reading within a limit, success or rejection, and the typed value.

use std::time::{Duration, SystemTime};

use reqwest::header::{ETAG, HeaderMap, RETRY_AFTER};
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorEnvelope, PartialRejection, Rejection};
use crate::retry::parse_retry_after;

/// The maximum size of a response in bytes. A page of the API is much smaller. If a list without pages is
/// larger, read it page by page.
pub(crate) const MAX_RESPONSE: usize = 64 * 1_024 * 1_024;

/// The status of the response to a request with a list, if the server stored only some elements.
const MULTI_STATUS: u16 = 207;

/// The suffix of the name of the response header with the request id, such as `x-vendor-txid`. Operators can
/// change the rest of the name.
const REQUEST_ID_SUFFIX: &str = "-txid";

/// The value of a successful response, and its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response<T> {
    /// The value that was read from the response's body.
    pub value: T,
    /// The HTTP status, from 200 to 299.
    pub status: u16,
    /// The version of the object for [`Request::if_match`](crate::Request::if_match). `None` if the response
    /// has a weak entity tag, because a weak tag matches no version. Lists, single workers and some other
    /// objects have weak tags.
    pub etag: Option<String>,
    /// The id of the request, by which the operator of the server finds the request in the log.
    pub request_id: Option<String>,
    /// Whether the server has replayed the response to an earlier request with the same idempotency key.
    pub is_replayed: bool,
}

/// A response with the bytes of its body.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    etag: Option<String>,
    request_id: Option<String>,
    is_replayed: bool,
    retry_after: Option<Duration>,
}

/// Reads a response with at most `limit` bytes.
///
/// # Errors
/// [`Error::Response`] for a longer response, or an error of the connection.
pub(crate) async fn read_limited(mut response: reqwest::Response, limit: usize) -> Result<Reply, Error> {
    let mut reply = Reply::from_head(response.status().as_u16(), response.headers());
    while let Some(chunk) = response.chunk().await.map_err(Error::from_http)? {
        if reply.body.len().saturating_add(chunk.len()) > limit {
            return Err(Error::Response(format!("it has more than {limit} bytes")));
        }
        reply.body.extend_from_slice(&chunk);
    }
    Ok(reply)
}

impl Reply {
    fn from_head(status: u16, headers: &HeaderMap) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let request_id = headers.iter().find(|(name, _)| name.as_str().ends_with(REQUEST_ID_SUFFIX));
        #[expect(
            clippy::disallowed_methods,
            reason = "Retry-After can be a date, which needs the time of day"
        )]
        let now = SystemTime::now();
        Self {
            status,
            body: Vec::new(),
            etag: text(ETAG.as_str()).filter(|it| !it.starts_with("W/")),
            request_id: request_id.and_then(|(_, value)| value.to_str().ok()).map(str::to_owned),
            is_replayed: headers.get("idempotent-replayed").is_some_and(|it| it.as_bytes() == b"true"),
            retry_after: text(RETRY_AFTER.as_str()).and_then(|value| parse_retry_after(&value, now)),
        }
    }

    /// Returns the response if its status is a success, otherwise an error.
    ///
    /// # Errors
    /// [`Error::Rejected`] for a status of 400 or more, [`Error::Response`] for a redirect.
    pub(crate) fn into_success(self) -> Result<Self, Error> {
        match self.status {
            200..=299 => Ok(self),
            400.. => Err(Error::Rejected(self.rejection())),
            status => Err(Error::Response(format!("status {status} is neither a success nor an error"))),
        }
    }

    /// Returns the response unless its status is 207, which means that the server stored only a part of a
    /// list.
    ///
    /// # Errors
    /// [`Error::PartlyRejected`] if only a part of a list was stored.
    pub(crate) fn into_complete(mut self) -> Result<Self, Error> {
        if self.status != MULTI_STATUS {
            return Ok(self);
        }
        let rejection = self.rejection();
        Err(Error::PartlyRejected(PartialRejection { rejection, body: std::mem::take(&mut self.body) }))
    }

    fn rejection(&self) -> Rejection {
        let errors = serde_json::from_slice(&self.body).map(|it: ErrorEnvelope| it.errors);
        Rejection {
            status: self.status,
            errors: errors.unwrap_or_default(),
            request_id: self.request_id.clone(),
            retry_after: self.retry_after,
        }
    }

    /// Reads the body as JSON. An empty body is `null`.
    ///
    /// # Errors
    /// [`Error::Response`] if the body does not have the type.
    pub(crate) fn into_typed<T: DeserializeOwned>(self) -> Result<Response<T>, Error> {
        let body: &[u8] = if self.body.is_empty() { b"null" } else { &self.body };
        let value = serde_json::from_slice(body).map_err(|error| Error::Response(error.to_string()))?;
        Ok(self.with_value(value))
    }

    pub(crate) fn bytes(mut self) -> Response<Vec<u8>> {
        let body = std::mem::take(&mut self.body);
        self.with_value(body)
    }

    fn with_value<T>(self, value: T) -> Response<T> {
        let Self { status, etag, request_id, is_replayed, .. } = self;
        Response { value, status, etag, request_id, is_replayed }
    }
}
