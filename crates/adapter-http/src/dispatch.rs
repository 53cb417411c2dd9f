//! One request, from its head to its answer: id, route, caller, handler; then the headers that
//! every answer has, and the line in the log. Who may call, and how often, each side decides.

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
use crate::error::Failure;
use crate::incoming::Incoming;
use crate::limits::{MAX_HEADER_BYTES, MAX_TARGET_BYTES};
use crate::rate_limit::Ticket;
use crate::request_id;
use crate::request_log::{self, EndedRequest};
use crate::route_table::{Found, PathIds, RouteTable};
use crate::routes::Handled;

/// What is known of a request as it goes its way; the log and the answer's headers tell it.
#[derive(Debug)]
pub(crate) struct Trail {
    pub(crate) request_id: String,
    pub(crate) application: OnceCell<ApplicationId>,
    /// The name of the operator key, or of the command.
    pub(crate) operator: OnceCell<String>,
    pub(crate) ticket: OnceCell<Ticket>,
    route: Cell<&'static str>,
    method: Method,
    correlation: Option<HeaderValue>,
    /// The notification that made the caller ask, as it was named.
    notification: Option<String>,
    started: Timestamp,
}

impl Trail {
    fn new(api: &Api, request: &Request) -> Self {
        Self {
            request_id: api.request_ids.next(),
            application: OnceCell::new(),
            operator: OnceCell::new(),
            ticket: OnceCell::new(),
            route: Cell::new("-"),
            method: request.method().clone(),
            correlation: request_id::echoed(&request.head().headers, &api.headers.correlation).cloned(),
            notification: request_log::named(&request.head().headers, &api.headers.notification),
            started: api.now(),
        }
    }
}

/// One side of the server: who may call it, and what answers.
pub(crate) trait Side: Send + Sync + 'static {
    /// What answers a method of a path.
    type Handler;

    /// What its requests share with those of every side.
    fn api(&self) -> &Arc<Api>;

    /// Its paths.
    fn routes(&self) -> &RouteTable<Self::Handler>;

    /// Finds out who calls, and asks the handler.
    async fn call(self: &Arc<Self>, handler: &Self::Handler, ids: PathIds, incoming: Incoming) -> Handled;

    /// Is told of each request of a known application when it is answered.
    fn ended(&self, _: EndedRequest<'_>) {}
}

/// Answers a request, whatever happens, and writes its line into the log.
pub(crate) async fn answer<S: Side>(side: Arc<S>, request: Request, payload: Payload) -> HttpResponse {
    let (response, trail) = respond(&side, request, payload).await;
    log(response.status(), &trail, side.api().now());
    if let Some(application_id) = trail.application.get() {
        side.ended(EndedRequest {
            application_id,
            notification_id: trail.notification.as_deref(),
            at: trail.started,
            method: trail.method.as_str(),
            route: trail.route.get(),
            status: response.status(),
            request_id: &trail.request_id,
        });
    }
    response
}

/// Answers a request, whatever happens; and what is known of it.
pub(crate) async fn respond<S: Side>(
    side: &Arc<S>,
    request: Request,
    payload: Payload,
) -> (HttpResponse, Rc<Trail>) {
    let api = Arc::clone(side.api());
    let trail = Rc::new(Trail::new(&api, &request));
    let incoming = Incoming::new(Arc::clone(&api), Rc::clone(&trail), request, payload);
    let handled = AssertUnwindSafe(handle(side, incoming)).catch_unwind().await;
    let answered = handled.unwrap_or_else(|panic| Err(Failure::Bug(panic_message(panic.as_ref()).into())));
    let mut response = answered.unwrap_or_else(|failure| failure.into_response(&trail.request_id));
    write_headers(response.headers_mut(), &api, &trail, api.now());
    if trail.method == Method::HEAD {
        response = response.set_body(actix_web::body::None::new()).map_into_boxed_body();
    }
    (response, trail)
}

/// Finds the request's handler and asks it.
async fn handle<S: Side>(side: &Arc<S>, incoming: Incoming) -> Handled {
    refuse_oversized(&incoming)?;
    let Found { route, ids } = side.routes().find(incoming.path()).ok_or(Reason::UnknownResource)?;
    incoming.trail.route.set(route.path());
    if incoming.method() == Method::OPTIONS {
        return Ok(HttpResponse::NoContent().insert_header((ALLOW, route.allow())).finish());
    }
    let Some(handler) = route.handler(incoming.method()) else {
        return Err(Failure::from(Reason::MethodUnsupported).allowing(route.allow()));
    };
    let handled = side.call(handler, ids, incoming).await;
    handled.map_err(|failure| failure.allowing(route.allow()))
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
        operator = trail.operator.get().map(String::as_str),
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
