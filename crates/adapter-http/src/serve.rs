//! The servers: a listener, its threads and time-outs, and one way in for every request.
//!
//! Requests come straight from the HTTP library to [`dispatch`], without the routing of actix-web in
//! between: paths are matched by our own table, and each request is spared the detour.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{HttpService, Request, Response};
use actix_service::{Service, ServiceFactoryExt, apply_fn_factory, fn_service};
use actix_web::body::BoxBody;
use actix_web::dev::Server;
use actix_web::rt::net::TcpStream;
use futures_util::future::LocalBoxFuture;
use payroll_ports::{Clock, Store};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::operator::{self, Operator, OperatorApi};
use crate::partner::{self, Partner, PartnerApi};
use crate::service;
use crate::shared::dispatch::{self, Side};
use crate::shared::health::Health;
use crate::shared::metrics::{Metrics, SideMetrics, Source};
use crate::shared::settings::InvalidSetting;
use crate::transport::connection::{Connection, ConnectionState, LINGER};
use crate::transport::http2;
use crate::transport::origin::{Origin, Scheme};
use crate::transport::socket::Transport;
use crate::transport::tls::{HTTP_2, Tls};

/// Serves the partner API on a listener that is bound, in TLS where there is one. The server runs
/// while the returned [`Server`] is awaited; its handle stops it, gracefully when asked to. Signals
/// are the caller's.
///
/// # Errors
/// A setting that cannot be used ([`io::ErrorKind::InvalidInput`]), or a listener that cannot be
/// taken over.
pub fn serve(api: PartnerApi, listener: TcpListener, tls: Option<&Tls>) -> io::Result<Server> {
    let origin = origin(&listener, tls)?;
    run("partner", Partner::new(api, origin, service::table()).map_err(invalid)?, listener, tls)
}

/// Serves the operator's side, as [`serve`] serves the partners'. It has threads of its own, so
/// that neither side waits for the other.
///
/// # Errors
/// Those of [`serve`].
pub fn serve_operator(api: OperatorApi, listener: TcpListener, tls: Option<&Tls>) -> io::Result<Server> {
    let origin = origin(&listener, tls)?;
    run("operator", Operator::new(api, origin).map_err(invalid)?, listener, tls)
}

/// The metrics of the process: of the requests of both sides, of the queue in the store, and what the
/// sources tell.
#[must_use]
pub fn metrics(
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    health: Arc<Health>,
    sources: Vec<Source>,
) -> Metrics {
    let services = service::table();
    let partners = SideMetrics::new("partner", partner::paths().into_iter().chain(services.paths()));
    let operators = SideMetrics::new("operator", operator::paths());
    Metrics::new((partners, operators), (store, clock), health, sources)
}

fn origin(listener: &TcpListener, tls: Option<&Tls>) -> io::Result<Origin> {
    let scheme = if tls.is_some() { Scheme::Https } else { Scheme::Http };
    Ok(Origin { address: listener.local_addr()?, scheme })
}

fn invalid(error: InvalidSetting) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

fn run<S: Side>(name: &str, side: S, listener: TcpListener, tls: Option<&Tls>) -> io::Result<Server> {
    let side = Arc::new(side);
    let settings = side.api().settings.clone();
    let workers = settings.workers.unwrap_or_else(default_workers);
    let mut builder = Server::build();
    let stopping = builder.graceful_shutdown_signal();
    builder = builder
        .workers(workers)
        .max_concurrent_connections(settings.max_connections.div_ceil(workers))
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .disable_signals();
    let tls = tls.map(Tls::acceptor);
    let service = move || {
        let (answering, expected) = (Arc::clone(&side), Arc::clone(&side));
        let stopping = stopping.clone();
        let stopped: Stopped = Rc::new(move || {
            let stopping = stopping.clone();
            Box::pin(async move { stopping.notified().await })
        });
        let stopped_here = Rc::clone(&stopped);
        let http = HttpService::build()
            .graceful_shutdown_signal(move || stopped_here())
            .keep_alive(settings.keep_alive)
            .client_request_timeout(settings.head_timeout)
            .client_disconnect_timeout(LINGER)
            .on_connect_ext(|connection: &Connection, shared| {
                shared.insert(connection.state());
            })
            .expect(fn_service(move |request: Request| answer_before_body(Arc::clone(&expected), request)))
            .h1(fn_service(move |request: Request| answer(Arc::clone(&answering), request)));
        let http = apply_fn_factory(http.map_err(|_| Over), |accepted: Accepted, http| {
            let state = accepted.0.state();
            let served = http.call(accepted);
            async move {
                let ended = served.await;
                state.finish().await;
                ended
            }
        });
        let door = Rc::new(Door { side: Arc::clone(&side), tls: tls.clone(), stopped });
        fn_service(move |stream: TcpStream| Rc::clone(&door).welcome(stream)).and_then(http)
    };
    Ok(builder.listen(name, listener, service)?.run())
}

/// A connection on which HTTP/1.1 is spoken, and who is at its other end.
type Accepted = (Connection, Option<SocketAddr>);

/// Makes what ends when the server is to stop.
type Stopped = Rc<dyn Fn() -> LocalBoxFuture<'static, ()>>;

/// A connection has nothing more to say; whoever looked after it has told what there is to tell.
struct Over;

/// Where connections come in: what they speak is found out here.
struct Door<S> {
    side: Arc<S>,
    tls: Option<TlsAcceptor>,
    stopped: Stopped,
}

impl<S: Side> Door<S> {
    /// Shakes hands, and hands on who speaks HTTP/1.1. With who speaks HTTP/2 it is spoken here, to
    /// the end. Either counts as a connection from its first byte.
    async fn welcome(self: Rc<Self>, stream: TcpStream) -> Result<Accepted, Over> {
        let peer = stream.peer_addr().ok();
        // Whole answers are written at once, so waiting for more to send only delays them. A
        // connection that refuses the option is broken, and shows it by the next read.
        let _ = stream.set_nodelay(true);
        let api = Arc::clone(self.side.api());
        let open = api.metrics.connected();
        let Some(tls) = self.tls.clone() else {
            return Ok((Connection::new(Transport::Plain(stream), api, open), peer));
        };
        let stream = Box::pin(shake_hands(tls, stream, api.settings.head_timeout)).await?;
        let speaks_http_2 = stream.get_ref().1.alpn_protocol() == Some(HTTP_2);
        let stream = Transport::Tls(Box::new(stream));
        if !speaks_http_2 {
            return Ok((Connection::new(stream, api, open), peer));
        }
        let ended = Box::pin(http2::converse(stream, Arc::clone(&self.side), peer, (self.stopped)())).await;
        drop(open);
        if let Err(error) = ended {
            tracing::debug!(%error, "an HTTP/2 connection broke");
        }
        Err(Over)
    }
}

/// Begins TLS, as soon as the head of a request would have to be there.
async fn shake_hands(
    tls: TlsAcceptor,
    stream: TcpStream,
    patience: Duration,
) -> Result<TlsStream<TcpStream>, Over> {
    let problem = match tokio::time::timeout(patience, tls.accept(stream)).await {
        Ok(Ok(stream)) => return Ok(stream),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it took too long".to_owned(),
    };
    // At any other level, whoever scans ports would write the log.
    tracing::debug!(problem, "no TLS with a client");
    Err(Over)
}

/// Answers a request; there is no failure that has no answer.
async fn answer<S: Side>(side: Arc<S>, request: Request) -> Result<Response<BoxBody>, Infallible> {
    Ok(answer_one(side, request, false).await)
}

async fn answer_one<S: Side>(
    side: Arc<S>,
    mut request: Request,
    expects_continue: bool,
) -> Response<BoxBody> {
    let payload = request.take_payload();
    let state = request.conn_data::<Rc<ConnectionState>>().cloned().unwrap_or_default();
    let unanswered = state.begin(expects_continue);
    let response = dispatch::answer(side, request, payload, Rc::clone(&state)).await;
    unanswered.answered();
    response.into()
}

/// Answers a request whose client waits for the word to send its body. The library says it once this
/// has let the request through; here the whole request is answered, and the connection says it where
/// the body is wanted.
async fn answer_before_body<S: Side>(side: Arc<S>, request: Request) -> Result<Request, FinalResponse> {
    Err(FinalResponse(answer_one(side, request, true).await))
}

/// An answer where the library expects the failure of an expectation, which it sends.
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
