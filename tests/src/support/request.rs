//! A request as plain data: who asks for what, so that requests can stand in tables.

use reqwest::Method;
use serde_json::Value;

use crate::operations::{CHECKS, FORM, JSON};

/// Who calls. Each kind is made into an `Authorization` header when the request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    /// Nobody: no header at all.
    Anonymous,
    /// Somebody with something that is no token.
    Malformed,
    /// The partner with a token that has ended.
    Expired,
    /// The application that has every scope, but for [`FOREIGN`](super::world::FOREIGN) alone.
    Other,
    /// The partner with a token that has no scope that any operation needs.
    WithoutScope,
    /// The partner with a token that may read companies and nothing else.
    WithoutTaxIds,
    /// The application whose grant for the company lacks what its token has from another one.
    WithoutGrant,
    /// The application with every scope for every company but [`FOREIGN`](super::world::FOREIGN).
    Partner,
    /// As the partner, with correlation ids that last for the pay period.
    PeriodScoped,
}

/// A request that can be sent any number of times.
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

    /// A POST of JSON under `application/json`.
    pub(crate) fn post(target: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::POST, target).header("content-type", JSON).body(body.to_string())
    }

    /// A POST of checks to a company.
    pub(crate) fn post_checks(company: &str, checks: &Value) -> Self {
        Self::post_checks_raw(company, checks.to_string())
    }

    /// A POST of whatever bytes in the place of checks.
    pub(crate) fn post_checks_raw(company: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(Method::POST, format!("/companies/{company}/checks"))
            .header("content-type", CHECKS)
            .body(body)
    }

    /// A POST of one custom field to a company.
    pub(crate) fn post_custom_field(company: &str, field: &Value) -> Self {
        Self::post(format!("/companies/{company}/customfields"), field)
    }

    /// A POST of a form to the token operation, by nobody.
    pub(crate) fn token(form: &str) -> Self {
        Self::new(Method::POST, "/auth/oauth/v2/token")
            .header("content-type", FORM)
            .body(form)
            .by(Caller::Anonymous)
    }

    pub(crate) fn by(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    pub(crate) fn accept(self, media_type: &str) -> Self {
        self.header("accept", media_type)
    }

    pub(crate) fn idempotency_key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// Sets a header in place of those of the name.
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.more_header(name, value)
    }

    /// Adds a header beside those of the name.
    pub(crate) fn more_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
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

    /// The path, without the query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}
