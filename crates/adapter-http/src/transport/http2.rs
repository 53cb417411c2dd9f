//! An HTTP/2 connection, from its preface to its end.
//!
//! The HTTP library is not used for HTTP/2, because the library has no limits for streams and header fields,
//! and ignores that the server stops. Requests are processed like HTTP/1.1 requests (`dispatch`). This module
//! handles streams, flow control and the end of connections. `exchange` handles one request.

mod exchange;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Bytes;
use h2::RecvStream;
use h2::server::{Builder, Connection, SendResponse};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use crate::transport::connection::{no_memory_fault, too_many_fields_fault};
use crate::transport::connections::{ConnectionGuard, WaitReason};
use crate::transport::host::RequestHandler;
use crate::transport::limits::{
    CONNECTION_WINDOW, HEADER_FIELD_BYTES, MAX_CONNECTION_STREAMS, MAX_HEADER_FIELDS, MAX_HEADER_LIST_BYTES,
    MAX_SEND_BUFFER_BYTES, MAX_STREAM_RESETS, RESERVED_REQUEST_BYTES, STREAM_WINDOW,
};
use crate::transport::socket::Transport;
use exchange::RequestExchange;

/// The time in which a client without a request in progress must close the connection. The time begins when
/// the server announces the end of the connection, because the server stops or the connection was idle.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A request and the handle to respond to it.
type Http2Request = (http::Request<RecvStream>, SendResponse<Bytes>);

/// A connection and its requests in progress.
struct Http2Connection<'p, H: RequestHandler> {
    handler: Arc<H>,
    peer: Option<SocketAddr>,
    guard: &'p ConnectionGuard,
    connection: Connection<Transport, Bytes>,
    exchanges: JoinSet<()>,
    /// Whether the connection is shutting down and accepts no more requests.
    is_shutting_down: bool,
    /// The time limit for a connection without a request in progress.
    idle_timeout: Pin<Box<Sleep>>,
}

/// The next event on a connection.
enum ConnectionEvent {
    Request(Box<Http2Request>),
    /// A request in progress has ended.
    ExchangeEnded,
    Stop,
    /// The connection must be closed to make room for another connection.
    Evicted,
    Idle,
    Closed,
}

/// Serves the requests of a connection until it ends, or until `stop_signal` completes and all requests have
/// a response.
///
/// # Errors
/// The client does not use HTTP/2, violates the rules of HTTP/2, disconnects, or does not complete the
/// handshake in time.
pub(crate) async fn serve_connection<H: RequestHandler>(
    stream: Transport,
    (handler, peer): (Arc<H>, Option<SocketAddr>),
    connection_guard: &ConnectionGuard,
    stop_signal: impl Future<Output = ()>,
) -> io::Result<()> {
    let patience = handler.host().settings().head_timeout;
    let handshake = tokio::select! {
        handshake = timeout(patience, builder().handshake(stream)) => handshake,
        () = connection_guard.wait_until_evicted() => return Ok(()),
    };
    let connection = handshake.map_err(|_| io::ErrorKind::TimedOut)?.map_err(io::Error::other)?;
    let idle = Box::pin(sleep_until(Instant::now() + patience));
    Http2Connection {
        handler,
        peer,
        guard: connection_guard,
        connection,
        exchanges: JoinSet::new(),
        is_shutting_down: false,
        idle_timeout: idle,
    }
    .run(stop_signal)
    .await
    .map_err(io::Error::other)
}

/// Configures the library with limits for all resources that a client can consume.
fn builder() -> Builder {
    let mut builder = Builder::new();
    builder
        .max_concurrent_streams(MAX_CONNECTION_STREAMS)
        .max_header_list_size(MAX_HEADER_LIST_BYTES)
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buffer_size(MAX_SEND_BUFFER_BYTES)
        .max_pending_accept_reset_streams(MAX_STREAM_RESETS)
        .max_concurrent_reset_streams(MAX_STREAM_RESETS)
        .max_local_error_reset_streams(Some(MAX_STREAM_RESETS));
    builder
}

impl<H: RequestHandler> Http2Connection<'_, H> {
    async fn run(mut self, stop_signal: impl Future<Output = ()>) -> Result<(), h2::Error> {
        let mut stopping = pin!(stop_signal);
        loop {
            match self.next(stopping.as_mut()).await? {
                ConnectionEvent::Request(request) => self.begin_exchange(*request),
                ConnectionEvent::ExchangeEnded if self.exchanges.is_empty() => self.restart_timeout(),
                ConnectionEvent::ExchangeEnded => {}
                ConnectionEvent::Stop => self.shut_down_gracefully(),
                ConnectionEvent::Evicted => return Ok(()),
                ConnectionEvent::Idle if self.is_shutting_down => return Ok(()),
                ConnectionEvent::Idle => self.shut_down_gracefully(),
                ConnectionEvent::Closed => return Ok(()),
            }
        }
    }

    /// Drives the connection until the next event, and returns this event.
    async fn next(
        &mut self,
        stop_signal: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<ConnectionEvent, h2::Error> {
        let Self {
            connection,
            exchanges: under_way,
            is_shutting_down: leaving,
            idle_timeout: idle,
            guard: place,
            ..
        } = self;
        // When a client resets a stream, the library frees the stream immediately, although its request is
        // still being processed. Requests are therefore counted here.
        let full = under_way.len() >= MAX_CONNECTION_STREAMS as usize;
        let quiet = under_way.is_empty();
        let next_request = std::future::poll_fn(|context| match full {
            true => connection.poll_closed(context).map(|ended| ended.err().map(Err)),
            false => connection.poll_accept(context),
        });
        tokio::select! {
            request = next_request => {
                let request = request.transpose()?;
                Ok(request.map_or(ConnectionEvent::Closed, |request| ConnectionEvent::Request(Box::new(request))))
            }
            _ = under_way.join_next(), if !quiet => Ok(ConnectionEvent::ExchangeEnded),
            () = stop_signal, if !*leaving => Ok(ConnectionEvent::Stop),
            () = place.wait_until_evicted(), if quiet => Ok(ConnectionEvent::Evicted),
            () = idle, if quiet => Ok(ConnectionEvent::Idle),
        }
    }

    /// Starts a request in parallel with the other requests. The request is rejected if it has too many
    /// header fields, or if there is no memory for the header fields.
    fn begin_exchange(&mut self, (request, response_sender): Http2Request) {
        self.guard.set_busy();
        let host = self.handler.host();
        let mut memory = host.memory_budget().new_reservation(None);
        let fault = if request.headers().len() > MAX_HEADER_FIELDS {
            Some(too_many_fields_fault())
        } else {
            memory.resize(request_memory_bytes(request.headers())).err().map(|_| no_memory_fault())
        };
        let exchange =
            RequestExchange { handler: Arc::clone(&self.handler), peer: self.peer, response_sender, memory };
        match fault {
            Some(fault) => exchange.reject(fault),
            None => drop(self.exchanges.spawn_local(exchange.respond(request))),
        }
    }

    /// Asks the client to send no more requests on this connection. Requests in progress continue.
    fn shut_down_gracefully(&mut self) {
        self.connection.graceful_shutdown();
        self.is_shutting_down = true;
        self.restart_timeout();
    }

    /// Restarts the time limit for the next request or for the end of the connection.
    fn restart_timeout(&mut self) {
        self.guard.mark_waiting(WaitReason::NextRequest);
        let patience =
            if self.is_shutting_down { CLOSE_TIMEOUT } else { self.handler.host().settings().keep_alive };
        self.idle_timeout.as_mut().reset(Instant::now() + patience);
    }
}

/// Returns the memory that a request needs without its body, in bytes.
fn request_memory_bytes(headers: &HeaderMap) -> usize {
    let bytes =
        |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + HEADER_FIELD_BYTES;
    headers.iter().map(bytes).sum::<usize>().saturating_add(RESERVED_REQUEST_BYTES)
}
