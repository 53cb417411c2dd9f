//! Connects a second protocol, such as MCP, to the API of a listener that serves both the protocol and the
//! API.
//!
//! The listener authenticates the caller. The listener passes the message to an [`AgentRequestHandler`],
//! which calls the API through an [`ApiCaller`]. Only the listener has the caller's credentials, and the
//! listener adds them to each call.

use std::sync::Arc;

use async_trait::async_trait;
use payroll_domain::access::Scopes;

use crate::BoxError;

/// The path under which a listener serves the OpenAPI description of its API.
pub const DESCRIPTION_PATH: &str = "/openapi.json";

/// The maximum size of a response in bytes. A language model cannot use larger responses. The limit also
/// protects the server, which has up to three copies of a response in memory.
pub const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// The maximum size of an API description in bytes. Each description is read only once, so it may be larger
/// than other responses. The largest description of this server has 2 MiB.
const MAX_DESCRIPTION_BYTES: usize = 8 * 1024 * 1024;

/// A request to an API. `Debug` is not implemented, because the body may contain personal data.
#[derive(Clone, Default)]
pub struct ApiRequest {
    /// The HTTP method of the request, such as `GET`.
    pub method: String,
    /// The path and the query, such as `/companies?limit=10`.
    pub target: String,
    /// The names and values of the headers, without credentials.
    pub headers: Vec<(String, String)>,
    /// The body of the request, which may be empty.
    pub body: Vec<u8>,
}

impl ApiRequest {
    /// Creates a `GET` request for the given path and query, without headers and body.
    #[must_use]
    pub fn get(target: impl Into<String>) -> Self {
        Self { method: "GET".to_owned(), target: target.into(), ..Self::default() }
    }

    /// Appends the next chunk of the response to `body`, which contains the earlier chunks.
    ///
    /// # Errors
    /// Returns an error if the response is larger than the limit for this request.
    pub fn append_chunk(&self, body: &mut Vec<u8>, part: &[u8]) -> Result<(), BoxError> {
        let max = if self.target == DESCRIPTION_PATH { MAX_DESCRIPTION_BYTES } else { MAX_RESPONSE_BYTES };
        if body.len().saturating_add(part.len()) > max {
            let kib = max / 1024;
            let advice = "Ask for fewer elements, for example with `limit`";
            return Err(format!("the response is larger than {kib} KiB. {advice}").into());
        }
        body.extend_from_slice(part);
        Ok(())
    }
}

/// The complete response of an API.
#[derive(Clone, Default)]
pub struct ApiResponse {
    /// The status code of the response.
    pub status: u16,
    /// The names of the headers in lower case, with their values.
    pub headers: Vec<(String, String)>,
    /// The body of the response, which may be empty.
    pub body: Vec<u8>,
}

impl ApiResponse {
    /// Returns the value of a header. `name` must be in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether the status is from 200 to 299.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }
}

/// An API that can be called on behalf of one caller, in this process or over the network.
#[async_trait]
pub trait ApiCaller: Send + Sync {
    /// Sends a request and reads the complete response.
    ///
    /// # Errors
    /// Returns an error if the request is not valid HTTP, the server does not respond, or the response is too
    /// large. A rejection by the API is a response and not an error.
    async fn call(&self, request: ApiRequest) -> Result<ApiResponse, BoxError>;

    /// Returns the scopes of the caller's token. `None` if the scopes are unknown, or if the caller is an
    /// operator. Operators have roles instead of scopes.
    fn scopes(&self) -> Option<Scopes> {
        None
    }
}

/// A protocol for AI agents, such as MCP, which a listener serves on a path in addition to its API.
#[async_trait]
pub trait AgentRequestHandler: Send + Sync {
    /// Responds to a message of an authenticated caller. `target` of the message is the path and the query at
    /// which the protocol was called.
    async fn handle(&self, message: ApiRequest, api: Arc<dyn ApiCaller>) -> ApiResponse;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_responses_but_allows_larger_api_descriptions() {
        let part = vec![0; MAX_RESPONSE_BYTES];
        let mut body = Vec::new();
        assert!(ApiRequest::get("/companies").append_chunk(&mut body, &part).is_ok());
        assert!(ApiRequest::get("/companies").append_chunk(&mut body, &[0]).is_err());
        assert!(ApiRequest::get(DESCRIPTION_PATH).append_chunk(&mut body, &[0]).is_ok());
    }
}
