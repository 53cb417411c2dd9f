//! The server: a listener, its threads and time-outs, and one way in for every request.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use actix_web::dev::{Payload, Server};
use actix_web::{App, FromRequest, HttpRequest, HttpServer, web};
use payroll_ports::keys::KeySet;
use payroll_ports::{Clock, Randomness, Store};

use crate::api::Api;
use crate::dispatch;
use crate::settings::HttpSettings;

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
    let api = Api::new(api).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let settings = api.settings.clone();
    let api = Arc::new(api);
    let mut server = HttpServer::new(move || {
        let api = Arc::clone(&api);
        let answer =
            move |http: HttpRequest, Body(payload): Body| dispatch::answer(Arc::clone(&api), http, payload);
        App::new().default_service(web::to(answer))
    })
    .keep_alive(settings.keep_alive)
    .client_request_timeout(settings.head_timeout)
    .shutdown_timeout(settings.shutdown_timeout.as_secs())
    .disable_signals();
    let workers = settings.workers.unwrap_or_else(default_workers);
    server = server.workers(workers).max_connections(settings.max_connections.div_ceil(workers));
    Ok(server.listen(listener)?.run())
}

/// A thread for each processor.
fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}

/// The body as the library hands it over, not read yet.
struct Body(Payload);

impl FromRequest for Body {
    type Error = actix_web::Error;
    type Future = std::future::Ready<Result<Self, Self::Error>>;

    fn from_request(_: &HttpRequest, payload: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(payload.take())))
    }
}
