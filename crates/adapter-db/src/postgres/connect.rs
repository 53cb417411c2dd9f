//! Opens connections to PostgreSQL from an address.
//!
//! The driver does not support `verify-full` and `sslrootcert` and leaves TLS to its caller, so this module
//! handles these parameters. The modes `require` and `verify-ca` are treated like `verify-full`, because a
//! certificate whose host name is not verified gives no protection.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use diesel::{ConnectionError, ConnectionResult};
use diesel_async::AsyncPgConnection;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::{ParsedAddress, invalid_address_failure};
use super::causes::format_with_causes;
use super::dial::{ConnectError, OpenedConnection, ServerList};
use super::reports::RecentErrorReports;
use super::socket::ConnectionDriver;
use super::tls::{AcceptAnyCertificate, create_connector, create_verifier};
use crate::error::{Failure, Outcome};

/// The maximum time for opening a connection, including its first statements. The address can override this
/// time with `connect_timeout`. The time applies to each server of the address separately.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The idle time before a TCP keepalive probe. Probes keep firewalls from dropping the connection, and remove
/// dead connections from the pool.
const KEEP_ALIVE_IDLE: Duration = Duration::from_secs(30);
/// The maximum time for the TCP acknowledgement of sent data, before the connection is treated as broken.
const ACKNOWLEDGEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// The limits of a session or a transaction: for locks, for statements, and for idle transactions. A
/// statement sets these limits, because some poolers reject them as startup parameters. Limits in the
/// `options` of the address take precedence.
///
/// Commits always wait for the local disk, even if the server's default is weaker. If the server's default
/// also waits for a standby, that default is kept.
const SESSION_LIMITS: [(&str, &str); 5] = [
    ("lock_timeout", "'5s'"),
    ("statement_timeout", "'30s'"),
    ("idle_in_transaction_session_timeout", "'60s'"),
    ("jit", "'off'"),
    (
        "synchronous_commit",
        "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END",
    ),
];
/// Sets the interval at which PostgreSQL tests whether the client is still connected. Without this test,
/// sessions of a crashed payroll server would continue to wait or work. The interval is half a second if
/// PostgreSQL's version and operating system support the test. Otherwise such sessions only end at the other
/// limits. The placeholder `{is_local}` is replaced by false for a session and by true for a transaction.
const SET_DISCONNECT_CHECK: &str = "CASE WHEN version() LIKE '%linux%' \
    AND current_setting('client_connection_check_interval', true) IS NOT NULL \
    THEN set_config('client_connection_check_interval', '500ms', {is_local}) END";
/// The first number of the advisory lock that all sessions of a process share. The second number of the
/// lock is the process number. The first number is arbitrary, but no other program may use it for such
/// locks in the database.
pub(super) const PROCESS_LOCK_CLASS: i32 = 7_219_045;

/// The settings for connecting to a database.
#[derive(Clone)]
pub(crate) struct DatabaseConnector {
    settings: Config,
    servers: ServerList,
    /// The statements that are sent at the start of a session.
    session: Arc<str>,
    /// The statement that acquires the lock by which other processes detect this process. The text is empty
    /// if connections are not bound to sessions.
    presence_lock_sql: Arc<str>,
    /// The connector for TLS. `None` if TLS is disabled.
    tls: Option<MakeRustlsConnect>,
    /// Whether the address has no `sslmode`, so that the TLS mode is the default.
    encryption_is_default: bool,
    /// The runtime on which the database was opened. This runtime ends after all other runtimes and takes
    /// over their connections.
    runtime: Option<Handle>,
}

/// The TLS mode of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TlsMode {
    /// The mode `disable`, without TLS.
    Never,
    /// The mode `prefer`: TLS if the server offers it, without verification. This mode only protects against
    /// passive attackers.
    WhereOffered,
    /// The modes `require`, `verify-ca` and `verify-full`.
    Always,
}

impl DatabaseConnector {
    /// Reads the address of a database.
    ///
    /// # Errors
    /// The address is invalid, or its certificates cannot be used. The error contains no password.
    pub(crate) fn from_url(url: &str) -> Outcome<Self> {
        let ParsedAddress { driver_url: rest, mode, roots } = ParsedAddress::parse(url)?;
        // The driver's own message may repeat a part of the address, which can contain a password. The
        // message is therefore replaced.
        let parsed = Config::from_str(&rest)
            .map_err(|_| invalid_address_failure("the value is not a PostgreSQL URL"))?;
        let mut settings = with_connection_timeouts(parsed);
        let encryption = TlsMode::from_mode(mode.as_deref(), &settings)?;
        if roots.is_some() && encryption != TlsMode::Always {
            return Err(invalid_address_failure(
                "sslrootcert requires sslmode=verify-full: all other modes ignore it",
            ));
        }
        settings.ssl_mode(match encryption {
            TlsMode::Never => SslMode::Disable,
            TlsMode::WhereOffered => SslMode::Prefer,
            TlsMode::Always => SslMode::Require,
        });
        let tls = match encryption {
            TlsMode::Never => None,
            TlsMode::WhereOffered => Some(create_connector(Arc::new(AcceptAnyCertificate))?),
            TlsMode::Always => Some(create_connector(create_verifier(roots.as_deref())?)?),
        };
        let servers = ServerList::from_settings(&settings)?;
        let session = limits_sql(settings.get_options().unwrap_or_default(), false).into();
        let (encryption_is_default, runtime) = (mode.is_none(), Handle::try_current().ok());
        Ok(Self {
            settings,
            servers,
            session,
            presence_lock_sql: "".into(),
            tls,
            encryption_is_default,
            runtime,
        })
    }

    /// Returns settings for a process that other processes can detect. The process is visible as long as one
    /// of its sessions exists.
    pub(super) fn with_process(mut self, process: i32) -> Self {
        self.presence_lock_sql = lock_process_sql(process).into();
        self.session = format!("{}; {}", self.session, self.presence_lock_sql).into();
        self
    }

    /// Returns settings for another database on the same servers. Connections use any server that responds,
    /// even a standby.
    pub(super) fn with_database(&self, name: &str) -> Self {
        let mut other = self.clone();
        other.settings.dbname(name).target_session_attrs(TargetSessionAttrs::Any);
        other
    }

    /// Returns settings for another server, with a time limit for opening a connection. TLS is the same as if
    /// the address contained that server.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub(super) fn with_server(&self, host: &str, port: u16, timeout: Duration) -> Outcome<Self> {
        let mut other = self.clone();
        other.servers = self.servers.with_address(host, port);
        other.settings.connect_timeout(timeout).target_session_attrs(TargetSessionAttrs::Any);
        if self.encryption_is_default && !is_local_host(&Host::Tcp(host.to_owned())) {
            other.settings.ssl_mode(SslMode::Prefer);
            other.tls = Some(create_connector(Arc::new(AcceptAnyCertificate))?);
        }
        Ok(other)
    }

    /// Returns settings for connections through a pooler that may use a different session for each
    /// transaction. No statements are sent at the start of a session. The limits are set in each transaction
    /// instead ([`DatabaseConnector::transaction_limits_sql`]), and sessions do not identify the process that
    /// uses them.
    pub(super) fn with_transaction_pooling(mut self) -> Self {
        (self.session, self.presence_lock_sql) = ("".into(), "".into());
        self
    }

    /// Returns the statement that sets the limits for one transaction.
    pub(super) fn transaction_limits_sql(&self) -> String {
        limits_sql(self.settings.get_options().unwrap_or_default(), true)
    }

    /// Returns the statement that identifies the process of a session.
    pub(super) fn presence_lock_sql(&self) -> &str {
        &self.presence_lock_sql
    }

    /// Returns the error reports of the database, which all connections with these settings share.
    pub(crate) fn error_reports(&self) -> &Arc<RecentErrorReports> {
        self.servers.error_reports()
    }

    /// Returns the runtime for tasks that live as long as the database is open.
    pub(super) fn runtime(&self) -> Option<&Handle> {
        self.runtime.as_ref()
    }

    /// Connects to one of the servers of the address within the time limit.
    pub(super) async fn connect_to_server(
        &self,
        timeout: Duration,
    ) -> Result<OpenedConnection, ConnectError> {
        self.servers.connect_to_server(&self.settings, self.tls.as_ref(), timeout).await
    }

    /// Opens a connection to the database.
    pub(crate) async fn open_connection(&self) -> ConnectionResult<AsyncPgConnection> {
        let client = self.open_client().await.map_err(ConnectionError::BadConnection)?;
        AsyncPgConnection::try_from(client).await
    }

    /// Opens a connection outside the pool, for example for migrations and diagnostics.
    ///
    /// # Errors
    /// The connection cannot be opened.
    pub(crate) async fn connect_client(&self) -> Outcome<Client> {
        self.open_client().await.map_err(Failure::Unavailable)
    }

    /// Opens a connection without the statements that start a session.
    ///
    /// # Errors
    /// The connection cannot be opened.
    pub(crate) async fn connect_without_session(&self) -> Outcome<Client> {
        self.open_raw_client().await.map_err(Failure::Unavailable)
    }

    /// Opens a connection and starts its session. A task on the caller's runtime drives the connection.
    async fn open_client(&self) -> Result<Client, String> {
        let client = self.open_raw_client().await?;
        if self.session.is_empty() {
            return Ok(client);
        }
        match timeout(self.connect_timeout(), client.batch_execute(&self.session)).await {
            Ok(Ok(())) => Ok(client),
            Ok(Err(error)) => Err(format_with_causes(&error)),
            Err(_) => Err("the server accepted the connection, and then did not respond".to_owned()),
        }
    }

    async fn open_raw_client(&self) -> Result<Client, String> {
        let connected = self
            .connect_to_server(self.connect_timeout())
            .await
            .map_err(|unreachable| unreachable.problem)?;
        let OpenedConnection { client, messages, moved } = connected;
        drop(tokio::spawn(ConnectionDriver::new(messages, moved, self.runtime.clone())));
        Ok(client)
    }

    fn connect_timeout(&self) -> Duration {
        self.settings.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT)
    }
}

/// Returns the statement that sets the limits of a session, or of one transaction if `is_local`. The
/// statement omits limits that the address sets in its `options`.
fn limits_sql(own_options: &str, is_local: bool) -> String {
    let left = SESSION_LIMITS.iter().filter(|(name, _)| !own_options.contains(name));
    let set: String =
        left.map(|(name, value)| format!("set_config('{name}', {value}, {is_local}), ")).collect();
    format!("SELECT {set}{}", SET_DISCONNECT_CHECK.replace("{is_local}", &is_local.to_string()))
}

/// Returns the statement that acquires the lock of a process in shared mode, until the session ends. Another
/// process detects this lock by trying to acquire the exclusive lock in one short transaction.
fn lock_process_sql(process: i32) -> String {
    format!("SELECT pg_advisory_lock_shared({PROCESS_LOCK_CLASS}, {process})")
}

impl TlsMode {
    fn from_mode(mode: Option<&str>, settings: &Config) -> Outcome<Self> {
        match mode {
            Some("disable") => Ok(Self::Never),
            Some("prefer") => Ok(Self::WhereOffered),
            Some("require" | "verify-ca" | "verify-full") => Ok(Self::Always),
            Some(_) => Err(invalid_address_failure(
                "sslmode must be disable, prefer, require, verify-ca or verify-full",
            )),
            // A connection between two programs on one machine needs no TLS.
            None if settings.get_hosts().iter().all(is_local_host) => Ok(Self::Never),
            None => Ok(Self::WhereOffered),
        }
    }
}

fn is_local_host(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn with_connection_timeouts(mut settings: Config) -> Config {
    if settings.get_connect_timeout().is_none() {
        settings.connect_timeout(CONNECT_TIMEOUT);
    }
    settings.keepalives_idle(KEEP_ALIVE_IDLE).tcp_user_timeout(ACKNOWLEDGEMENT_TIMEOUT);
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_tls_mode(url: &str) -> Option<TlsMode> {
        let address = ParsedAddress::parse(url).ok()?;
        TlsMode::from_mode(address.mode.as_deref(), &Config::from_str(&address.driver_url).unwrap()).ok()
    }

    #[test]
    fn keeps_the_session_options_of_a_database_url() {
        let sql = limits_sql("-c lock_timeout=1s", false);
        assert!(!sql.contains("lock_timeout', '5s'"), "{sql}");
        assert!(sql.contains("set_config('statement_timeout', '30s', false)"), "{sql}");
        assert!(limits_sql("", true).contains("set_config('lock_timeout', '5s', true)"));
    }

    #[test]
    fn requests_tls_from_remote_servers_only() {
        for (url, expected) in [
            ("postgres://127.0.0.1/pay", Some(TlsMode::Never)),
            ("postgres://localhost:5433/pay", Some(TlsMode::Never)),
            ("postgres:///pay?host=/run/postgresql", Some(TlsMode::Never)),
            ("postgres://db.example.org/pay", Some(TlsMode::WhereOffered)),
            ("postgres://localhost,db.example.org/pay", Some(TlsMode::WhereOffered)),
            ("postgres://127.0.0.1/pay?sslmode=prefer", Some(TlsMode::WhereOffered)),
            ("postgres://127.0.0.1/pay?sslmode=verify-ca", Some(TlsMode::Always)),
            ("postgres://db.example.org/pay?sslmode=disable", Some(TlsMode::Never)),
            ("postgres://db.example.org/pay?sslmode=allow", None),
            ("postgres://db.example.org/pay?sslmode=", None),
        ] {
            assert_eq!(find_tls_mode(url), expected, "{url}");
        }
    }
}
