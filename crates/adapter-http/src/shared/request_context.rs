//! The data about a request that its log line and its response headers use. The data are collected while the
//! request is processed.

use std::cell::{Cell, OnceCell, RefCell};
use std::time::Duration;

use actix_http::{HttpMessage, Request};
use actix_web::http::header::HeaderValue;
use actix_web::http::{Method, Uri};
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId};

use payroll_domain::violation::Violation;
use payroll_ports::requests::RequestDetails;

use crate::shared::api::ListenerState;
use crate::shared::rate_limit::RateLimitCharge;
use crate::shared::request_log::BodyStart;
use crate::shared::{request_id, request_log};
use crate::transport::memory::ReservedMemory;

/// The name of the protocol, such as MCP, through which this process received a request indirectly. The name
/// is stored as an extension of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestProtocol(pub(crate) &'static str);

/// The data about a request that its log line and its response headers use.
#[derive(Debug)]
pub(crate) struct RequestContext {
    pub(crate) request_id: String,
    pub(crate) application: OnceCell<ApplicationId>,
    /// The name of the operator key or of the command.
    pub(crate) operator: OnceCell<String>,
    pub(crate) ticket: OnceCell<RateLimitCharge>,
    /// The company in the path, or the company of the worker or check in the path. The value is set after
    /// the caller's access was verified.
    pub(crate) company: OnceCell<CompanyId>,
    /// The memory that is reserved for the request's body, and later for its response.
    pub(crate) memory: RefCell<Option<ReservedMemory>>,
    /// The distinct reasons for which the request was rejected or failed.
    pub(super) reasons: OnceCell<Vec<Reason>>,
    /// The beginning of a JSON body, if the details of failed requests are stored.
    pub(super) body: OnceCell<BodyStart>,
    /// The details of a rejected or failed request, if they are stored.
    pub(super) details: OnceCell<RequestDetails>,
    uri: Uri,
    pub(super) route: Cell<&'static str>,
    /// Whether the path is not an API operation.
    pub(super) is_service_path: Cell<bool>,
    /// Whether the response contains personal data, which caches must not store.
    pub(super) has_personal_data: Cell<bool>,
    /// Whether the client accepts slightly stale data.
    pub(crate) accepts_stale: Cell<bool>,
    pub(super) method: Method,
    pub(super) correlation: Option<HeaderValue>,
    /// The id of the notification that caused the request, as the client sent it.
    pub(super) notification: Option<String>,
    /// The protocol through which this process received the request; `None` for a direct request.
    pub(super) via: Option<&'static str>,
    pub(super) started_at: Timestamp,
    /// The start time on the monotonic clock.
    started_monotonic: Duration,
}

impl RequestContext {
    pub(super) fn new(api: &ListenerState, request: &Request) -> Self {
        Self {
            request_id: api.request_ids.next(),
            application: OnceCell::new(),
            operator: OnceCell::new(),
            ticket: OnceCell::new(),
            company: OnceCell::new(),
            memory: RefCell::new(None),
            reasons: OnceCell::new(),
            body: OnceCell::new(),
            details: OnceCell::new(),
            uri: request.uri().clone(),
            route: Cell::new("-"),
            is_service_path: Cell::new(false),
            has_personal_data: Cell::new(false),
            accepts_stale: Cell::new(false),
            method: request.method().clone(),
            correlation: request_id::valid_correlation_id(&request.head().headers, &api.headers.correlation)
                .cloned(),
            notification: request_log::notification_id(&request.head().headers, &api.headers.notification),
            via: request.extensions().get::<RequestProtocol>().map(|via| via.0),
            started_at: api.now(),
            started_monotonic: api.monotonic_time(),
        }
    }

    /// Returns the client's correlation id.
    pub(crate) const fn correlation_id(&self) -> Option<&HeaderValue> {
        self.correlation.as_ref()
    }

    pub(crate) const fn method(&self) -> &Method {
        &self.method
    }

    /// Sets the details of a rejected or failed request of an application.
    pub(super) fn set_details(&self, errors: Vec<Violation>) {
        let request = (self.request_id.as_str(), self.route.get());
        // `OnceCell::set` fails only if the cell already has a value. A request fails at most once, so the
        // cell is empty.
        let _ =
            self.details.set(request_log::masked_details(request, self.uri.query(), self.body.get(), errors));
    }

    /// Returns the duration of the request until now, in microseconds.
    pub(super) fn elapsed_micros(&self, now: Duration) -> u64 {
        u64::try_from(now.saturating_sub(self.started_monotonic).as_micros()).unwrap_or(u64::MAX)
    }
}
