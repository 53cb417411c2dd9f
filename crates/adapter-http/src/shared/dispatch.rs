//! Processes one request: request id, route, caller, handler, common headers of the response, log line. The
//! partner API and the operator API each implement their own authentication and rate limits.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{Payload, Request};
use actix_web::HttpResponse;
use actix_web::error::PayloadError;
use actix_web::http::header::{
    ALLOW, CACHE_CONTROL, HeaderMap, HeaderValue, STRICT_TRANSPORT_SECURITY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use payroll_domain::code::Reason;
use payroll_domain::id::ApplicationId;
use payroll_ports::api_calls::AgentRequestHandler;
use tracing::Instrument;
use tracing::field::Empty;

use crate::shared::agents::{self, AgentCaller};
use crate::shared::api::ListenerState;
use crate::shared::conditional_response;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::IDEMPOTENT_REPLAYED;
use crate::shared::incoming::IncomingRequest;
use crate::shared::limits::{MAX_HEADER_BYTES, MAX_TARGET_BYTES};
use crate::shared::preference;
use crate::shared::request_context::RequestContext;
use crate::shared::request_log::{self, EndedRequest};
use crate::shared::route_table::{PathIds, Route, RouteMatch, RouteMethod, RouteTable};
use crate::shared::service::ServiceHandler;
use crate::transport::connection::{ConnectionState, NO_SNIFFING_VALUE};
use crate::transport::host::{ConnectionHost, RequestHandler};

/// The value of `Strict-Transport-Security`: browsers use only TLS for this host for one year (RFC 6797).
/// Subdomains are not included, because other organizations may operate the subdomains.
const STRICT_TRANSPORT_SECURITY_VALUE: &str = "max-age=31536000";

/// One of the two APIs (partners or operators), with its authentication and its handlers.
pub(crate) trait ListenerApi: Send + Sync + 'static {
    /// The handler of one method of a path.
    type Handler;

    /// Returns the state that all requests of this API's listener share.
    fn api(&self) -> &Arc<ListenerState>;

    /// Returns the operations of this API by path.
    fn routes(&self) -> &RouteTable<Self::Handler>;

    /// Returns the paths of this API's listener that are not API operations, such as the console.
    fn services(&self) -> &RouteTable<ServiceHandler>;

    /// Returns the handler of MCP messages, if this listener serves MCP.
    fn agents(&self) -> Option<&Arc<dyn AgentRequestHandler>>;

    /// Authenticates the sender of an MCP message.
    ///
    /// # Errors
    /// The errors of any operation for an invalid caller, and 429 API-429.
    async fn authenticate_agent(&self, incoming: &IncomingRequest) -> Result<AgentCaller, Failure>;

    /// Authenticates the caller, rejects unknown query parameters, and calls the handler. In a sandbox, this
    /// function also simulates the fault that the request asks for (`sandbox_fault`).
    async fn call_operation(
        self: &Arc<Self>,
        operation: &RouteMethod<Self::Handler>,
        ids: PathIds,
        incoming: IncomingRequest,
    ) -> HandlerResult;

    /// Runs for each request of a known application, after the response was created. The default does
    /// nothing.
    fn on_request_ended(&self, _: EndedRequest<'_>) {}
}

impl<S: ListenerApi> RequestHandler for S {
    fn host(&self) -> Arc<dyn ConnectionHost> {
        Arc::clone(self.api()) as Arc<dyn ConnectionHost>
    }

    async fn handle(
        self: Arc<Self>,
        request: Request,
        payload: Payload,
        connection: Rc<ConnectionState>,
    ) -> HttpResponse {
        respond_and_log(self, request, payload, connection).await
    }
}

/// Responds to a request and writes its log line. Failures and panics also get a response.
async fn respond_and_log<S: ListenerApi>(
    listener: Arc<S>,
    request: Request,
    payload: Payload,
    connection: Rc<ConnectionState>,
) -> HttpResponse {
    let metrics = &listener.api().metrics;
    let under_way = metrics.begin_request();
    // The fields with the value `Empty` are recorded when their values are known. Without a tracing
    // subscriber, the span costs nothing.
    let span = tracing::info_span!(
        target: "payroll_trace",
        "request",
        traceparent = request_log::traceparent(&request.head().headers),
        "http.request.method" = request.method().as_str(),
        "http.route" = Empty,
        "http.response.status_code" = Empty,
        "payroll.request_id" = Empty,
    );
    let (response, context) =
        respond_to_request(&listener, request, payload, connection).instrument(span.clone()).await;
    span.record("http.route", context.route.get());
    span.record("http.response.status_code", response.status().as_u16());
    span.record("payroll.request_id", &context.request_id);
    drop((under_way, span));
    let micros = context.elapsed_micros(listener.api().monotonic_time());
    metrics.record_response(context.route.get(), &context.method, response.status(), micros);
    if !context.is_service_path.get() {
        let status = response.status();
        let counted = [true, status.is_client_error(), status.is_server_error()];
        listener.api().all_metrics.minutes.increment(context.started_at, counted);
    }
    if response.headers().contains_key(&IDEMPOTENT_REPLAYED) {
        metrics.replays.increment();
    }
    log_request(response.status(), &context, micros);
    if let Some(application_id) = context.application.get().filter(|_| !context.is_service_path.get()) {
        listener.on_request_ended(EndedRequest {
            application_id,
            notification_id: context.notification.as_deref(),
            at: context.started_at,
            micros,
            method: &context.method,
            route: context.route.get(),
            company_id: context.company.get(),
            status: response.status(),
            reasons: context.reasons.get().map_or(&[], Vec::as_slice),
            request_id: &context.request_id,
            correlation: context.correlation.as_ref(),
            details: context.details.get(),
        });
    }
    response
}

/// Responds to a request, and converts failures and panics to error responses. Returns the response together
/// with the request's context.
pub(crate) async fn respond_to_request<S: ListenerApi>(
    listener: &Arc<S>,
    request: Request,
    payload: Payload,
    connection: Rc<ConnectionState>,
) -> (HttpResponse, Rc<RequestContext>) {
    let api = Arc::clone(listener.api());
    let context = Rc::new(RequestContext::new(&api, &request));
    let incoming =
        IncomingRequest::new(Arc::clone(&api), Rc::clone(&context), request, (payload, connection));
    let handled = AssertUnwindSafe(handle_request(listener, incoming)).catch_unwind().await;
    let answered = handled.unwrap_or_else(|panic| Err(Failure::Bug(panic_message(panic.as_ref()).into())));
    let mut response = answered.unwrap_or_else(|failure| {
        // `OnceCell::set` fails only if the cell already has a value. The reasons are set only here, at
        // most once for each request, so the cell is empty.
        let _ = context.reasons.set(failure.reasons());
        let errors =
            (api.settings.request_details && context.application.get().is_some()).then(|| failure.errors());
        let response = failure.into_response(&context.request_id);
        if let Some(errors) = errors.filter(|_| request_log::has_details(response.status())) {
            context.set_details(errors);
        }
        response
    });
    response = conditional_response::reserve_memory(response, &api, &context);
    write_common_headers(response.headers_mut(), &api, &context, api.monotonic_time());
    if context.method == Method::HEAD {
        response = response.set_body(actix_web::body::None::new()).map_into_boxed_body();
    }
    (response, context)
}

/// Finds the handler of the request and calls it.
async fn handle_request<S: ListenerApi>(listener: &Arc<S>, incoming: IncomingRequest) -> HandlerResult {
    reject_oversized_head(&incoming)?;
    let Some(RouteMatch { route, ids }) = listener.routes().match_route(incoming.path()) else {
        return match listener.agents().filter(|_| incoming.path() == agents::MCP_PATH) {
            Some(protocol) => serve_agents(listener, protocol, incoming).await,
            None => serve_service_path(listener.services(), incoming).await,
        };
    };
    incoming.context.route.set(route.path());
    let address = incoming.uri();
    let handled = match find_operation(route, &incoming) {
        ControlFlow::Continue(operation) => {
            incoming.context.has_personal_data.set(operation.personal);
            listener.call_operation(operation, ids, incoming).await
        }
        ControlFlow::Break(response) => response,
    };
    handled.map_err(|failure| {
        failure
            .with_allow_header(route.allow_header())
            .with_unknown_id(|| route.unknown_descriptions_in(address.path()))
    })
}

/// Responds to a request for a path that is not an operation of the API.
async fn serve_service_path(
    services: &RouteTable<ServiceHandler>,
    incoming: IncomingRequest,
) -> HandlerResult {
    let RouteMatch { route, .. } = services.match_route(incoming.path()).ok_or(Reason::UnknownResource)?;
    incoming.context.route.set(route.path());
    incoming.context.is_service_path.set(true);
    let handled = match find_operation(route, &incoming) {
        ControlFlow::Continue(operation) => (operation.handler)(incoming).await,
        ControlFlow::Break(response) => response,
    };
    handled.map_err(|failure| failure.with_allow_header(route.allow_header()))
}

/// Responds to an MCP message.
async fn serve_agents<S: ListenerApi>(
    listener: &Arc<S>,
    protocol: &Arc<dyn AgentRequestHandler>,
    incoming: IncomingRequest,
) -> HandlerResult {
    let route = agents::agent_route();
    incoming.context.route.set(route.path());
    incoming.context.is_service_path.set(true);
    let handled = match find_operation(&route, &incoming) {
        ControlFlow::Continue(_) => {
            async {
                agents::check_origin(&incoming)?;
                let agent = listener.authenticate_agent(&incoming).await?;
                agents::respond_to_message(protocol, incoming, agent, &|request, body| {
                    execute_agent_call(listener, request, body)
                })
                .await
            }
            .await
        }
        ControlFlow::Break(response) => response,
    };
    handled.map_err(|failure| failure.with_allow_header(route.allow_header()))
}

/// Executes a request that MCP created in this process.
fn execute_agent_call<S: ListenerApi>(
    listener: &Arc<S>,
    request: Request,
    body: Vec<u8>,
) -> LocalBoxFuture<'static, HttpResponse> {
    let part = Some(Bytes::from(body)).filter(|bytes| !bytes.is_empty());
    let body = stream::iter(part.map(Ok::<_, PayloadError>)).boxed_local();
    respond_and_log(Arc::clone(listener), request, Payload::from(body), Rc::default()).boxed_local()
}

/// Returns the operation for the request's method, or the response if no handler is needed (OPTIONS or 405).
fn find_operation<'r, H>(
    route: &'r Route<H>,
    incoming: &IncomingRequest,
) -> ControlFlow<HandlerResult, &'r RouteMethod<H>> {
    if incoming.method() == Method::OPTIONS {
        return ControlFlow::Break(Ok(HttpResponse::NoContent()
            .insert_header((ALLOW, route.allow_header()))
            .finish()));
    }
    match route.operation(incoming.method()) {
        Some(operation) => ControlFlow::Continue(operation),
        None => ControlFlow::Break(Err(Reason::MethodUnsupported.into())),
    }
}

/// Rejects a request whose target or headers exceed the limits.
fn reject_oversized_head(incoming: &IncomingRequest) -> Result<(), Failure> {
    if incoming.path().len() + incoming.raw_query().len() > MAX_TARGET_BYTES {
        return Err(Reason::UriTooLong.into());
    }
    let bytes: usize = incoming.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > MAX_HEADER_BYTES { Err(Reason::HeadersTooLarge.into()) } else { Ok(()) }
}

/// Adds the headers of every response.
fn write_common_headers(
    response: &mut HeaderMap,
    api: &ListenerState,
    context: &RequestContext,
    now: Duration,
) {
    // `append` keeps an existing value of `Vary`. For a compressed file, this value is `Accept-Encoding`.
    response.append(VARY, HeaderValue::from_static("Accept"));
    if context.accepts_stale.get() {
        preference::add_preference_applied(response);
    }
    response.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static(NO_SNIFFING_VALUE));
    if api.settings.https_only {
        response.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(STRICT_TRANSPORT_SECURITY_VALUE));
    }
    if context.has_personal_data.get() {
        response.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let Ok(id) = HeaderValue::from_str(&context.request_id) {
        response.insert(api.headers.request_id.clone(), id);
    }
    if let Some(correlation) = &context.correlation {
        response.insert(api.headers.correlation.clone(), correlation.clone());
    }
    if let Some(ticket) = context.ticket.get() {
        ticket.write_headers(response, now);
    }
}

/// Writes one log line for each request. The line never contains the query, the token or the body.
fn log_request(status: StatusCode, context: &RequestContext, micros: u64) {
    if context.is_service_path.get() {
        let (request_id, method, route) = (&context.request_id, context.method.as_str(), context.route.get());
        tracing::debug!(request_id, method, route, status = status.as_u16(), duration_us = micros, "request");
        return;
    }
    tracing::info!(
        request_id = context.request_id,
        application = context.application.get().map(ApplicationId::as_str),
        operator = context.operator.get().map(String::as_str),
        via = context.via,
        method = context.method.as_str(),
        route = context.route.get(),
        status = status.as_u16(),
        duration_us = micros,
        "request"
    );
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panicked: {}", text.unwrap_or("without a message"))
}
