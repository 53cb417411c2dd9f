//! Requests to the operator API.

use super::path::ApiPath;
use super::response::OperatorResponse;

/// The HTTP method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// A request to the operator API.
#[derive(Debug)]
pub(crate) struct Request {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) accept: &'static str,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

impl Method {
    /// Returns the name of the method in HTTP.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

impl Request {
    /// Creates a request without a body that expects JSON.
    pub(crate) fn new(method: Method, path: ApiPath) -> Self {
        Self {
            method,
            path: path.into_text(),
            accept: "application/json",
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Creates a request that reads an object or a list.
    pub(crate) fn get(path: ApiPath) -> Self {
        Self::new(Method::Get, path)
    }

    /// Sets the media type of the expected response.
    pub(crate) fn accept(self, media_type: &'static str) -> Self {
        Self { accept: media_type, ..self }
    }

    /// Sets a JSON document as the body.
    pub(crate) fn json(self, document: &serde_json::Value) -> Self {
        self.body("application/json", document.to_string().into_bytes())
    }

    /// Sets the body and its media type.
    pub(crate) fn body(mut self, media_type: &str, body: Vec<u8>) -> Self {
        self.headers.push(("content-type", media_type.to_owned()));
        self.body = body;
        self
    }

    /// Makes the request conditional: the server rejects the request if the object has changed since
    /// `response`.
    pub(crate) fn if_unchanged_since(self, response: &OperatorResponse) -> Self {
        match response.etag() {
            Some(version) => self.if_match(version.to_owned()),
            None => self,
        }
    }

    /// Makes the request conditional: the server rejects the request if the object does not have this
    /// version.
    pub(crate) fn if_match(mut self, version: String) -> Self {
        self.headers.push(("if-match", version));
        self
    }
}
