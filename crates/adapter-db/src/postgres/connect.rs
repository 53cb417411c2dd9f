//! How a connection to PostgreSQL is made: what its address says.
//!
//! The driver knows neither `verify-full` nor `sslrootcert` and leaves TLS to its user, so these are
//! taken out of the address here. A certificate is verified completely or not at all: nothing is gained
//! by one whose name is not checked, so `require` and `verify-ca` require as much as `verify-full`.

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

use super::address::{Address, refused};
use super::causes::with_causes;
use super::dial::{Dialled, Servers, Unreachable};
use super::reports::Reports;
use super::socket::Driver;
use super::tls::{Anybody, connector, verifier};
use crate::error::{Failure, Outcome};

/// How long opening a connection may take, with everything that is said at its beginning, where the
/// address says nothing else (`connect_timeout`). Each server of the address has it for itself.
const CONNECT: Duration = Duration::from_secs(5);
/// An idle connection is probed after this time (TCP keepalive), so that firewalls do not forget it,
/// and one whose other end is gone does not stay in the pool.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// How long what was sent may go without its receipt before the connection counts as broken.
const RECEIPT: Duration = Duration::from_secs(10);
/// The waits of a session, or of a transaction, are bounded: for a lock, for a statement, for us. This is set
/// by a statement, which passes every pooler, and not at the start, where some reject it. What the address sets
/// itself of these (`options`) holds.
///
/// What is committed is on the disk, whatever the server's default; a server that waits for more than that,
/// until a standby shows it, goes on doing so.
const LIMITS: [(&str, &str); 5] = [
    ("lock_timeout", "'5s'"),
    ("statement_timeout", "'30s'"),
    ("idle_in_transaction_session_timeout", "'60s'"),
    ("jit", "'off'"),
    (
        "synchronous_commit",
        "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END",
    ),
];
/// A server that dies leaves sessions behind that wait for a lock, or work on. PostgreSQL notices within half a
/// second that no client will read their responses, and ends them. Where its system cannot detect that, or it is
/// too old to look, they end by the other limits. Set where the braces say: in a session or a transaction.
const NOTICE: &str = "CASE WHEN version() LIKE '%linux%' \
    AND current_setting('client_connection_check_interval', true) IS NOT NULL \
    THEN set_config('client_connection_check_interval', '500ms', {is_local}) END";
/// The lock that the sessions of a process share is this number and that of the process. Any number will
/// do, as long as no other program of the database takes locks of two numbers with it.
pub(super) const PRESENCE: i32 = 7_219_045;

/// The way to a database.
#[derive(Clone)]
pub(crate) struct Way {
    settings: Config,
    servers: Servers,
    /// The statements that begin a session.
    session: Arc<str>,
    /// The one of these that says whose session it is; empty where no process is to know.
    presence: Arc<str>,
    /// `None`: TLS is not spoken.
    tls: Option<MakeRustlsConnect>,
    /// The address says nothing of TLS.
    encryption_is_default: bool,
    /// The runtime on which the database was opened. It ends last, and takes over the connections of
    /// those that end before.
    home: Option<Handle>,
}

/// What an address says about TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    /// `disable`.
    Never,
    /// `prefer`: where the server offers it, without verifying the server. It protects against those who
    /// only listen.
    WhereOffered,
    /// `require`, `verify-ca`, `verify-full`.
    Always,
}

impl Way {
    /// Reads the address of a database.
    ///
    /// # Errors
    /// What is no address, or names certificates that cannot be used. The sentence shows no password.
    pub(crate) fn of(url: &str) -> Outcome<Self> {
        let Address { rest, mode, roots } = Address::of(url)?;
        // The driver's own words may repeat a part of the address.
        let parsed = Config::from_str(&rest).map_err(|_| refused("it is not a PostgreSQL address"))?;
        let mut settings = with_session(parsed);
        let encryption = Encryption::of(mode.as_deref(), &settings)?;
        if roots.is_some() && encryption != Encryption::Always {
            return Err(refused("sslrootcert goes with sslmode=verify-full: with no other is it looked at"));
        }
        settings.ssl_mode(match encryption {
            Encryption::Never => SslMode::Disable,
            Encryption::WhereOffered => SslMode::Prefer,
            Encryption::Always => SslMode::Require,
        });
        let tls = match encryption {
            Encryption::Never => None,
            Encryption::WhereOffered => Some(connector(Arc::new(Anybody))?),
            Encryption::Always => Some(connector(verifier(roots.as_deref())?)?),
        };
        let servers = Servers::of(&settings)?;
        let session = limits(settings.get_options().unwrap_or_default(), false).into();
        let (encryption_is_default, home) = (mode.is_none(), Handle::try_current().ok());
        Ok(Self { settings, servers, session, presence: "".into(), tls, encryption_is_default, home })
    }

    /// The same for a process that others are to see: it is there as long as one of its sessions is.
    pub(super) fn of_process(mut self, process: i32) -> Self {
        self.presence = presence(process).into();
        self.session = format!("{}; {}", self.session, self.presence).into();
        self
    }

    /// The same to another database of the server, and to whichever of its servers responds.
    pub(super) fn to_database(&self, name: &str) -> Self {
        let mut other = self.clone();
        other.settings.dbname(name).target_session_attrs(TargetSessionAttrs::Any);
        other
    }

    /// The same to one other server, which may take that long to be connected to. TLS is as it would be if the
    /// address named that server.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub(super) fn to_node(&self, host: &str, port: u16, patience: Duration) -> Outcome<Self> {
        let mut other = self.clone();
        other.servers = self.servers.at(host, port);
        other.settings.connect_timeout(patience).target_session_attrs(TargetSessionAttrs::Any);
        if self.encryption_is_default && !is_here(&Host::Tcp(host.to_owned())) {
            other.settings.ssl_mode(SslMode::Prefer);
            other.tls = Some(connector(Arc::new(Anybody))?);
        }
        Ok(other)
    }

    /// The same for connections that are another session in each transaction: what a session begins with is
    /// said in each transaction instead ([`Way::limits`]), and no session belongs to a process.
    pub(super) fn of_transactions(mut self) -> Self {
        (self.session, self.presence) = ("".into(), "".into());
        self
    }

    /// The statement that sets the limits of one transaction.
    pub(super) fn limits(&self) -> String {
        limits(self.settings.get_options().unwrap_or_default(), true)
    }

    /// The statement by which a session says whose it is.
    pub(super) fn presence(&self) -> &str {
        &self.presence
    }

    /// What the database reports of its errors, on all connections that were made this way.
    pub(crate) fn reports(&self) -> &Arc<Reports> {
        self.servers.reports()
    }

    /// The runtime for what is to live as long as the database is open.
    pub(super) fn home(&self) -> Option<&Handle> {
        self.home.as_ref()
    }

    /// Connects to one of the servers, within that time.
    pub(super) async fn dial(&self, patience: Duration) -> Result<Dialled, Unreachable> {
        self.servers.dial(&self.settings, self.tls.as_ref(), patience).await
    }

    /// Opens a connection to the database.
    pub(crate) async fn establish(&self) -> ConnectionResult<AsyncPgConnection> {
        let client = self.driven().await.map_err(ConnectionError::BadConnection)?;
        AsyncPgConnection::try_from(client).await
    }

    /// Opens a connection for what is no query of the store.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(crate) async fn client(&self) -> Outcome<Client> {
        self.driven().await.map_err(Failure::Unavailable)
    }

    /// Opens a connection without the statements that begin a session.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(crate) async fn bare(&self) -> Outcome<Client> {
        self.opened().await.map_err(Failure::Unavailable)
    }

    /// A connection that a task drives, on the thread of the caller.
    async fn driven(&self) -> Result<Client, String> {
        let client = self.opened().await?;
        if self.session.is_empty() {
            return Ok(client);
        }
        match timeout(self.patience(), client.batch_execute(&self.session)).await {
            Ok(Ok(())) => Ok(client),
            Ok(Err(error)) => Err(with_causes(&error)),
            Err(_) => Err("the server has taken the connection and says nothing more".to_owned()),
        }
    }

    async fn opened(&self) -> Result<Client, String> {
        let dialled = self.dial(self.patience()).await.map_err(|unreachable| unreachable.problem)?;
        let Dialled { client, messages, moved } = dialled;
        drop(tokio::spawn(Driver::new(messages, moved, self.home.clone())));
        Ok(client)
    }

    fn patience(&self) -> Duration {
        self.settings.get_connect_timeout().copied().unwrap_or(CONNECT)
    }
}

/// The statement that sets the limits of a session or, as `is_local`, of one transaction, but for what the
/// address sets itself.
fn limits(own_options: &str, is_local: bool) -> String {
    let left = LIMITS.iter().filter(|(name, _)| !own_options.contains(name));
    let set: String =
        left.map(|(name, value)| format!("set_config('{name}', {value}, {is_local}), ")).collect();
    format!("SELECT {set}{}", NOTICE.replace("{is_local}", &is_local.to_string()))
}

/// Shares the lock of a process for as long as the session lasts. No process waits for it: one that wants to
/// know tries to have it alone, until the end of one short transaction.
fn presence(process: i32) -> String {
    format!("SELECT pg_advisory_lock_shared({PRESENCE}, {process})")
}

impl Encryption {
    fn of(mode: Option<&str>, settings: &Config) -> Outcome<Self> {
        match mode {
            Some("disable") => Ok(Self::Never),
            Some("prefer") => Ok(Self::WhereOffered),
            Some("require" | "verify-ca" | "verify-full") => Ok(Self::Always),
            Some(_) => Err(refused("sslmode must be disable, prefer, require, verify-ca or verify-full")),
            // No third program listens between two programs of one machine.
            None if settings.get_hosts().iter().all(is_here) => Ok(Self::Never),
            None => Ok(Self::WhereOffered),
        }
    }
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn with_session(mut settings: Config) -> Config {
    if settings.get_connect_timeout().is_none() {
        settings.connect_timeout(CONNECT);
    }
    settings.keepalives_idle(KEEP_ALIVE).tcp_user_timeout(RECEIPT);
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encryption(url: &str) -> Option<Encryption> {
        let address = Address::of(url).ok()?;
        Encryption::of(address.mode.as_deref(), &Config::from_str(&address.rest).unwrap()).ok()
    }

    #[test]
    fn what_an_address_says_of_a_session_holds() {
        let said = limits("-c lock_timeout=1s", false);
        assert!(!said.contains("lock_timeout', '5s'"), "{said}");
        assert!(said.contains("set_config('statement_timeout', '30s', false)"), "{said}");
        assert!(limits("", true).contains("set_config('lock_timeout', '5s', true)"));
    }

    #[test]
    fn another_machine_is_asked_for_tls_and_this_one_is_not() {
        for (url, expected) in [
            ("postgres://127.0.0.1/pay", Some(Encryption::Never)),
            ("postgres://localhost:5433/pay", Some(Encryption::Never)),
            ("postgres:///pay?host=/run/postgresql", Some(Encryption::Never)),
            ("postgres://db.example.org/pay", Some(Encryption::WhereOffered)),
            ("postgres://localhost,db.example.org/pay", Some(Encryption::WhereOffered)),
            ("postgres://127.0.0.1/pay?sslmode=prefer", Some(Encryption::WhereOffered)),
            ("postgres://127.0.0.1/pay?sslmode=verify-ca", Some(Encryption::Always)),
            ("postgres://db.example.org/pay?sslmode=disable", Some(Encryption::Never)),
            ("postgres://db.example.org/pay?sslmode=allow", None),
            ("postgres://db.example.org/pay?sslmode=", None),
        ] {
            assert_eq!(encryption(url), expected, "{url}");
        }
    }
}
