//! A request as plain data: caller, method, path and more. Tables of tests can therefore contain requests.

use reqwest::Method;
use serde_json::Value;

use crate::operations::{CHECKS, FORM_URLENCODED, JSON};

/// The prefix of all paths of the operator API.
const OPERATOR_PREFIX: &str = "/operator/v1";

/// The kind of caller, which determines the `Authorization` header when the request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    /// A caller without credentials, so the request has no `Authorization` header.
    Anonymous,
    /// A caller with an invalid token.
    Malformed,
    /// The partner with an expired token.
    Expired,
    /// The application with all scopes, but only for [`FOREIGN`](super::world::FOREIGN).
    Other,
    /// The partner with a token whose scopes are not sufficient for any operation.
    WithoutScope,
    /// The partner with a token that only permits reading companies, without their full tax IDs.
    WithoutTaxIds,
    /// An application whose grant on the company lacks a scope. The token has this scope because of a grant
    /// on another company.
    WithoutGrant,
    /// The application with all scopes for all companies except [`FOREIGN`](super::world::FOREIGN).
    Partner,
    /// An application like the partner, whose correlation ids must be unique within a pay period.
    PeriodScoped,
    /// The operator with a key that has all permissions.
    Operator,
    /// The operator with a key that has only read access.
    OperatorReader,
}

/// A request as plain data, which a test can send several times.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) target: String,
    pub(crate) caller: Caller,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<Vec<u8>>,
}

impl Request {
    pub(crate) fn new(method: Method, target: impl Into<String>) -> Self {
        Self { method, target: target.into(), caller: Caller::Partner, headers: Vec::new(), body: None }
    }

    pub(crate) fn get(target: impl Into<String>) -> Self {
        Self::new(Method::GET, target)
    }

    /// Returns a POST of JSON with the media type `application/json`.
    pub(crate) fn post(target: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::POST, target).json(body)
    }

    /// Returns a PATCH of JSON.
    pub(crate) fn patch(target: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::PATCH, target).json(body)
    }

    /// Returns a request to the operator API. `path` follows `/operator/v1`.
    pub(crate) fn operator(method: Method, path: &str) -> Self {
        Self::new(method, format!("{OPERATOR_PREFIX}{path}")).with_caller(Caller::Operator)
    }

    /// Returns a GET to the operator API.
    pub(crate) fn operator_get(path: &str) -> Self {
        Self::operator(Method::GET, path)
    }

    /// Returns a POST of JSON to the operator API.
    pub(crate) fn operator_post(path: &str, body: &Value) -> Self {
        Self::operator(Method::POST, path).json(body)
    }

    /// Returns a PUT of JSON to the operator API, with `If-Match: *`.
    pub(crate) fn operator_put(path: &str, body: &Value) -> Self {
        Self::operator(Method::PUT, path).json(body).if_match("*")
    }

    /// Returns a PATCH of JSON to the operator API, with `If-Match: *`.
    pub(crate) fn operator_patch(path: &str, body: &Value) -> Self {
        Self { method: Method::PATCH, ..Self::operator_put(path, body) }
    }

    /// Returns a DELETE to the operator API, with `If-Match: *`.
    pub(crate) fn operator_delete(path: &str) -> Self {
        Self::operator(Method::DELETE, path).if_match("*")
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("content-type", JSON).body(body.to_string())
    }

    /// Sets `If-Match` to the entity tag of a response.
    pub(crate) fn if_match(self, tag: &str) -> Self {
        self.header("if-match", tag)
    }

    /// Returns whether the request goes to the operator's listener.
    pub(crate) fn is_for_operator_api(&self) -> bool {
        self.target.starts_with(OPERATOR_PREFIX)
    }

    pub(crate) fn post_checks(company: &str, checks: &Value) -> Self {
        Self::post_checks_raw(company, checks.to_string())
    }

    /// Returns a POST to add checks whose body consists of these bytes.
    pub(crate) fn post_checks_raw(company: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(Method::POST, format!("/companies/{company}/checks"))
            .header("content-type", CHECKS)
            .body(body)
    }

    pub(crate) fn post_custom_field(company: &str, field: &Value) -> Self {
        Self::post(format!("/companies/{company}/customfields"), field)
    }

    /// Returns a POST of a form to the token operation, without a caller.
    pub(crate) fn token(form: &str) -> Self {
        Self::new(Method::POST, "/auth/oauth/v2/token")
            .header("content-type", FORM_URLENCODED)
            .body(form)
            .with_caller(Caller::Anonymous)
    }

    pub(crate) fn with_caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    pub(crate) fn accept(self, media_type: &str) -> Self {
        self.header("accept", media_type)
    }

    pub(crate) fn idempotency_key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// Sets a header and replaces previous values.
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.append_header(name, value)
    }

    /// Adds a header without replacing previous values.
    pub(crate) fn append_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn without_header(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Returns the path, without the query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}
