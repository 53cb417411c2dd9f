//! A listener with its threads, its time limits, and the protocols of its connections.
//!
//! The HTTP library passes requests directly to the [`RequestHandler`]. The routing of actix-web is not used,
//! because the server has its own route table, and the routing would cost time for each request.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{ConnectionType, HttpService, Request, Response};
use actix_service::{Service, ServiceFactoryExt, apply_fn_factory, fn_service};
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::Server;
use actix_web::rt::net::TcpStream;
use futures_util::future::LocalBoxFuture;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::transport::connection::{
    ChunkedBody, Connection, ConnectionState, DROPPED_CONNECTION_TIMEOUT, announced_body, notify_when_read,
};
use crate::transport::connections::ConnectionRegistry;
use crate::transport::host::{OpenConnection, RequestHandler};
use crate::transport::http2;
use crate::transport::limits::{MAX_ENDING_CONNECTIONS, MAX_WRITE_BYTES};
use crate::transport::socket::Transport;
use crate::transport::tls::{HTTP_2_PROTOCOL, TlsConfiguration};

/// Serves requests on a bound listener, with TLS if `tls` is given.
///
/// # Errors
/// The error of the system if the listener cannot be used.
pub(crate) fn serve_requests<H: RequestHandler>(
    name: &str,
    handler: H,
    listener: TcpListener,
    tls: Option<&TlsConfiguration>,
) -> io::Result<Server> {
    let handler = Arc::new(handler);
    let settings = handler.host().settings();
    let workers = settings.workers.unwrap_or_else(default_worker_count);
    let mut builder = Server::build();
    let stopping = builder.graceful_shutdown_signal();
    builder = builder
        .workers(workers)
        .max_concurrent_connections(settings.max_connections.div_ceil(workers) + MAX_ENDING_CONNECTIONS)
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .disable_signals();
    let tls = tls.map(TlsConfiguration::acceptor);
    let connections = ConnectionRegistry::new(settings.max_connections, settings.max_connections_per_address);
    let service = move || {
        let (answering, expected) = (Arc::clone(&handler), Arc::clone(&handler));
        let stopping = stopping.clone();
        let stopped: StopSignal = Rc::new(move || {
            let stopping = stopping.clone();
            Box::pin(async move { stopping.notified().await })
        });
        let stopped_here = Rc::clone(&stopped);
        let http = HttpService::build()
            .graceful_shutdown_signal(move || stopped_here())
            .keep_alive(settings.keep_alive)
            // Zero disables the library's own limit, because the module `connection` limits the time for each
            // request head.
            .client_request_timeout(Duration::ZERO)
            .h1_write_buffer_size(MAX_WRITE_BYTES)
            .client_disconnect_timeout(DROPPED_CONNECTION_TIMEOUT)
            .on_connect_ext(|connection: &Connection, shared| {
                shared.insert(connection.state());
            })
            .expect(fn_service(move |request: Request| {
                handle_expect_continue(Arc::clone(&expected), request)
            }))
            .h1(fn_service(move |request: Request| respond(Arc::clone(&answering), request)));
        let http =
            apply_fn_factory(http.map_err(|_| ConnectionEnded), |accepted: AcceptedConnection, http| {
                let state = accepted.0.state();
                let served = http.call(accepted);
                async move {
                    let ended = served.await;
                    state.finish_dropped_connection().await;
                    ended
                }
            });
        let connections = Arc::clone(&connections);
        let door = Rc::new(ConnectionAcceptor {
            handler: Arc::clone(&handler),
            tls: tls.clone(),
            connections,
            stop_signal: stopped,
        });
        fn_service(move |stream: TcpStream| Rc::clone(&door).open_connection(stream)).and_then(http)
    };
    Ok(builder.listen(name, listener, service)?.run())
}

/// An HTTP/1.1 connection and the address of its peer.
type AcceptedConnection = (Connection, Option<SocketAddr>);

/// Creates a future that completes when the server is to stop.
type StopSignal = Rc<dyn Fn() -> LocalBoxFuture<'static, ()>>;

/// Reports to the library that a connection has already ended: the TLS handshake failed, the connection was
/// evicted, or the connection used HTTP/2 and was served completely. Failures are already logged.
struct ConnectionEnded;

/// Accepts connections and determines their protocol.
struct ConnectionAcceptor<H> {
    handler: Arc<H>,
    tls: Option<TlsAcceptor>,
    connections: Arc<ConnectionRegistry>,
    stop_signal: StopSignal,
}

impl<H: RequestHandler> ConnectionAcceptor<H> {
    /// Performs the TLS handshake and returns an HTTP/1.1 connection. An HTTP/2 connection is served to its
    /// end within this function. Connections of both protocols count as open from the first byte.
    async fn open_connection(
        self: Rc<Self>,
        stream: TcpStream,
    ) -> Result<AcceptedConnection, ConnectionEnded> {
        let peer = stream.peer_addr().ok();
        // Without `nodelay`, the system would delay the end of a response. If setting the option fails, the
        // connection is broken, and the next read reports the error.
        let _ = stream.set_nodelay(true);
        let host = self.handler.host();
        let settings = host.settings();
        let open = OpenConnection::new(host, &self.connections, peer);
        let Some(tls) = self.tls.clone() else {
            return Ok((Connection::new(Transport::Plain(stream), open), peer));
        };
        let shaking_hands = Box::pin(accept_tls(tls, stream, settings.head_timeout));
        let stream = tokio::select! {
            stream = shaking_hands => stream?,
            () = open.guard.wait_until_evicted() => return Err(ConnectionEnded),
        };
        let speaks_http_2 = stream.get_ref().1.alpn_protocol() == Some(HTTP_2_PROTOCOL);
        let stream = Transport::Tls(Box::new(stream));
        if !speaks_http_2 {
            return Ok((Connection::new(stream, open), peer));
        }
        let ended = Box::pin(http2::serve_connection(
            stream,
            (Arc::clone(&self.handler), peer),
            &open.guard,
            (self.stop_signal)(),
        ));
        let ended = ended.await;
        drop(open);
        if let Err(error) = ended {
            tracing::debug!(%error, "an HTTP/2 connection ended with an error");
        }
        Err(ConnectionEnded)
    }
}

/// Performs the TLS handshake, within the time limit for a request head.
async fn accept_tls(
    tls: TlsAcceptor,
    stream: TcpStream,
    timeout: Duration,
) -> Result<TlsStream<TcpStream>, ConnectionEnded> {
    let problem = match tokio::time::timeout(timeout, tls.accept(stream)).await {
        Ok(Ok(stream)) => return Ok(stream),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the handshake took too long".to_owned(),
    };
    // The problem is logged at debug level, because port scans would fill the log otherwise.
    tracing::debug!(problem, "the TLS handshake with a client failed");
    Err(ConnectionEnded)
}

/// Handles a request. Every failure is converted to a response.
async fn respond<H: RequestHandler>(
    handler: Arc<H>,
    request: Request,
) -> Result<Response<BoxBody>, Infallible> {
    Ok(respond_once(handler, request, false).await)
}

async fn respond_once<H: RequestHandler>(
    handler: Arc<H>,
    mut request: Request,
    expects_continue: bool,
) -> Response<BoxBody> {
    let payload = request.take_payload();
    let state = request.conn_data::<Rc<ConnectionState>>().cloned().unwrap_or_default();
    let unanswered = state.begin_request(expects_continue, announced_body(&request, &payload));
    let payload = notify_when_read(payload, &state);
    let host = handler.host();
    // The future is boxed, so that an idle connection needs little memory.
    let handling = Box::pin(handler.handle(request, payload, Rc::clone(&state)));
    let mut response: Response<BoxBody> = handling.await.into();
    unanswered.record_response_created();
    if host.is_stopping() || state.ends_with_response() {
        // The header `Connection: close` tells the client to send no further request on this connection.
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    split_into_chunks(response, &state)
}

/// Splits the response into small parts for the HTTP library. A small response is passed in one part.
fn split_into_chunks(response: Response<BoxBody>, state: &Rc<ConnectionState>) -> Response<BoxBody> {
    match response.body().size() {
        BodySize::Sized(bytes) if bytes > MAX_WRITE_BYTES as u64 => {}
        BodySize::Stream => {}
        BodySize::None | BodySize::Sized(_) => {
            state.record_response_end();
            return response;
        }
    }
    response.map_body(|_, body| BoxBody::new(ChunkedBody::new(body, Rc::clone(state))))
}

/// Handles a request whose client waits for `100 Continue`. The library calls this function first, and would
/// send `100 Continue` if the function returned the request. Instead, this function handles the request, and
/// the connection sends `100 Continue` when the body is read.
async fn handle_expect_continue<H: RequestHandler>(
    handler: Arc<H>,
    request: Request,
) -> Result<Request, FinalResponse> {
    Err(FinalResponse(respond_once(handler, request, true).await))
}

/// A response that the library sends unchanged. The service returns this response as an error, because the
/// library sends a service's error to the client.
struct FinalResponse(Response<BoxBody>);

impl From<FinalResponse> for Response<BoxBody> {
    fn from(FinalResponse(response): FinalResponse) -> Self {
        response
    }
}

/// Returns the number of processors, which is the default number of threads.
fn default_worker_count() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}
