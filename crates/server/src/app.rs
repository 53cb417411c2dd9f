//! The application, put together: `serve` and `demo` run what [`build`] gives, and the tests
//! build the same with a clock that they move.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use payroll_adapter_http::{HttpSettings, PartnerApi, Server, ServerHandle};
pub use payroll_adapter_http::{RouteInfo, routes};
use payroll_ports::keys::KeySet;
use payroll_ports::{Clock, Randomness, Store};

use crate::config::{Setting, Settings};
use crate::failure::{Failure, Outcome};
use crate::housekeeping;
use crate::keys;
use crate::lock::ServeLock;

/// An application that listens, ready to [`run`](App::run).
pub struct App {
    address: SocketAddr,
    server: Server,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// Held until the application is gone.
    _lock: Option<ServeLock>,
}

/// Stops an application from elsewhere.
#[derive(Clone)]
pub struct Stopper(ServerHandle);

/// Opens the store, brings its schema up to date, binds the listener and makes the server. The
/// address answers from here on; requests wait until the application runs.
///
/// # Errors
/// A sentence that names what is in the way: keys, database, another server, the address.
pub async fn build(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
) -> Outcome<App> {
    let lock = settings.database_url.embedded_path().as_deref().map(ServeLock::take).transpose()?;
    let keys = keys::load(settings, &*randomness)?;
    let store = open(settings, keys.clone(), Arc::clone(&randomness)).await?;
    let listener = TcpListener::bind(settings.listen)
        .map_err(|error| Failure::caused(format!("{} is not free to listen on", settings.listen), &error))?;
    let no_server = |error: std::io::Error| Failure::caused("the server cannot start", &error);
    let address = listener.local_addr().map_err(no_server)?;
    let api = PartnerApi {
        store: Arc::clone(&store),
        clock: Arc::clone(&clock),
        randomness,
        keys,
        settings: http_settings(settings),
    };
    let server = payroll_adapter_http::serve(api, listener).map_err(no_server)?;
    Ok(App { address, server, store, clock, _lock: lock })
}

/// Opens the store for a command beside the server: no lock, no listener.
///
/// # Errors
/// As [`build`], as far as keys and database go.
pub async fn open_store(settings: &Settings, randomness: Arc<dyn Randomness>) -> Outcome<Arc<dyn Store>> {
    open(settings, keys::load(settings, &*randomness)?, randomness).await
}

impl App {
    /// The address that links begin with when nothing else is set.
    #[must_use]
    pub fn base_address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address that it listens on, with the port that the system chose.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What is stored, for the operator's commands.
    #[must_use]
    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// What stops it.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(self.server.handle())
    }

    /// Answers requests until it is stopped.
    ///
    /// # Errors
    /// The server ended by itself.
    pub async fn run(self) -> Outcome {
        let chores = tokio::spawn(housekeeping::run(self.store, self.clock));
        let ended = self.server.await;
        chores.abort();
        ended.map_err(|error| Failure::caused("the server failed", &error))
    }
}

impl Stopper {
    /// Takes no more requests, lets those under way end until the deadline of the settings, and
    /// returns when all is over.
    pub async fn stop(&self) {
        self.0.stop(true).await;
    }
}

async fn open(settings: &Settings, keys: KeySet, randomness: Arc<dyn Randomness>) -> Outcome<Arc<dyn Store>> {
    if let Some(path) = settings.database_url.embedded_path() {
        keys::make_folder_of(&path)?;
    }
    let database = payroll_adapter_db::Settings {
        url: settings.database_url.expose().to_owned(),
        connections: settings.database_connections as usize,
        streams: settings.max_streams as usize,
        keys,
        randomness,
    };
    payroll_adapter_db::open(database).await.map_err(|error| {
        Failure::caused(format!("the database {} cannot be used", settings.database_url.show()), &error)
    })
}

fn http_settings(settings: &Settings) -> HttpSettings {
    let seconds = |seconds: u32| Duration::from_secs(u64::from(seconds));
    HttpSettings {
        vendor: settings.vendor_token.clone(),
        notification_header: settings.notification_header.clone(),
        request_id_header: settings.request_id_header.clone(),
        correlation_header: settings.correlation_header.clone(),
        public_base_url: Some(settings.public_base_url.clone()).filter(|url| !url.is_empty()),
        token_lifetime_seconds: settings.token_lifetime_seconds,
        rate_limit_per_minute: Some(settings.rate_limit_per_minute).filter(|limit| *limit > 0),
        max_body_bytes: settings.max_body_bytes as usize,
        body_timeout: seconds(settings.body_timeout_seconds),
        head_timeout: seconds(settings.head_timeout_seconds),
        keep_alive: seconds(settings.keep_alive_seconds),
        max_connections: settings.max_connections as usize,
        workers: Some(settings.workers as usize),
        max_streams: settings.max_streams as usize,
        stream_timeout: seconds(settings.stream_timeout_seconds),
        shutdown_timeout: seconds(settings.shutdown_timeout_seconds),
    }
}
