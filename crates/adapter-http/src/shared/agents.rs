//! Serves `/mcp`: the Model Context Protocol (MCP), through which agents call the API of the listener.
//!
//! The listener authenticates the caller and reads the message. Another crate implements the protocol. Each
//! API call of the message becomes a request to this listener with the caller's own credentials. API calls
//! therefore have the same authorization, validation, rate limits, audit log and request log as other
//! requests.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use actix_http::{HttpMessage, Request};
use actix_web::HttpResponse;
use actix_web::body::MessageBody;
use actix_web::http::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, FORWARDED, HOST, HeaderMap,
    HeaderName, HeaderValue, IF_MATCH, ORIGIN,
};
use actix_web::http::{Method, StatusCode, Uri};
use actix_web::web::Bytes;
use async_trait::async_trait;
use futures_util::future::LocalBoxFuture;
use payroll_domain::access::Scopes;
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;
use payroll_ports::BoxError;
use payroll_ports::api_calls::{AgentRequestHandler, ApiCaller, ApiRequest, ApiResponse};
use tokio::sync::{mpsc, oneshot};

use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::rate_limit::RateLimitCharge;
use crate::shared::request_context::RequestProtocol;
use crate::shared::route_table::{Route, route};

/// The path of MCP on each listener.
pub(crate) const MCP_PATH: &str = "/mcp";

/// The value of `via` in the log, and the prefix of the correlation ids of API calls that MCP makes.
const PROTOCOL_NAME: &str = "mcp";

/// The maximum number of API calls that wait for the listener. One is enough, because MCP sends the API calls
/// of a message one after another.
const MAX_QUEUED_CALLS: usize = 1;

/// The headers of an MCP message that are copied to its API calls: the credentials, and the proxies' reports
/// about the client. `host` is included because the links in responses begin with it.
static COPIED_HEADERS: [HeaderName; 7] = [
    AUTHORIZATION,
    HOST,
    FORWARDED,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-forwarded-proto"),
    HeaderName::from_static("traceparent"),
];

/// The headers that MCP may set on an API call. Only the listener sets credentials.
static HEADERS_SET_BY_MCP: [HeaderName; 4] =
    [ACCEPT, CONTENT_TYPE, IF_MATCH, HeaderName::from_static("idempotency-key")];

/// Sends a request with this body to the same listener and returns the response.
pub(crate) type CallSender<'s> = &'s dyn Fn(Request, Vec<u8>) -> LocalBoxFuture<'static, HttpResponse>;

/// Returns the route of MCP, which accepts only POST, because this server has no MCP sessions.
pub(crate) fn agent_route() -> Route<()> {
    route(MCP_PATH).with_method("POST", ())
}

/// Verifies that no web page of another origin sent the message, as MCP requires.
///
/// # Errors
/// 403 API-2 if the header `Origin` names another origin.
pub(crate) fn check_origin(incoming: &IncomingRequest) -> Result<(), Failure> {
    let mut origins = incoming.headers().get_all(ORIGIN);
    match origins.next() {
        None => Ok(()),
        Some(origin) if origins.next().is_none() && is_own_origin(origin, incoming) => Ok(()),
        Some(_) => {
            let description = "the header Origin names another origin than this server";
            Err(Violation::new(Reason::NotAuthorized, description).into())
        }
    }
}

/// Whether an origin is the configured URL of the server or the server's own address. The header `Host` is
/// not used, because an attacker can point another host name to this address (DNS rebinding).
fn is_own_origin(origin: &HeaderValue, incoming: &IncomingRequest) -> bool {
    let api = &incoming.api;
    let Some(origin) = origin.to_str().ok().and_then(origin_parts) else { return false };
    if let Some(configured) = api.settings.public_base_url.as_deref().and_then(origin_parts) {
        return configured == origin;
    }
    let scheme = api.scheme.as_str();
    let ip = api.address.ip();
    let addresses = [ip, IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let is_reached = |it: &IpAddr| *it == ip || ip.is_unspecified();
    let mut own: Vec<String> = addresses
        .iter()
        .filter(|it| is_reached(it))
        .map(|it| format!("{scheme}://{}", SocketAddr::new(*it, api.address.port())))
        .collect();
    if ip.is_loopback() || ip.is_unspecified() {
        own.push(format!("{scheme}://localhost:{}", api.address.port()));
    }
    own.iter().any(|own| origin_parts(own).as_ref() == Some(&origin))
}

/// Returns the scheme, host and port of a URL, with the standard port if the URL has none.
fn origin_parts(url: &str) -> Option<(String, String, Option<u16>)> {
    let uri: Uri = url.parse().ok()?;
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let standard_port = match scheme.as_str() {
        "https" => Some(443),
        "http" => Some(80),
        _ => None,
    };
    let port = uri.port_u16().or(standard_port);
    Some((scheme, uri.host()?.to_ascii_lowercase(), port))
}

/// The authenticated sender of an MCP message, and the permissions of its token.
pub(crate) struct AgentCaller {
    /// The charge of the message against the caller's rate limit. This charge can be refunded.
    pub(crate) ticket: Option<RateLimitCharge>,
    /// The scopes of the caller's token.
    pub(crate) scopes: Option<Scopes>,
}

/// Handles an MCP message. Each API call of the message is charged against the rate limit separately. The
/// first call refunds the charge of the message itself, so a message without calls costs as much as one call.
///
/// # Errors
/// The message is too large, arrives too slowly, or there is no memory for it.
pub(crate) async fn respond_to_message(
    protocol: &Arc<dyn AgentRequestHandler>,
    mut incoming: IncomingRequest,
    AgentCaller { mut ticket, scopes }: AgentCaller,
    send: CallSender<'_>,
) -> HandlerResult {
    let body = incoming.read_document_body(Reason::BodyTooLarge).await?;
    let (sender, mut calls) = mpsc::channel(MAX_QUEUED_CALLS);
    let mut answering =
        protocol.handle(to_mcp_request(&incoming, &body), Arc::new(CallQueue { calls: sender, scopes }));
    loop {
        tokio::select! {
            response = &mut answering => return Ok(http_response(response)),
            Some((request, reply)) = calls.recv() => {
                if let Some(ticket) = ticket.take() {
                    ticket.refund_tokens();
                }
                let response = execute_call(&incoming, request, send).await;
                // `send` fails only if MCP no longer waits for the response, so its result is ignored.
                let _ = reply.send(response);
            }
        }
    }
}

/// An API call of an MCP message, and the channel for its response.
type PendingCall = (ApiRequest, oneshot::Sender<Result<ApiResponse, BoxError>>);

/// Passes API calls to the thread of the connection. The requests of a listener stay on their thread, but MCP
/// may run on any thread.
struct CallQueue {
    calls: mpsc::Sender<PendingCall>,
    scopes: Option<Scopes>,
}

#[async_trait]
impl ApiCaller for CallQueue {
    async fn call(&self, request: ApiRequest) -> Result<ApiResponse, BoxError> {
        let (reply, response) = oneshot::channel();
        self.calls.send((request, reply)).await.map_err(|_| "the request has ended")?;
        response.await.map_err(|_| "the request has ended")?
    }

    fn scopes(&self) -> Option<Scopes> {
        self.scopes
    }
}

/// Converts the message for MCP and removes its credentials.
fn to_mcp_request(incoming: &IncomingRequest, body: &Bytes) -> ApiRequest {
    let shown = |(name, _): &(&HeaderName, &HeaderValue)| *name != AUTHORIZATION && *name != COOKIE;
    let text = |(name, value): (&HeaderName, &HeaderValue)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    };
    let headers = incoming.headers().iter().filter(shown).filter_map(text);
    ApiRequest {
        method: incoming.method().as_str().to_owned(),
        target: incoming.uri().to_string(),
        headers: headers.collect(),
        body: body.to_vec(),
    }
}

/// Sends an API call to the listener and reads the response.
async fn execute_call(
    incoming: &IncomingRequest,
    request: ApiRequest,
    send: CallSender<'_>,
) -> Result<ApiResponse, BoxError> {
    let http = http_request(incoming, &request)?;
    let response = send(http, request.body.clone()).await;
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = response.headers().iter().map(|(name, value)| (name.to_string(), text(value)));
    let (status, headers) = (response.status().as_u16(), headers.collect());
    Ok(ApiResponse { status, headers, body: read_full_body(&request, response.into_body()).await? })
}

/// Creates the HTTP request of an API call, with the credentials of the MCP message.
fn http_request(incoming: &IncomingRequest, call: &ApiRequest) -> Result<Request, BoxError> {
    let uri = Uri::try_from(call.target.as_str())?;
    if uri.path() == MCP_PATH || uri.authority().is_some() {
        return Err("the protocol does not call itself or another server".into());
    }
    let mut headers = HeaderMap::new();
    for name in &COPIED_HEADERS {
        incoming.headers().get_all(name).for_each(|value| headers.append(name.clone(), value.clone()));
    }
    for (name, value) in &call.headers {
        let name = HeaderName::try_from(name.as_str())?;
        if HEADERS_SET_BY_MCP.contains(&name) {
            headers.insert(name, HeaderValue::try_from(value.as_str())?);
        }
    }
    let correlation = match incoming.context.correlation_id() {
        Some(sent) => sent.clone(),
        None => HeaderValue::try_from(format!("{PROTOCOL_NAME}-{}", incoming.context.request_id))?,
    };
    headers.insert(incoming.api.headers.correlation.clone(), correlation);
    let mut request = Request::new();
    let head = request.head_mut();
    head.method = Method::from_bytes(call.method.as_bytes())?;
    head.uri = uri;
    head.headers = headers;
    head.peer_addr = incoming.peer_address();
    request.extensions_mut().insert(RequestProtocol(PROTOCOL_NAME));
    Ok(request)
}

/// Reads the complete body of the response to an API call.
async fn read_full_body(call: &ApiRequest, body: impl MessageBody) -> Result<Vec<u8>, BoxError> {
    let mut body = std::pin::pin!(body);
    let mut bytes = Vec::new();
    while let Some(part) = std::future::poll_fn(|context| body.as_mut().poll_next(context)).await {
        let part = part.map_err(|error| BoxError::from(error.into().to_string()))?;
        call.append_chunk(&mut bytes, &part)?;
    }
    Ok(bytes)
}

/// Creates the response to the client. Caches must not store it, because it may contain personal data.
fn http_response(reply: ApiResponse) -> HttpResponse {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    for (name, value) in &reply.headers {
        // The transport computes `Content-Length` from the body, so this header of the API response is not
        // copied.
        if *name != CONTENT_LENGTH.as_str() {
            response.append_header((name.as_str(), value.as_str()));
        }
    }
    response.insert_header((CACHE_CONTROL, "no-store"));
    if reply.body.is_empty() { response.finish() } else { response.body(reply.body) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_compared_by_scheme_host_and_port() {
        assert_eq!(
            origin_parts("https://api.example.org/payroll"),
            origin_parts("HTTPS://API.example.org:443")
        );
        assert_ne!(origin_parts("https://api.example.org"), origin_parts("http://api.example.org"));
        assert_ne!(origin_parts("http://127.0.0.1:8080"), origin_parts("http://127.0.0.1:8081"));
        assert_eq!(origin_parts("null"), None);
    }
}
