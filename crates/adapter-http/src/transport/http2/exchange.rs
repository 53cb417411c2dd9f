//! One request of an HTTP/2 connection. The request is converted to the type of the HTTP library, and its
//! response is converted to HTTP/2.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, UNIX_EPOCH};

use actix_http::{BoxedPayloadStream, Payload, Request};
use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::error::PayloadError;
use actix_web::http::header::{
    EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::http::{Method, Uri, Version};
use actix_web::web::Bytes;
use futures_util::Stream;
use h2::server::SendResponse;
use h2::{Reason, RecvStream, SendStream};
use payroll_domain::violation::Violation;

use crate::transport::connection::{AnnouncedBody, ConnectionState, NO_SNIFFING_VALUE};
use crate::transport::host::{ConnectionHost, Rejection, RequestHandler};
use crate::transport::memory::ReservedMemory;

/// The number of bytes that are sent at a time: the size of a frame.
const MAX_FRAME_BYTES: usize = 16 * 1024;
/// Headers of an HTTP/1.1 connection, which are not allowed in HTTP/2 (RFC 9113 §8.2.2).
const CONNECTION_HEADERS: [&str; 5] =
    ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/// A request that has no response yet.
pub(super) struct RequestExchange<H> {
    pub(super) handler: Arc<H>,
    pub(super) peer: Option<SocketAddr>,
    pub(super) response_sender: SendResponse<Bytes>,
    /// The memory of the request, which is reserved until the client has read the response.
    pub(super) memory: ReservedMemory,
}

/// A chunk of a response that HTTP/2 buffers until the client reads it. The memory of the request stays
/// reserved until then.
struct BufferedChunk {
    bytes: Bytes,
    _memory: Arc<ReservedMemory>,
}

impl AsRef<[u8]> for BufferedChunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<H: RequestHandler> RequestExchange<H> {
    /// Rejects a request without calling a handler.
    pub(super) fn reject(mut self, fault: Violation) {
        let host = self.handler.host();
        let Rejection { request_id, response } = host.create_rejection(fault);
        let mut head = response_head(&response, host.as_ref());
        append_header(head.headers_mut(), host.request_id_header().as_str(), request_id.as_bytes());
        append_header(head.headers_mut(), VARY.as_str(), b"Accept");
        append_header(head.headers_mut(), X_CONTENT_TYPE_OPTIONS.as_str(), NO_SNIFFING_VALUE.as_bytes());
        // The error envelope is always complete. If the client has disconnected, sending fails and needs no
        // handling.
        let body = response.into_body().try_into_bytes().unwrap_or_default();
        if let Ok(mut stream) = self.response_sender.send_response(head, false) {
            let _ = stream.send_data(body, true);
        }
    }

    /// Handles the request and responds, unless the client cancels the request.
    pub(super) async fn respond(mut self, request: http::Request<RecvStream>) {
        let Some((request, payload)) = into_library_request(request, self.peer) else {
            return self.response_sender.send_reset(Reason::PROTOCOL_ERROR);
        };
        let is_head = request.method() == Method::HEAD;
        let state = Rc::<ConnectionState>::default();
        let expects_continue = request.head().headers.get(EXPECT);
        let expects_continue =
            expects_continue.is_some_and(|it| it.as_bytes().eq_ignore_ascii_case(b"100-continue"));
        // The announced body length only limits how far an HTTP/1.1 connection reads ahead. In HTTP/2, flow
        // control has this role, so no body is announced.
        let unanswered = state.begin_request(expects_continue, AnnouncedBody::None);
        let mut handling = pin!(Arc::clone(&self.handler).handle(request, payload, Rc::clone(&state)));
        let response = poll_fn(|context| {
            if let Poll::Ready(response) = handling.as_mut().poll(context) {
                return Poll::Ready(Some(response));
            }
            if state.take_pending_continue() {
                // If the client has disconnected, `send_informational` fails. The result is ignored,
                // because `poll_reset` detects the disconnection.
                let _ = self.response_sender.send_informational(continue_response());
            }
            self.response_sender.poll_reset(context).map(|_| None)
        })
        .await;
        unanswered.record_response_created();
        let Some(response) = response else { return };
        if state.closes_without_response() {
            return self.response_sender.send_reset(Reason::INTERNAL_ERROR);
        }
        // `send` fails only if the client has disconnected, so its result is ignored.
        let _ = self.send(response, is_head).await;
    }

    /// Sends head and body. If the body fails, the stream is reset, so that the client detects an incomplete
    /// response.
    async fn send(self, response: HttpResponse, is_head: bool) -> Result<(), h2::Error> {
        let host = self.handler.host();
        let size = response.body().size();
        let bodiless = is_head || size.is_eof();
        let Self { response_sender: mut respond, memory, .. } = self;
        let mut stream = respond.send_response(response_head(&response, host.as_ref()), bodiless)?;
        if bodiless {
            return Ok(());
        }
        let memory = Arc::new(memory);
        let mut body = pin!(response.into_body());
        let patience = host.settings().write_timeout();
        while let Some(chunk) = next_chunk(&mut stream, body.as_mut()).await? {
            let Ok(chunk) = chunk else {
                stream.send_reset(Reason::INTERNAL_ERROR);
                return Ok(());
            };
            let part = BufferedChunk { bytes: chunk, _memory: Arc::clone(&memory) };
            send_chunk(&mut stream, Bytes::from_owner(part), patience).await?;
        }
        stream.send_data(Bytes::new(), true)
    }
}

/// Returns the response after which a client sends its body (RFC 9110 §15.2.1).
fn continue_response() -> http::Response<()> {
    let mut head = http::Response::new(());
    *head.status_mut() = http::StatusCode::CONTINUE;
    head
}

/// A part of a body, or the error with which the body ended.
type BodyChunk = Result<Bytes, Box<dyn std::error::Error>>;

/// Returns the next part of a body; an error if the client cancels the request.
async fn next_chunk(
    stream: &mut SendStream<Bytes>,
    mut body: Pin<&mut BoxBody>,
) -> Result<Option<BodyChunk>, h2::Error> {
    tokio::select! {
        part = poll_fn(|context| body.as_mut().poll_next(context)) => Ok(part),
        reset = poll_fn(|context| stream.poll_reset(context)) => Err(reset?.into()),
    }
}

/// Sends a part of a body as fast as the client reads it. The time limit restarts whenever the client has
/// read some bytes.
async fn send_chunk(
    stream: &mut SendStream<Bytes>,
    mut chunk: Bytes,
    timeout: Duration,
) -> Result<(), h2::Error> {
    while !chunk.is_empty() {
        stream.reserve_capacity(chunk.len().min(MAX_FRAME_BYTES));
        let Ok(capacity) =
            tokio::time::timeout(timeout, poll_fn(|context| stream.poll_capacity(context))).await
        else {
            stream.send_reset(Reason::CANCEL);
            return Err(Reason::CANCEL.into());
        };
        let Some(capacity) = capacity else { return Err(Reason::STREAM_CLOSED.into()) };
        let part = chunk.split_to(capacity?.min(chunk.len()));
        if !part.is_empty() {
            stream.send_data(part, false)?;
        }
    }
    Ok(())
}

/// Converts the request to the type of the HTTP library; `None` if the request is not valid in HTTP/1.1.
fn into_library_request(
    request: http::Request<RecvStream>,
    peer: Option<SocketAddr>,
) -> Option<(Request, Payload)> {
    let (parts, body) = request.into_parts();
    let mut request = Request::new();
    let head = request.head_mut();
    head.method = Method::from_bytes(parts.method.as_str().as_bytes()).ok()?;
    head.uri = Uri::try_from(parts.uri.path_and_query().map_or("/", |target| target.as_str())).ok()?;
    head.version = Version::HTTP_2;
    head.peer_addr = peer;
    for (name, value) in &parts.headers {
        let (name, value) = (name.as_str().as_bytes(), value.as_bytes());
        head.headers.append(HeaderName::from_bytes(name).ok()?, HeaderValue::from_bytes(value).ok()?);
    }
    // In HTTP/1.1, the authority is the header `Host`. If a request has an authority and a `Host`, the
    // authority takes precedence (RFC 9113 §8.3.1).
    if let Some(authority) = parts.uri.authority() {
        head.headers.insert(HOST, HeaderValue::from_str(authority.as_str()).ok()?);
    }
    let payload = if body.is_end_stream() {
        Payload::None
    } else {
        let payload: BoxedPayloadStream = Box::pin(RequestBody(body));
        Payload::Stream { payload }
    };
    Some((request, payload))
}

/// The body of a request as a stream.
struct RequestBody(RecvStream);

impl Stream for RequestBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let broken = |error: h2::Error| PayloadError::Io(std::io::Error::other(error));
        let chunk = match ready!(self.0.poll_data(context)) {
            Some(Ok(chunk)) => chunk,
            Some(Err(error)) => return Poll::Ready(Some(Err(broken(error)))),
            None => return Poll::Ready(None),
        };
        let released = self.0.flow_control().release_capacity(chunk.len());
        Poll::Ready(Some(released.map(|()| chunk).map_err(broken)))
    }
}

/// Creates the head of a response with `content-length` and `date`, which the HTTP library adds only for
/// HTTP/1.1.
fn response_head(response: &HttpResponse, host: &dyn ConnectionHost) -> http::Response<()> {
    let mut head = http::Response::new(());
    *head.status_mut() = http::StatusCode::from_u16(response.status().as_u16()).unwrap_or_default();
    let headers = head.headers_mut();
    let since_epoch = Duration::from_micros(host.now().as_micros().unsigned_abs());
    append_header(headers, "date", httpdate::fmt_http_date(UNIX_EPOCH + since_epoch).as_bytes());
    if let BodySize::Sized(length) = response.body().size() {
        append_header(headers, "content-length", length.to_string().as_bytes());
    }
    copy_headers(headers, response.headers());
    head
}

fn copy_headers(headers: &mut http::HeaderMap, source_headers: &HeaderMap) {
    let own = source_headers.iter().filter(|(name, _)| !CONNECTION_HEADERS.contains(&name.as_str()));
    for (name, value) in own {
        append_header(headers, name.as_str(), value.as_bytes());
    }
}

/// Adds a header. A header of the HTTP library is always valid here, because both libraries have the same
/// rules for names and values.
fn append_header(headers: &mut http::HeaderMap, name: &str, value: &[u8]) {
    let name = http::HeaderName::from_bytes(name.as_bytes());
    if let (Ok(name), Ok(value)) = (name, http::HeaderValue::from_bytes(value)) {
        headers.append(name, value);
    }
}
