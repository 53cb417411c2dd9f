//! One request, from its head to its answer: id, route, caller, rate limit, handler; then the
//! headers that every answer has, and the line in the log.

use std::any::Any;
use std::cell::{Cell, OnceCell};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;

use actix_http::{Payload, Request};
use actix_web::HttpResponse;
use actix_web::http::header::{ALLOW, HeaderMap, HeaderValue, VARY};
use actix_web::http::{Method, StatusCode};
use futures_util::FutureExt;
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::id::ApplicationId;

use crate::api::Api;
use crate::call::{Call, Target};
use crate::error::Failure;
use crate::incoming::Incoming;
use crate::limits::{MAX_HEADER_BYTES, MAX_TARGET_BYTES};
use crate::rate_limit::{Empty, Ticket};
use crate::request_id;
use crate::routes::{CallHandler, Found, Handled, Handler};

/// What is known of a request as it goes its way; the log and the answer's headers tell it.
#[derive(Debug)]
pub(crate) struct Trail {
    pub(crate) request_id: String,
    pub(crate) application: OnceCell<ApplicationId>,
    pub(crate) ticket: OnceCell<Ticket>,
    route: Cell<&'static str>,
    method: Method,
    correlation: Option<HeaderValue>,
    started: Timestamp,
}

impl Trail {
    fn new(api: &Api, request: &Request) -> Self {
        Self {
            request_id: api.request_ids.next(),
            application: OnceCell::new(),
            ticket: OnceCell::new(),
            route: Cell::new("-"),
            method: request.method().clone(),
            correlation: request_id::echoed(&request.head().headers, &api.headers.correlation).cloned(),
            started: api.now(),
        }
    }
}

/// Answers a request, whatever happens.
pub(crate) async fn answer(api: Arc<Api>, request: Request, payload: Payload) -> HttpResponse {
    let trail = Rc::new(Trail::new(&api, &request));
    let incoming = Incoming::new(Arc::clone(&api), Rc::clone(&trail), request, payload);
    let handled = AssertUnwindSafe(handle(incoming)).catch_unwind().await;
    let answered = handled.unwrap_or_else(|panic| Err(Failure::Bug(panic_message(panic.as_ref()).into())));
    let mut response = answered.unwrap_or_else(|failure| failure.into_response(&trail.request_id));
    let now = api.now();
    write_headers(response.headers_mut(), &api, &trail, now);
    log(response.status(), &trail, now);
    if trail.method == Method::HEAD {
        return response.set_body(actix_web::body::None::new()).map_into_boxed_body();
    }
    response
}

/// Finds the request's handler and asks it.
async fn handle(incoming: Incoming) -> Handled {
    let api = Arc::clone(&incoming.api);
    let trail = Rc::clone(&incoming.trail);
    refuse_oversized(&incoming)?;
    let Found { route, company } = api.routes.find(incoming.path()).ok_or(Reason::UnknownResource)?;
    trail.route.set(route.path());
    if incoming.method() == Method::OPTIONS {
        return Ok(HttpResponse::NoContent().insert_header((ALLOW, route.allow())).finish());
    }
    let Some(handler) = route.handler(incoming.method()) else {
        return Err(Failure::from(Reason::MethodUnsupported).allowing(route.allow()));
    };
    let handled = match handler {
        Handler::Open(answer) => answer(incoming).await,
        Handler::ForCaller(scope, answer) => {
            let target = Target { scope: *scope, company, unknown_company: route.unknown_company() };
            call(incoming, target, answer).await
        }
    };
    handled.map_err(|failure| failure.allowing(route.allow()))
}

/// Finds out who sent the request and whether that is not too often, and asks the handler.
async fn call(incoming: Incoming, target: Target, answer: &CallHandler) -> Handled {
    let api = &incoming.api;
    let now = api.now();
    let caller = api.tokens.authenticate(incoming.headers(), now)?;
    let (ticket, taken) = api.limiter.take(caller.application_id.as_str(), now);
    // Nothing has set them before: each request comes here once.
    let _ = incoming.trail.application.set(caller.application_id.clone());
    let _ = incoming.trail.ticket.set(ticket.clone());
    taken.map_err(too_many_requests)?;
    answer(Call { incoming, caller, target, ticket }).await
}

/// 429 API-429.
pub(crate) fn too_many_requests(empty: Empty) -> Failure {
    Failure::from(Reason::TooManyRequests).retry_after(empty.retry_after_seconds)
}

/// Refuses a target or headers that are larger than any request needs.
fn refuse_oversized(incoming: &Incoming) -> Result<(), Failure> {
    if incoming.path().len() + incoming.raw_query().len() > MAX_TARGET_BYTES {
        return Err(Reason::UriTooLong.into());
    }
    let bytes: usize = incoming.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > MAX_HEADER_BYTES { Err(Reason::HeadersTooLarge.into()) } else { Ok(()) }
}

/// Adds what every answer has.
fn write_headers(answer: &mut HeaderMap, api: &Api, trail: &Trail, now: Timestamp) {
    answer.insert(VARY, HeaderValue::from_static("Accept"));
    if let Ok(id) = HeaderValue::from_str(&trail.request_id) {
        answer.insert(api.headers.request_id.clone(), id);
    }
    if let Some(correlation) = &trail.correlation {
        answer.insert(api.headers.correlation.clone(), correlation.clone());
    }
    if let Some(ticket) = trail.ticket.get() {
        ticket.write_headers(answer, now);
    }
}

/// One line for each request; never its query, its token or its body.
fn log(status: StatusCode, trail: &Trail, now: Timestamp) {
    let micros = now.as_micros().saturating_sub(trail.started.as_micros()).max(0);
    tracing::info!(
        request_id = trail.request_id,
        application = trail.application.get().map(ApplicationId::as_str),
        method = trail.method.as_str(),
        route = trail.route.get(),
        status = status.as_u16(),
        duration_us = micros,
        "request"
    );
}

/// The line of a request that could not be read.
pub(crate) fn log_unheard(request_id: &str, status: StatusCode) {
    tracing::info!(request_id, route = "-", status = status.as_u16(), "request");
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panicked: {}", text.unwrap_or("without a message"))
}
