//! The servers: a listener, its threads and time-outs, and one way in for every request.
//!
//! Requests come straight from the HTTP library to [`dispatch`], without the routing of actix-web in
//! between: paths are matched by our own table, and each request is spared the detour.

use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{HttpService, Request, Response};
use actix_service::{ServiceFactoryExt, fn_service};
use actix_web::body::BoxBody;
use actix_web::dev::Server;
use actix_web::rt::net::TcpStream;
use payroll_ports::hooks::AddressCheck;
use payroll_ports::keys::KeySet;
use payroll_ports::{Clock, Randomness, Store};

use crate::connection::Connection;
use crate::dispatch::{self, Side};
use crate::operator::Operator;
use crate::partner::Partner;
use crate::request_log::RequestLog;
use crate::settings::{HttpSettings, InvalidSetting};

/// How long the rest of a refused body is still taken in and thrown away: a client that is cut off
/// while it sends does not read the answer.
const LINGER: Duration = Duration::from_secs(2);

/// Everything that the partner API needs.
pub struct PartnerApi {
    /// Where things are stored.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub randomness: Arc<dyn Randomness>,
    /// The keys that sign access tokens.
    pub keys: KeySet,
    /// Finds out where the addresses of hooks lead.
    pub addresses: Arc<dyn AddressCheck>,
    /// Where requests are noted that notifications have led to.
    pub requests: RequestLog,
    /// The settings.
    pub settings: HttpSettings,
}

/// Everything that the operator's side needs.
pub struct OperatorApi {
    /// Where things are stored.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub randomness: Arc<dyn Randomness>,
    /// The settings.
    pub settings: HttpSettings,
}

/// Serves the partner API on a listener that is bound. The server runs while the returned
/// [`Server`] is awaited; its handle stops it, gracefully when asked to. Signals are the caller's.
///
/// # Errors
/// A setting that cannot be used ([`io::ErrorKind::InvalidInput`]), or a listener that cannot be
/// taken over.
pub fn serve(api: PartnerApi, listener: TcpListener) -> io::Result<Server> {
    let address = listener.local_addr()?;
    run("partner", Partner::new(api, address).map_err(invalid)?, listener)
}

/// Serves the operator's side, as [`serve`] serves the partners'. It has threads of its own, so
/// that neither side waits for the other.
///
/// # Errors
/// Those of [`serve`].
pub fn serve_operator(api: OperatorApi, listener: TcpListener) -> io::Result<Server> {
    let address = listener.local_addr()?;
    run("operator", Operator::new(api, address).map_err(invalid)?, listener)
}

fn invalid(error: InvalidSetting) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

fn run<S: Side>(name: &str, side: S, listener: TcpListener) -> io::Result<Server> {
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
    let service = move || {
        let stopping = stopping.clone();
        let (api, answering) = (Arc::clone(side.api()), Arc::clone(&side));
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .keep_alive(settings.keep_alive)
            .client_request_timeout(settings.head_timeout)
            .client_disconnect_timeout(LINGER)
            .h1(fn_service(move |request: Request| answer(Arc::clone(&answering), request)));
        fn_service(move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            // Whole answers are written at once, so waiting for more to send only delays them. A
            // connection that refuses the option is broken, and shows it by the next read.
            let _ = stream.set_nodelay(true);
            ready(Ok((Connection::new(stream, Arc::clone(&api)), peer)))
        })
        .and_then(http)
    };
    Ok(builder.listen(name, listener, service)?.run())
}

/// Answers a request; there is no failure that has no answer.
async fn answer<S: Side>(side: Arc<S>, mut request: Request) -> Result<Response<BoxBody>, Infallible> {
    let payload = request.take_payload();
    Ok(dispatch::answer(side, request, payload).await.into())
}

/// A thread for each processor.
fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}
