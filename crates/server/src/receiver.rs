//! A receiver of notifications, for the demo and for developers of receivers. The receiver accepts requests,
//! verifies their signatures, and reports the results. Nothing is stored.
//!
//! The receiver supports HTTP/1.1 without TLS. Every buffer for data from a sender has a maximum size.

mod forwarding;
mod received_request;
mod seen;
mod signature;

pub(crate) use forwarding::Forwarding;
pub(crate) use received_request::ReceivedRequest;
pub(crate) use signature::SigningKey;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use payroll_ports::Clock;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::failure::{Failure, Outcome};
use seen::SeenNotifications;
use signature::SignedMessage;

/// The maximum length of a body in bytes. A notification has a few hundred bytes.
const MAX_BODY_BYTES: usize = 65_536;
/// The maximum length of a request's line and headers in bytes.
const MAX_HEAD_BYTES: usize = 16_384;
/// The maximum length of a challenge to which the receiver responds. A real challenge has 47 characters.
const MAX_CHALLENGE_LENGTH: usize = 128;
/// The maximum number of open connections. This number exceeds the number of connections that this server
/// opens to one host by default. Further connections wait in the queue of the operating system.
const MAX_CONNECTIONS: usize = 256;
/// The maximum time that a connection may be idle or take to send its headers. Senders close idle connections
/// earlier. The receiver therefore never closes a connection that a sender is about to use.
const HEADERS_TIMEOUT: Duration = Duration::from_secs(120);
/// The maximum time in which a complete body must arrive. Senders wait for the response for the same time.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);
/// The maximum number of requests that wait to be printed. The senders of further requests wait for the
/// response.
const MAX_QUEUED_REQUESTS: usize = 64;
/// The pause after an error while accepting a connection, for example because of the limit on open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The settings for the receiver's responses to notifications.
#[derive(Debug, Clone)]
pub(crate) struct ReplySettings {
    /// The status of the response.
    pub(crate) status: StatusCode,
    /// The delay before the response.
    pub(crate) delay: Duration,
    /// The developer's own program, to which each request is forwarded. The sender then gets the status of
    /// the program. `None` if requests are not forwarded.
    pub(crate) forwarding: Option<Forwarding>,
}

/// A receiver that has bound its port. Senders can connect, but get no responses until [`Receiver::run`] is
/// called.
#[derive(Debug)]
pub(crate) struct Receiver {
    listener: TcpListener,
    address: SocketAddr,
}

/// The result of reading a request from a connection.
enum ReadResult {
    /// A notification with a complete body, and the HTTP status with which the receiver responds.
    Complete(Box<Request<Bytes>>, StatusCode),
    /// A request that the receiver rejects, because it is not a valid notification.
    Refused { path: String, status: StatusCode, reason: &'static str },
    /// The connection sent bytes that are not an HTTP request.
    NoRequest,
}

impl Receiver {
    /// Binds the receiver to an address. Port 0 selects a free port.
    ///
    /// # Errors
    /// The address cannot be bound, for example because another program uses it.
    pub(crate) async fn bind(address: SocketAddr) -> Outcome<Self> {
        let bind_failure = |error| Failure::cannot_listen(address, &error);
        let listener = TcpListener::bind(address).await.map_err(bind_failure)?;
        let address = listener.local_addr().map_err(bind_failure)?;
        Ok(Self { listener, address })
    }

    /// Returns the address with its actual port.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Responds to requests while `registration` runs, and returns the result of the registration. The server
    /// may verify the receiver's address before it returns the signing secret. A notification during this
    /// time gets 503, so that the server resends the notification later.
    pub(crate) async fn run_during_registration<T>(
        &self,
        clock: Arc<dyn Clock>,
        registration: impl Future<Output = Outcome<T>>,
    ) -> Outcome<T> {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let settings = ReplySettings { status, delay: Duration::ZERO, forwarding: None };
        tokio::select! {
            ended = registration => ended,
            served = self.run(settings, None, clock, |_| Ok(())) => {
                served.and_then(|()| Err(Failure::new("the receiver stopped")))
            }
        }
    }

    /// Responds to requests until the future is dropped. Calls `show` for each request after its arrival and
    /// before the delay of the response.
    ///
    /// # Errors
    /// Returns the error of `show`.
    pub(crate) async fn run(
        &self,
        settings: ReplySettings,
        key: Option<&SigningKey>,
        clock: Arc<dyn Clock>,
        mut show: impl FnMut(&ReceivedRequest) -> Outcome,
    ) -> Outcome {
        let (sender, mut arrivals) = mpsc::channel(MAX_QUEUED_REQUESTS);
        // The tasks of open connections. When this set is dropped at the end of the function, it ends the
        // tasks.
        let mut connections = JoinSet::new();
        let mut seen = SeenNotifications::default();
        let answering = Arc::new(settings);
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                    Ok((stream, _)) => drop(connections.spawn(serve_connection(stream, Arc::clone(&answering), sender.clone()))),
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
                Some(_ended) = connections.join_next() => {}
                Some(arrival) = arrivals.recv() => {
                    show(&verify_notification(arrival, key, &*clock, &mut seen))?;
                }
            }
        }
    }
}

/// Serves all requests of a connection.
async fn serve_connection(stream: TcpStream, settings: Arc<ReplySettings>, sender: mpsc::Sender<ReadResult>) {
    let service = service_fn(|request| respond(request, &settings, &sender));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    // A broken connection is not reported. A client that does not send HTTP is reported, because this is a
    // likely mistake of a developer.
    if served.is_err_and(|error| error.is_parse()) {
        let _shown = sender.send(ReadResult::NoRequest).await;
    }
}

async fn respond<B>(
    request: Request<B>,
    settings: &ReplySettings,
    sender: &mpsc::Sender<ReadResult>,
) -> Result<Response<Full<Bytes>>, Infallible>
where
    B: Body<Error: std::error::Error + Send + Sync + 'static>,
{
    if let Some(challenge) = read_challenge(&request) {
        return Ok(challenge_response(challenge));
    }
    let mut arrival = read_request(request, settings.status).await;
    if let (ReadResult::Complete(request, status), Some(forwarding)) = (&mut arrival, &settings.forwarding) {
        *status = forwarding.forward(request).await;
    }
    let status = arrival.status();
    let is_complete = matches!(arrival, ReadResult::Complete(..));
    // Sending only fails if the task that prints requests has ended. The task of this connection then ends
    // too.
    let _shown = sender.send(arrival).await;
    if is_complete {
        tokio::time::sleep(settings.delay).await;
    }
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    }
    Ok(response)
}

/// Returns the challenge in the request, with which a sender verifies a new address. Texts without the form
/// of a challenge are ignored. Otherwise a sender could make the receiver return any content, such as a web
/// page.
fn read_challenge<B>(request: &Request<B>) -> Option<&str> {
    let pairs = request.uri().query()?.split('&');
    let challenge = pairs.filter_map(|pair| pair.strip_prefix("challenge=")).next_back()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let fits = (1..=MAX_CHALLENGE_LENGTH).contains(&challenge.len()) && challenge.bytes().all(plain);
    (request.method() == Method::GET && fits).then_some(challenge)
}

fn challenge_response(challenge: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(challenge.to_owned()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Reads a request within the limits of time and size.
async fn read_request<B>(request: Request<B>, default_status: StatusCode) -> ReadResult
where
    B: Body<Error: std::error::Error + Send + Sync + 'static>,
{
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let status = parse_status_path(&path).unwrap_or(default_status);
    let refused = |status, reason| ReadResult::Refused { path, status, reason };
    if head.method != Method::POST {
        return refused(StatusCode::METHOD_NOT_ALLOWED, "the method of a notification must be POST");
    }
    let body = Limited::new(body, MAX_BODY_BYTES).collect();
    match tokio::time::timeout(BODY_TIMEOUT, body).await {
        Ok(Ok(body)) => ReadResult::Complete(Box::new(Request::from_parts(head, body.to_bytes())), status),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            refused(StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 65536 bytes")
        }
        Ok(Err(_)) => refused(StatusCode::BAD_REQUEST, "the body did not arrive completely"),
        Err(_) => refused(StatusCode::REQUEST_TIMEOUT, "the body did not arrive within 15 seconds"),
    }
}

impl ReadResult {
    /// Returns the HTTP status with which the receiver responds to a request.
    const fn status(&self) -> StatusCode {
        match self {
            Self::Complete(_, status) | Self::Refused { status, .. } => *status,
            Self::NoRequest => StatusCode::BAD_REQUEST,
        }
    }
}

/// Returns the status in a path such as `/status/503`. Hooks with such a path test how the server handles a
/// failing receiver.
fn parse_status_path(path: &str) -> Option<StatusCode> {
    let (_, status) = path.rsplit_once("/status/")?;
    StatusCode::from_bytes(status.as_bytes()).ok().filter(|status| status.as_u16() >= 200)
}

/// Verifies a request, and returns it with the result for printing.
fn verify_notification(
    read_result: ReadResult,
    key: Option<&SigningKey>,
    clock: &dyn Clock,
    seen: &mut SeenNotifications,
) -> ReceivedRequest {
    let (at, status) = (clock.now(), read_result.status().as_u16());
    let request = match read_result {
        ReadResult::Complete(request, _) => request,
        ReadResult::Refused { path, reason, .. } => {
            return ReceivedRequest::rejected(at, path, status, reason);
        }
        ReadResult::NoRequest => {
            return ReceivedRequest::rejected(
                at,
                String::new(),
                status,
                "not an HTTP/1.1 request. TLS is not supported here",
            );
        }
    };
    let header = |name| request.headers().get(name).map(HeaderValue::as_bytes).unwrap_or_default();
    let signed = SignedMessage {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signatures: header("webhook-signature"),
        body: request.body(),
    };
    let verdict = signed.verify(key, at);
    let mut received =
        ReceivedRequest::notification(at, request.uri().path(), status, verdict, (signed.id, signed.body));
    // The id is only recorded if the signature is valid. Otherwise a forged request could mark the real
    // notification as a duplicate.
    received.is_duplicate = !received.is_untrusted() && seen.record_and_detect_duplicate(received.id());
    received
}
