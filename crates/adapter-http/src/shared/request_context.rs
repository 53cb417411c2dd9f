//! What is known of a request as it goes its way; the log and the response's headers show it.

use std::cell::{Cell, OnceCell, RefCell};
use std::time::Duration;

use actix_http::Request;
use actix_web::http::Method;
use actix_web::http::header::HeaderValue;
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId};

use crate::shared::api::Api;
use crate::shared::rate_limit::Ticket;
use crate::shared::{request_id, request_log};
use crate::transport::memory::Reservation;

/// What is known of a request as it goes its way; the log and the response's headers show it.
#[derive(Debug)]
pub(crate) struct RequestContext {
    pub(crate) request_id: String,
    pub(crate) application: OnceCell<ApplicationId>,
    /// The name of the operator key, or of the command.
    pub(crate) operator: OnceCell<String>,
    pub(crate) ticket: OnceCell<Ticket>,
    /// The company that it is about, once the caller has named it or was let to it.
    pub(crate) company: OnceCell<CompanyId>,
    /// The memory that its body takes, and then its response.
    pub(crate) memory: RefCell<Option<Reservation>>,
    /// Why it was rejected, or failed; each reason once.
    pub(super) reasons: OnceCell<Vec<Reason>>,
    pub(super) route: Cell<&'static str>,
    /// The path is none of the API.
    pub(super) service: Cell<bool>,
    /// The operation shows what concerns persons, which nothing on the way may keep.
    pub(super) personal: Cell<bool>,
    /// What is read may be a little old, as the client prefers.
    pub(crate) stale: Cell<bool>,
    pub(super) method: Method,
    pub(super) correlation: Option<HeaderValue>,
    /// The notification that caused the request, as the caller sent it.
    pub(super) notification: Option<String>,
    pub(super) started: Timestamp,
    /// The same moment by the clock that never jumps.
    began: Duration,
}

impl RequestContext {
    pub(super) fn new(api: &Api, request: &Request) -> Self {
        Self {
            request_id: api.request_ids.next(),
            application: OnceCell::new(),
            operator: OnceCell::new(),
            ticket: OnceCell::new(),
            company: OnceCell::new(),
            memory: RefCell::new(None),
            reasons: OnceCell::new(),
            route: Cell::new("-"),
            service: Cell::new(false),
            personal: Cell::new(false),
            stale: Cell::new(false),
            method: request.method().clone(),
            correlation: request_id::echoed(&request.head().headers, &api.headers.correlation).cloned(),
            notification: request_log::named(&request.head().headers, &api.headers.notification),
            started: api.now(),
            began: api.monotonic(),
        }
    }

    pub(crate) const fn method(&self) -> &Method {
        &self.method
    }

    /// How long the request has taken until now, in microseconds.
    pub(super) fn micros(&self, now: Duration) -> u64 {
        u64::try_from(now.saturating_sub(self.began).as_micros()).unwrap_or(u64::MAX)
    }
}
