//! Errors: rejections by the server with their codes, and failures of the connection.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The maximum number of API errors in the text of a rejection. A batch can have hundreds of errors.
const MAX_SHOWN_ERRORS: usize = 5;

/// The reason why a request has failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server has rejected the request.
    Rejected(Rejection),
    /// The server has stored only a part of a list (status 207), such as some of several new workers.
    PartlyRejected(PartialRejection),
    /// No connection to the server could be opened, so the request was not sent.
    Connect(Box<dyn std::error::Error + Send + Sync>),
    /// The connection ended before the response was complete.
    Connection(Box<dyn std::error::Error + Send + Sync>),
    /// The response did not arrive within the time limit of an attempt.
    Timeout,
    /// The response does not have the form that the API describes.
    Response(String),
    /// The client, the request or an argument is invalid. Nothing was sent.
    Invalid(String),
}

impl Error {
    /// Returns the rejection, if the server has rejected the request.
    #[must_use]
    pub const fn rejection(&self) -> Option<&Rejection> {
        match self {
            Self::Rejected(rejection) => Some(rejection),
            Self::PartlyRejected(partial) => Some(&partial.rejection),
            _ => None,
        }
    }

    /// Returns whether the server has rejected the request with an API code such as `API-55`.
    #[must_use]
    pub fn has_code(&self, code: &str) -> bool {
        self.rejection().is_some_and(|it| it.errors.iter().any(|error| error.code == code))
    }

    /// Converts an error of the HTTP library. URLs are removed from the error, because their queries can
    /// contain personal data.
    pub(crate) fn from_http(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if error.is_timeout() && !error.is_connect() {
            Self::Timeout
        } else if error.is_connect() {
            Self::Connect(Box::new(error))
        } else if error.is_builder() {
            Self::Invalid(format!("the request is invalid: {error}"))
        } else {
            Self::Connection(Box::new(error))
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(rejection) => rejection.fmt(f),
            Self::PartlyRejected(partial) => write!(f, "stored in part, {}", partial.rejection),
            Self::Connect(_) => f.write_str("the server cannot be reached"),
            Self::Connection(_) => f.write_str("the connection ended before the response was complete"),
            Self::Timeout => f.write_str("the server did not respond in time"),
            Self::Response(fault) => write!(f, "the response is invalid: {fault}"),
            Self::Invalid(fault) => f.write_str(fault),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Connect(source) | Self::Connection(source) => Some(source.as_ref()),
            Self::Rejected(_)
            | Self::PartlyRejected(_)
            | Self::Timeout
            | Self::Response(_)
            | Self::Invalid(_) => None,
        }
    }
}

/// A response with an error status.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The HTTP status, such as 400.
    pub status: u16,
    /// All errors in the order of the request body. The list is empty if the response has no error envelope.
    pub errors: Vec<ApiError>,
    /// The id of the request, by which the operator of the server finds the request in the log.
    pub request_id: Option<String>,
    /// The time to wait before the next attempt, if the server named one.
    pub retry_after: Option<Duration>,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status {}", self.status)?;
        for (at, error) in self.errors.iter().take(MAX_SHOWN_ERRORS).enumerate() {
            write!(f, "{} {error}", if at == 0 { ":" } else { "," })?;
        }
        match self.errors.len().checked_sub(MAX_SHOWN_ERRORS) {
            Some(more) if more > 0 => write!(f, ", and {more} more errors"),
            _ => Ok(()),
        }
    }
}

/// The response to a request with a list, if the server stored only some elements. The other elements have
/// errors.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartialRejection {
    /// The errors of the elements that were not stored.
    pub rejection: Rejection,
    pub(crate) body: Vec<u8>,
}

impl PartialRejection {
    /// Reads the complete response, whose `content` has the stored elements.
    ///
    /// # Errors
    /// [`Error::Response`] if the response does not have the type.
    pub fn stored<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| Error::Response(error.to_string()))
    }
}

/// One error of a rejected request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ApiError {
    /// The code, such as `API-55`, by which a program recognizes the error.
    pub code: String,
    /// The human-readable description of the error.
    #[serde(default)]
    pub description: String,
    /// The advice for resolving the error.
    pub resolution: Option<String>,
    /// The position in the request body as a JSON Pointer (RFC 6901), such as `/0/workerId`.
    pub pointer: Option<String>,
    /// The correlation id of the check that has the error.
    pub correlation_id: Option<String>,
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.description)?;
        self.pointer.as_ref().map_or(Ok(()), |pointer| write!(f, " ({pointer})"))
    }
}

/// The envelope in the body of an error response.
#[derive(Deserialize)]
pub(crate) struct ErrorEnvelope {
    pub(crate) errors: Vec<ApiError>,
}
