//! A listener: its threads and time-outs, and what is spoken on its connections.
//!
//! Requests come straight from the HTTP library to the [`RequestHandler`], without the routing of
//! actix-web in between: paths are matched by our own table, and each request is spared the detour.

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

use crate::transport::connection::{Connection, ConnectionState, LINGER, PacedBody, announced_body, watched};
use crate::transport::connections::Connections;
use crate::transport::host::{OpenConnection, RequestHandler};
use crate::transport::http2;
use crate::transport::limits::{CONNECTIONS_IN_TRANSIT, WRITE_BYTES};
use crate::transport::socket::Transport;
use crate::transport::tls::{HTTP_2, Tls};

/// Serves on a listener that is bound, in TLS where there is one.
///
/// # Errors
/// A listener that cannot be taken over.
pub(crate) fn listen<H: RequestHandler>(
    name: &str,
    handler: H,
    listener: TcpListener,
    tls: Option<&Tls>,
) -> io::Result<Server> {
    let handler = Arc::new(handler);
    let settings = handler.host().settings();
    let workers = settings.workers.unwrap_or_else(default_workers);
    let mut builder = Server::build();
    let stopping = builder.graceful_shutdown_signal();
    builder = builder
        .workers(workers)
        .max_concurrent_connections(settings.max_connections.div_ceil(workers) + CONNECTIONS_IN_TRANSIT)
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .disable_signals();
    let tls = tls.map(Tls::acceptor);
    let connections = Connections::new(settings.max_connections, settings.max_connections_per_address);
    let service = move || {
        let (answering, expected) = (Arc::clone(&handler), Arc::clone(&handler));
        let stopping = stopping.clone();
        let stopped: Stopped = Rc::new(move || {
            let stopping = stopping.clone();
            Box::pin(async move { stopping.notified().await })
        });
        let stopped_here = Rc::clone(&stopped);
        let http = HttpService::build()
            .graceful_shutdown_signal(move || stopped_here())
            .keep_alive(settings.keep_alive)
            // Each head has its time limit in `connection`.
            .client_request_timeout(Duration::ZERO)
            .h1_write_buffer_size(WRITE_BYTES)
            .client_disconnect_timeout(LINGER)
            .on_connect_ext(|connection: &Connection, shared| {
                shared.insert(connection.state());
            })
            .expect(fn_service(move |request: Request| answer_before_body(Arc::clone(&expected), request)))
            .h1(fn_service(move |request: Request| answer(Arc::clone(&answering), request)));
        let http = apply_fn_factory(http.map_err(|_| ConnectionEnded), |accepted: Accepted, http| {
            let state = accepted.0.state();
            let served = http.call(accepted);
            async move {
                let ended = served.await;
                state.finish().await;
                ended
            }
        });
        let connections = Arc::clone(&connections);
        let door = Rc::new(Door { handler: Arc::clone(&handler), tls: tls.clone(), connections, stopped });
        fn_service(move |stream: TcpStream| Rc::clone(&door).welcome(stream)).and_then(http)
    };
    Ok(builder.listen(name, listener, service)?.run())
}

/// A connection on which HTTP/1.1 is spoken, and who is at its other end.
type Accepted = (Connection, Option<SocketAddr>);

/// Makes what ends when the server is to stop.
type Stopped = Rc<dyn Fn() -> LocalBoxFuture<'static, ()>>;

/// A connection has ended; what there was to log of it is logged already.
struct ConnectionEnded;

/// Where connections come in: what they speak is found out here.
struct Door<H> {
    handler: Arc<H>,
    tls: Option<TlsAcceptor>,
    connections: Arc<Connections>,
    stopped: Stopped,
}

impl<H: RequestHandler> Door<H> {
    /// Shakes hands, and hands on who speaks HTTP/1.1. With who speaks HTTP/2 it is spoken here, to
    /// the end. Either counts as a connection from its first byte.
    async fn welcome(self: Rc<Self>, stream: TcpStream) -> Result<Accepted, ConnectionEnded> {
        let peer = stream.peer_addr().ok();
        // Whole answers are written at once, so waiting for more to send only delays them. A
        // connection that refuses the option is broken, and shows it by the next read.
        let _ = stream.set_nodelay(true);
        let host = self.handler.host();
        let settings = host.settings();
        let open = OpenConnection::new(host, &self.connections, peer);
        let Some(tls) = self.tls.clone() else {
            return Ok((Connection::new(Transport::Plain(stream), open), peer));
        };
        let shaking_hands = Box::pin(shake_hands(tls, stream, settings.head_timeout));
        let stream = tokio::select! {
            stream = shaking_hands => stream?,
            () = open.place.evicted() => return Err(ConnectionEnded),
        };
        let speaks_http_2 = stream.get_ref().1.alpn_protocol() == Some(HTTP_2);
        let stream = Transport::Tls(Box::new(stream));
        if !speaks_http_2 {
            return Ok((Connection::new(stream, open), peer));
        }
        let ended = Box::pin(http2::converse(
            stream,
            (Arc::clone(&self.handler), peer),
            &open.place,
            (self.stopped)(),
        ));
        let ended = ended.await;
        drop(open);
        if let Err(error) = ended {
            tracing::debug!(%error, "an HTTP/2 connection broke");
        }
        Err(ConnectionEnded)
    }
}

/// Begins TLS, as soon as the head of a request would have to be there.
async fn shake_hands(
    tls: TlsAcceptor,
    stream: TcpStream,
    patience: Duration,
) -> Result<TlsStream<TcpStream>, ConnectionEnded> {
    let problem = match tokio::time::timeout(patience, tls.accept(stream)).await {
        Ok(Ok(stream)) => return Ok(stream),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it took too long".to_owned(),
    };
    // At any other level, port scans would fill the log.
    tracing::debug!(problem, "no TLS with a client");
    Err(ConnectionEnded)
}

/// Responds to a request; there is no failure without a response.
async fn answer<H: RequestHandler>(
    handler: Arc<H>,
    request: Request,
) -> Result<Response<BoxBody>, Infallible> {
    Ok(answer_one(handler, request, false).await)
}

async fn answer_one<H: RequestHandler>(
    handler: Arc<H>,
    mut request: Request,
    expects_continue: bool,
) -> Response<BoxBody> {
    let payload = request.take_payload();
    let state = request.conn_data::<Rc<ConnectionState>>().cloned().unwrap_or_default();
    let unanswered = state.begin(expects_continue, announced_body(&request, &payload));
    let payload = watched(payload, &state);
    let host = handler.host();
    // What a request needs is allocated for the request, so that a connection that waits stays small.
    let handling = Box::pin(handler.handle(request, payload, Rc::clone(&state)));
    let mut response: Response<BoxBody> = handling.await.into();
    unanswered.answered();
    if host.is_stopping() || state.ends_with_response() {
        // A connection that ends with an answer is not closed while its next request is on the way.
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    paced(response, &state)
}

/// The response as it is handed to the HTTP library. A small one is taken at once.
fn paced(response: Response<BoxBody>, state: &Rc<ConnectionState>) -> Response<BoxBody> {
    match response.body().size() {
        BodySize::Sized(bytes) if bytes > WRITE_BYTES as u64 => {}
        BodySize::Stream => {}
        BodySize::None | BodySize::Sized(_) => {
            state.response_ended();
            return response;
        }
    }
    response.map_body(|_, body| BoxBody::new(PacedBody::new(body, Rc::clone(state))))
}

/// Responds to a request whose client waits for `100 Continue`. The library sends it once this has let the
/// request through; here the complete request is handled, and the connection sends it where the body is wanted.
async fn answer_before_body<H: RequestHandler>(
    handler: Arc<H>,
    request: Request,
) -> Result<Request, FinalResponse> {
    Err(FinalResponse(answer_one(handler, request, true).await))
}

/// A response where the library expects the failure of an expectation, which it sends.
struct FinalResponse(Response<BoxBody>);

impl From<FinalResponse> for Response<BoxBody> {
    fn from(FinalResponse(response): FinalResponse) -> Self {
        response
    }
}

/// A thread for each processor.
fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}
