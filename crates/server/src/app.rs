//! Builds the application from the settings. The commands `serve` and `demo` run the result of [`build_app`].
//! The tests build the same application with a clock that they control.

mod agents;
mod http;
mod listening;
mod local;
mod monitoring;
mod shutdown;
mod single_sign_on;
mod storage;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use payroll_adapter_http::{
    CertificateExpiry, Health, LimitChangeCounter, MetricSource, OperatorApi, PartnerApi, RequestLog,
    RequestLogWriter, TlsConfiguration, request_log,
};
pub use payroll_adapter_http::{OperatorRoute, RouteInfo, operator_routes, routes};
use payroll_adapter_webhook::Dispatcher;
use payroll_ports::keys::CurrentKeys;
use payroll_ports::{Clock, Randomness, Store};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::archive::ArchiveFolder;
use crate::backup::BackupSchedule;
use crate::backup_note;
use crate::config::Settings;
use crate::doctor::Doctor;
use crate::failure::{Failure, Outcome};
pub use crate::housekeeping::Housekeeper;
use crate::keys;
use crate::lock::ServeLock;
use crate::sandbox::{EmptySeed, SandboxClock, SandboxControls, SandboxSeed};
use crate::{database_file, durability, reserve, tls, webhooks};

pub(crate) use self::local::{create_local_operator, open_local_operator};
pub use self::shutdown::StopHandle;
pub use self::storage::{distribute_tables, open_or_create_store, open_store, partition_checks};

use self::http::{http_settings, operator_settings};
use self::listening::{BoundListener, listen_on_both_addresses, reload_certificates_on_change};
use self::monitoring::{create_health, create_metrics};

/// An application whose listeners are bound and that is ready to [`run`](App::run).
pub struct App {
    partner: BoundListener,
    operator: BoundListener,
    dispatcher: Dispatcher,
    request_writer: RequestLogWriter,
    health: Arc<Health>,
    stop_sender: watch::Sender<bool>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    housekeeper: Housekeeper,
    backups: Option<BackupSchedule>,
    /// The current keys, and the path of the key file if the keys come from a file. The server watches this
    /// file for changes.
    keys: (Option<PathBuf>, CurrentKeys),
    /// The time between reporting "not ready" and closing the listeners.
    shutdown_delay: Duration,
    /// The lock of the database, which is held while the application exists.
    _lock: Option<ServeLock>,
}

/// Opens the store, migrates its schema, binds both listeners and creates their servers. When this function
/// returns, clients can already connect, but their requests wait until [`App::run`].
///
/// # Errors
/// Returns a sentence about the cause: the keys, the database, another server that uses the database, or
/// the address of a listener.
pub async fn build_app(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
) -> Outcome<App> {
    build_app_with_seed(settings, clock, randomness, Arc::new(EmptySeed)).await
}

/// Builds an application like [`build_app`]. A reset of the sandbox stores the data of `seed`.
///
/// # Errors
/// Returns the same errors as [`build_app`].
pub(crate) async fn build_app_with_seed(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    seed: Arc<dyn SandboxSeed>,
) -> Outcome<App> {
    check_distinct_addresses(settings)?;
    ArchiveFolder::from_settings(settings).map_or(Ok(()), |folder| folder.try_to_write())?;
    database_file::check_database_creatable(settings)?;
    let certificates = load_certificates(settings)?;
    let mut lock =
        settings.database_url.embedded_path().as_deref().map(ServeLock::acquire_serve_lock).transpose()?;
    let keys = CurrentKeys::from(keys::load_keys(settings, &*randomness)?);
    let embedded = settings.database_url.embedded_path();
    embedded.as_deref().inspect(|path| reserve::delete_reserve_if_disk_is_full(path));
    let store = storage::open(settings, keys.clone(), Arc::clone(&randomness), lock.is_some()).await?;
    durability::reject_unsafe_durability(settings).await?;
    if let Some(lock) = &mut lock {
        lock.lock_database_file()?;
    }
    embedded.as_deref().inspect(|path| reserve::create_reserve(path));
    crate::sandbox::mark_as_sandbox_or_reject(settings, &*store).await?;
    let schema = payroll_adapter_db::newest_schema_version();
    let backups = BackupSchedule::from_settings(settings)?;
    let parts = AppParts { certificates, keys, store, schema, lock, backups, seed };
    assemble_app(settings, parts, clock, randomness)
}

/// Builds the application on a store from another crate. `open` receives the keys of the settings and returns
/// the store.
///
/// The store itself must check that its schema is new enough and that a second server may use it. No lock is
/// taken, and `database_url` is not used. The page `docs/storage-adapter.md` describes how to implement a
/// store.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use payroll_server::app;
/// use payroll_server::config::{SettingFlags, SettingSources, Settings};
/// use payroll_server::failure::Outcome;
/// use payroll_server::system::{SystemClock, SystemRandomness};
///
/// # mod my_crate {
/// #     use {payroll_ports::Store, payroll_ports::keys::CurrentKeys, payroll_server::failure::Outcome};
/// #     pub(super) async fn open(_: CurrentKeys) -> Outcome<std::sync::Arc<dyn Store>> { unimplemented!() }
/// # }
/// async fn serve() -> Outcome {
///     let sources = SettingSources::gather_sources(std::env::vars_os(), &SettingFlags::default())?;
///     let settings = Settings::load(&sources)?;
///     let open = async |keys| my_crate::open(keys).await;
///     app::build_app_on_store(&settings, Arc::new(SystemClock), Arc::new(SystemRandomness), open).await?.run().await
/// }
/// ```
///
/// # Errors
/// Returns the errors of [`build_app`] and of `open`.
pub async fn build_app_on_store(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    open: impl AsyncFnOnce(CurrentKeys) -> Outcome<Arc<dyn Store>>,
) -> Outcome<App> {
    check_distinct_addresses(settings)?;
    ArchiveFolder::from_settings(settings).map_or(Ok(()), |folder| folder.try_to_write())?;
    let certificates = load_certificates(settings)?;
    let keys = CurrentKeys::from(keys::load_keys(settings, &*randomness)?);
    let store = open(keys.clone()).await?;
    crate::sandbox::mark_as_sandbox_or_reject(settings, &*store).await?;
    let seed = Arc::new(EmptySeed);
    let parts =
        AppParts { certificates, keys, store, schema: String::new(), lock: None, backups: None, seed };
    assemble_app(settings, parts, clock, randomness)
}

/// The parts from which an application is assembled, in addition to its settings.
struct AppParts {
    /// The certificates of the partner listener and of the operator listener.
    certificates: [Option<TlsConfiguration>; 2],
    keys: CurrentKeys,
    store: Arc<dyn Store>,
    /// The newest schema version that this program knows, which is compared with the database to determine
    /// the readiness. The text is empty for a store from another crate.
    schema: String,
    lock: Option<ServeLock>,
    backups: Option<BackupSchedule>,
    /// The initial data of a sandbox.
    seed: Arc<dyn SandboxSeed>,
}

/// Loads the certificates of the partner listener and of the operator listener, if the settings have any.
fn load_certificates(settings: &Settings) -> Outcome<[Option<TlsConfiguration>; 2]> {
    Ok([tls::load_partner_tls(settings)?, tls::load_operator_tls(settings)?])
}

/// Returns an entry for each listener with a certificate: the name of the listener, and a function that
/// returns the expiry date of the certificate.
fn certificate_expiries_by_name(
    certificates: &[Option<TlsConfiguration>; 2],
) -> Vec<(&'static str, CertificateExpiry)> {
    let listeners = ["partner", "operator"].into_iter().zip(certificates);
    listeners
        .filter_map(|(name, tls)| {
            Some((name, Box::new(tls.as_ref()?.expiry_reporter()) as CertificateExpiry))
        })
        .collect()
}

fn assemble_app(
    settings: &Settings,
    parts: AppParts,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
) -> Outcome<App> {
    let AppParts { certificates, keys, store, schema, lock, backups, seed } = parts;
    let (clock, sandbox_clock) = choose_clock(settings, clock);
    let sender = Arc::new(webhooks::create_sender(settings, Some(keys.clone()))?);
    let dispatcher = Dispatcher::new(
        Arc::clone(&store),
        Arc::clone(&sender),
        Arc::clone(&clock),
        webhooks::dispatch_settings(settings),
    );
    let health = create_health(Arc::clone(&store), schema, &dispatcher);
    health.watch_certificates(certificate_expiries_by_name(&certificates));
    let (requests, request_writer) = request_log(Arc::clone(&store), settings.request_log_days > 0);
    let sources = metric_sources(settings, &dispatcher, &requests);
    let metrics = create_metrics(&store, &clock, &health, sources);
    let housekeeper = || {
        let chance = (Arc::clone(&clock), Arc::clone(&randomness));
        Housekeeper::new(Arc::clone(&store), chance, settings)
    };
    let sandbox = sandbox_clock.map(|own| {
        let database = (Arc::clone(&store), settings.database_url.name());
        let used = (dispatcher.metrics(), requests.clone());
        SandboxControls::create_sandbox_controls(database, own, used, (seed, housekeeper()))
    });
    let sent = Some(dispatcher.metrics());
    let oversight = Doctor::new(settings, Arc::clone(&clock), Arc::clone(&randomness), sent);
    let limits = Arc::new(LimitChangeCounter::default());
    let partner = PartnerApi {
        store: Arc::clone(&store),
        replica: storage::open_replica(settings, keys.clone(), Arc::clone(&randomness))?,
        clock: Arc::clone(&clock),
        randomness: Arc::clone(&randomness),
        health: Arc::clone(&health),
        metrics: Arc::clone(&metrics),
        limits: Arc::clone(&limits),
        keys: keys.clone(),
        addresses: sender,
        requests,
        agents: agents::partner_agent_handler(settings),
        settings: http_settings(settings),
    };
    let operator = OperatorApi {
        store: Arc::clone(&store),
        clock: Arc::clone(&clock),
        randomness: Arc::clone(&randomness),
        health: Arc::clone(&health),
        metrics,
        limits,
        sandbox,
        diagnostics: oversight,
        agents: agents::operator_agent_handler(settings),
        identity: single_sign_on::create_identity_provider(settings, Arc::clone(&clock))?,
        settings: operator_settings(settings),
    };
    let [partner, operator] = listen_on_both_addresses(settings, partner, operator, certificates)?;
    Ok(App {
        partner,
        operator,
        dispatcher,
        request_writer,
        health,
        stop_sender: watch::Sender::new(false),
        shutdown_delay: shutdown::shutdown_pause(settings),
        keys: (keys::key_file_path(settings), keys),
        housekeeper: housekeeper(),
        backups,
        clock: Arc::clone(&clock),
        store,
        _lock: lock,
    })
}

/// Returns the sources of metrics: deliveries, the request log, and the time of the last backup.
fn metric_sources(settings: &Settings, dispatcher: &Dispatcher, requests: &RequestLog) -> Vec<MetricSource> {
    let (sent, logged) = (dispatcher.metrics(), requests.clone());
    vec![
        Box::new(move || sent.to_metrics()),
        Box::new(move || logged.metrics()),
        backup_note::metric_source(settings),
    ]
}

/// Returns the clock of the application. In a sandbox, the second value is the same clock, with the functions
/// that set it. Otherwise the second value is `None`.
fn choose_clock(settings: &Settings, clock: Arc<dyn Clock>) -> (Arc<dyn Clock>, Option<Arc<SandboxClock>>) {
    if !settings.sandbox {
        return (clock, None);
    }
    let own = Arc::new(SandboxClock::new(clock));
    (Arc::clone(&own) as Arc<dyn Clock>, Some(own))
}

/// Rejects settings in which both listeners have the same address. Without this validation, binding the
/// second listener fails with an error that does not mention the settings.
fn check_distinct_addresses(settings: &Settings) -> Outcome {
    if settings.listen == settings.operator_listen && settings.listen.port() != 0 {
        return Err(Failure::new("settings `listen` and `operator_listen` must be different addresses"));
    }
    Ok(())
}

impl App {
    /// Returns the default base address of links for partners.
    #[must_use]
    pub fn base_address(&self) -> String {
        self.partner.base_address()
    }

    /// Returns the address for the flag `--url` of operator commands.
    #[must_use]
    pub fn operator_base_address(&self) -> String {
        self.operator.base_address()
    }

    /// Returns the expiry dates of the certificates of the partner listener and of the operator listener.
    /// `None` for a listener without a certificate.
    #[must_use]
    pub fn certificate_expiries(&self) -> [Option<String>; 2] {
        [&self.partner, &self.operator].map(BoundListener::certificate_expiry)
    }

    /// Returns the address of the partner listener, with its actual port.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.partner.address
    }

    /// Returns the address of the operator listener, with its actual port.
    #[must_use]
    pub const fn operator_address(&self) -> SocketAddr {
        self.operator.address
    }

    /// Returns the store of the application, for operator commands.
    #[must_use]
    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// Returns the clock of the application. The clock of a sandbox may have been set.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// Returns a handle that stops the application.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle {
            health: Arc::clone(&self.health),
            stop_sender: self.stop_sender.clone(),
            listeners: [self.partner.stopper(), self.operator.stopper()],
            shutdown_delay: self.shutdown_delay,
        }
    }

    /// Serves requests until the application is stopped. If one listener fails, the other listener stops too.
    ///
    /// # Errors
    /// Fails if the server of a listener ends without being stopped.
    pub async fn run(self) -> Outcome {
        let chores = tokio::spawn(self.housekeeper.run());
        let clock = Arc::clone(&self.clock);
        let backups = self.backups.map(|backups| tokio::spawn(backups.run(clock)));
        let (key_file, keys) = self.keys;
        let following = key_file.map(|file| tokio::spawn(keys::reload_on_change(file, keys)));
        let mut stopping = self.stop_sender.subscribe();
        let sending = tokio::spawn(self.dispatcher.run_until(async move {
            // If the sender of the stop signal was dropped, the wait also ends, and the application stops.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        }));
        let (stop_noting, noted) = oneshot::channel::<()>();
        let noting = tokio::spawn(self.request_writer.run_until(async { drop(noted.await) }));
        let certificates =
            [self.partner.tls, self.operator.tls].map(|tls| tokio::spawn(reload_certificates_on_change(tls)));
        let ended = tokio::try_join!(self.partner.server, self.operator.server);
        chores.abort();
        backups.iter().for_each(JoinHandle::abort);
        following.iter().for_each(JoinHandle::abort);
        certificates.iter().for_each(JoinHandle::abort);
        self.stop_sender.send_replace(true);
        drop(stop_noting);
        if let Err(error) = sending.await {
            tracing::error!(%error, "sending notifications ended with an error");
        }
        if let Err(error) = noting.await {
            tracing::error!(%error, "writing the request log ended with an error");
        }
        ended.map(|_| ()).map_err(|error| Failure::with_cause("the server failed", &error))
    }
}
