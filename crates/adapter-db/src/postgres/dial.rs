//! Chooses the server for a connection. An address may contain several hosts, and a host may resolve to
//! several IP addresses. Some servers may be dead, silent or a standby.
//!
//! The servers are tried in order. The attempt for the next server starts when the previous attempt fails. If
//! the previous attempt has not responded for [`NEXT_SERVER_DELAY`], the next attempt runs in parallel. The
//! first suitable server is used.
//!
//! A server may accept connections and then stay silent, for example if its process is stopped. Such a server
//! delays a connection by [`NEXT_SERVER_DELAY`]. Later connections start with the server that was used last.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::{BoxFuture, Either, select};
use futures_util::stream::{FuturesUnordered, poll_fn};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::config::{Host, LoadBalanceHosts, TargetSessionAttrs};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, NoTls, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::causes::format_with_causes;
use super::reports::{ErrorScanner, RecentErrorReports};
use super::socket::{MessageStream, Socket};
use super::traffic_tap::{ScannedStream, TlsConnector};
use crate::error::{Failure, Outcome};

/// The time without a response after which the next server is tried in parallel. This time is much longer
/// than a healthy server needs, and much shorter than a caller should wait.
const NEXT_SERVER_DELAY: Duration = Duration::from_millis(250);
/// The port if the address contains none.
const DEFAULT_PORT: u16 = 5432;

/// An open connection. The caller must start a task that drives it.
pub(super) struct OpenedConnection {
    pub(super) client: Client,
    pub(super) messages: MessageStream,
    pub(super) moved: Arc<AtomicBool>,
}

/// The error if no connection to a server could be opened.
#[derive(Debug)]
pub(super) struct ConnectError {
    /// Whether one of the servers did not respond at all.
    pub(super) is_unresponsive: bool,
    /// The problem of each server, with the name of the server.
    pub(super) problem: String,
}

/// The servers of an address.
#[derive(Clone)]
pub(super) struct ServerList {
    servers: Vec<Server>,
    /// The index of the server that is tried first.
    first_index: Arc<AtomicUsize>,
    /// Whether each connection starts with a different server of the list.
    load_balance: bool,
    /// The error reports of all servers.
    reports: Arc<RecentErrorReports>,
}

#[derive(Clone)]
struct Server {
    /// The host name for the certificate, which is empty for a local socket.
    name: String,
    address: ServerAddress,
}

#[derive(Clone)]
enum ServerAddress {
    Tcp {
        host: String,
        port: u16,
    },
    #[cfg(unix)]
    Unix(PathBuf),
}

/// The settings for connecting to a server.
#[derive(Clone, Copy)]
struct ConnectOptions<'a> {
    settings: &'a Config,
    tls: Option<&'a MakeRustlsConnect>,
    reports: &'a Arc<RecentErrorReports>,
}

impl ServerList {
    /// Reads the servers that the database URL names.
    ///
    /// # Errors
    /// The URL has no server, or it does not have equally many hosts, IP addresses and ports.
    pub(super) fn from_settings(settings: &Config) -> Outcome<Self> {
        let (hosts, addresses, ports) =
            (settings.get_hosts(), settings.get_hostaddrs(), settings.get_ports());
        let wrong = |problem: &str| Err(Failure::Unavailable(problem.to_owned()));
        let count = hosts.len().max(addresses.len());
        if count == 0 {
            return wrong("the database URL has no host");
        }
        if !hosts.is_empty() && !addresses.is_empty() && hosts.len() != addresses.len() {
            return wrong("host and hostaddr of the database URL must have the same number of entries");
        }
        if ports.len() > 1 && ports.len() != count {
            return wrong("the database URL must have one port for all hosts, or one port for each host");
        }
        let server = |at| {
            let port = ports.get(at).or(ports.first()).copied().unwrap_or(DEFAULT_PORT);
            Server::from_host(hosts.get(at), addresses.get(at).map(ToString::to_string), port)
        };
        let balanced = settings.get_load_balance_hosts() == LoadBalanceHosts::Random;
        let servers = (0..count).map(server).collect();
        Ok(Self { servers, first_index: Arc::default(), load_balance: balanced, reports: Arc::default() })
    }

    /// Returns a server list with only this host and port. The errors of both lists are reported together.
    pub(super) fn with_address(&self, host: &str, port: u16) -> Self {
        let address = ServerAddress::Tcp { host: host.to_owned(), port };
        let servers = vec![Server { name: host.to_owned(), address }];
        Self { servers, first_index: Arc::default(), load_balance: false, reports: Arc::clone(&self.reports) }
    }

    /// Returns the error reports of the servers.
    pub(super) fn error_reports(&self) -> &Arc<RecentErrorReports> {
        &self.reports
    }

    /// Connects to the first suitable server.
    pub(super) async fn connect_to_server(
        &self,
        settings: &Config,
        tls: Option<&MakeRustlsConnect>,
        timeout: Duration,
    ) -> Result<OpenedConnection, ConnectError> {
        let deadline = Instant::now() + timeout;
        let ways = ConnectOptions { settings, tls, reports: &self.reports };
        let count = self.servers.len().max(1);
        let first = match self.load_balance {
            true => self.first_index.fetch_add(1, Ordering::Relaxed),
            false => self.first_index.load(Ordering::Relaxed),
        };
        let mut attempts: Vec<ConnectAttempt<'_, _>> = Vec::with_capacity(count);
        for (at, server) in self.servers.iter().enumerate() {
            attempts.push(Box::pin(async move {
                Ok((at, server, server.connect_to_server(ways, deadline).await?))
            }));
        }
        attempts.rotate_left(first % count);
        let (at, server, connected) = first_successful_attempt(attempts).await?;
        if !self.load_balance && self.first_index.swap(at, Ordering::Relaxed) != at {
            tracing::warn!(
                server = server.display_name(),
                "connections to the database now go to another server"
            );
        }
        Ok(connected)
    }
}

impl Server {
    fn from_host(host: Option<&Host>, address: Option<String>, port: u16) -> Self {
        match (host, address) {
            #[cfg(unix)]
            (Some(Host::Unix(folder)), _) => {
                let address = ServerAddress::Unix(folder.join(format!(".s.PGSQL.{port}")));
                Self { name: String::new(), address }
            }
            (Some(Host::Tcp(name)), address) => {
                let host = address.unwrap_or_else(|| name.clone());
                Self { name: name.clone(), address: ServerAddress::Tcp { host, port } }
            }
            (None, address) => {
                let host = address.unwrap_or_default();
                Self { name: host.clone(), address: ServerAddress::Tcp { host, port } }
            }
        }
    }

    /// Returns the name of the server for error messages.
    fn display_name(&self) -> String {
        match &self.address {
            ServerAddress::Tcp { port, .. } => format!("{}:{port}", self.name),
            #[cfg(unix)]
            ServerAddress::Unix(path) => path.display().to_string(),
        }
    }

    /// Connects to the first suitable IP address to which the name of the server resolves.
    async fn connect_to_server(
        &self,
        options: ConnectOptions<'_>,
        deadline: Instant,
    ) -> Result<OpenedConnection, ConnectError> {
        let connected = timeout_at(deadline, async {
            match &self.address {
                ServerAddress::Tcp { host, port } => {
                    let addresses = tokio::net::lookup_host((host.as_str(), *port)).await;
                    let addresses: Vec<SocketAddr> =
                        addresses.map_err(|error| self.to_connect_error(&error))?.collect();
                    let mut attempts: Vec<ConnectAttempt<'_, _>> = Vec::with_capacity(addresses.len());
                    for address in addresses {
                        attempts.push(Box::pin(self.connect_to_address(options, address)));
                    }
                    first_successful_attempt(attempts).await
                }
                #[cfg(unix)]
                ServerAddress::Unix(path) => {
                    let stream =
                        UnixStream::connect(path).await.map_err(|error| self.to_connect_error(&error))?;
                    let opened = self
                        .start_session(ConnectOptions { tls: None, ..options }, Socket::from_unix(stream))
                        .await;
                    opened.map_err(|problem| self.new_connect_error(&problem))
                }
            }
        });
        connected.await.unwrap_or_else(|_| {
            Err(ConnectError {
                is_unresponsive: true,
                problem: format!("{} does not respond", self.display_name()),
            })
        })
    }

    async fn connect_to_address(
        &self,
        options: ConnectOptions<'_>,
        address: SocketAddr,
    ) -> Result<OpenedConnection, ConnectError> {
        let stream = TcpStream::connect(address).await;
        let socket = stream.and_then(|stream| Socket::from_tcp(stream, options.settings));
        let socket = socket.map_err(|error| self.to_connect_error(&error))?;
        self.start_session(options, socket).await.map_err(|problem| self.new_connect_error(&problem))
    }

    fn to_connect_error(&self, error: &io::Error) -> ConnectError {
        self.new_connect_error(&error.to_string())
    }

    fn new_connect_error(&self, problem: &str) -> ConnectError {
        ConnectError { is_unresponsive: false, problem: format!("{}: {problem}", self.display_name()) }
    }

    /// Starts a session on the socket, and verifies that the server is of the required kind.
    async fn start_session(
        &self,
        options: ConnectOptions<'_>,
        socket: Socket,
    ) -> Result<OpenedConnection, String> {
        let ConnectOptions { settings, tls, reports } = options;
        let moved = socket.runtime_moved_flag();
        let socket = ScannedStream::new(socket, ErrorScanner::new(Arc::clone(reports), tls.is_some()));
        let failed = |error: tokio_postgres::Error| format_with_causes(&error);
        let (client, mut messages) = match tls {
            Some(tls) => {
                let tls = MakeTlsConnect::<Socket>::make_tls_connect(&mut tls.clone(), &self.name);
                let tls = tls.map_err(|error| error.to_string())?;
                let (client, connection) =
                    settings.connect_raw(socket, TlsConnector(tls)).await.map_err(failed)?;
                (client, into_message_stream(connection))
            }
            None => {
                let (client, connection) = settings.connect_raw(socket, NoTls).await.map_err(failed)?;
                (client, into_message_stream(connection))
            }
        };
        check_session_attrs(settings.get_target_session_attrs(), &client, &mut messages).await?;
        Ok(OpenedConnection { client, messages, moved })
    }
}

fn into_message_stream<S, T>(mut connection: Connection<S, T>) -> MessageStream
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    poll_fn(move |context| connection.poll_message(context)).boxed()
}

/// Verifies that the server accepts writes, or that it is a standby, if the address requires this.
async fn check_session_attrs(
    target: TargetSessionAttrs,
    client: &Client,
    messages: &mut MessageStream,
) -> Result<(), String> {
    let unwanted = match target {
        TargetSessionAttrs::ReadWrite => ("on", "the server accepts no writes"),
        TargetSessionAttrs::ReadOnly => ("off", "the server is not read-only"),
        _ => return Ok(()),
    };
    let mut query = pin!(client.simple_query("SHOW transaction_read_only"));
    let rows = loop {
        match select(query.as_mut(), messages.next()).await {
            Either::Left((rows, _)) => break rows.map_err(|error| format_with_causes(&error))?,
            Either::Right((Some(Ok(_)), _)) => {}
            Either::Right((Some(Err(error)), _)) => return Err(format_with_causes(&error)),
            Either::Right((None, _)) => return Err("the connection was closed".to_owned()),
        }
    };
    let is_unwanted = rows.iter().any(|row| match row {
        SimpleQueryMessage::Row(row) => row.get(0) == Some(unwanted.0),
        _ => false,
    });
    if is_unwanted { Err(unwanted.1.to_owned()) } else { Ok(()) }
}

/// A pending attempt to connect.
type ConnectAttempt<'a, T> = BoxFuture<'a, Result<T, ConnectError>>;

/// Returns the first success of attempts that are started one after the other. If all attempts fail, the
/// error contains the problems of all attempts.
async fn first_successful_attempt<T>(attempts: Vec<ConnectAttempt<'_, T>>) -> Result<T, ConnectError> {
    let mut waiting = attempts.into_iter().peekable();
    let mut running_attempts = FuturesUnordered::new();
    let (mut silent, mut problems) = (false, Vec::new());
    loop {
        running_attempts.extend(waiting.next());
        let ended = match waiting.peek() {
            Some(_) => match timeout(NEXT_SERVER_DELAY, running_attempts.next()).await {
                Ok(ended) => ended,
                Err(_) => continue,
            },
            None => running_attempts.next().await,
        };
        match ended {
            Some(Ok(value)) => return Ok(value),
            Some(Err(failed)) => {
                silent |= failed.is_unresponsive;
                problems.push(failed.problem);
            }
            None if problems.is_empty() => {
                return Err(ConnectError {
                    is_unresponsive: silent,
                    problem: "the host has no address".to_owned(),
                });
            }
            None => return Err(ConnectError { is_unresponsive: silent, problem: problems.join("; ") }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::str::FromStr;

    use super::*;

    fn simulate_attempt(at: usize) -> ConnectAttempt<'static, usize> {
        let refused = || ConnectError { is_unresponsive: false, problem: "refused".to_owned() };
        match at {
            0 => Box::pin(pending()),
            1 => Box::pin(ready(Err(refused()))),
            _ => Box::pin(ready(Ok(at))),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_attempt_waits_briefly_for_a_silent_server_and_not_for_a_rejecting_one() {
        for (attempts, expected, waited) in [
            (vec![0, 1, 2], 2, NEXT_SERVER_DELAY),
            (vec![1, 3], 3, Duration::ZERO),
            (vec![2, 0], 2, Duration::ZERO),
        ] {
            let started = Instant::now();
            let found =
                first_successful_attempt(attempts.into_iter().map(simulate_attempt).collect()).await.unwrap();
            assert!(started.elapsed() < waited + Duration::from_millis(5), "{found}");
            assert_eq!(found, expected);
        }
        let failed = first_successful_attempt([1, 1].map(simulate_attempt).into()).await.unwrap_err();
        assert_eq!((failed.is_unresponsive, failed.problem.as_str()), (false, "refused; refused"));
    }

    #[test]
    fn accepts_one_port_per_host_or_one_for_all() {
        let shown = |url: &str| -> Result<Vec<String>, String> {
            let servers = ServerList::from_settings(&Config::from_str(url).unwrap());
            let servers = servers.map_err(|failure| format!("{failure:?}"))?;
            Ok(servers.servers.iter().map(Server::display_name).collect())
        };
        assert_eq!(shown("postgres://a,b/pay").unwrap(), ["a:5432", "b:5432"]);
        assert_eq!(shown("postgres://a:1,b:2/pay").unwrap(), ["a:1", "b:2"]);
        assert_eq!(shown("host=a,/run port=1").unwrap(), ["a:1", "/run/.s.PGSQL.1"]);
        assert!(shown("host=a,b,c port=1,2").is_err());
        assert!(shown("user=me").is_err());
    }
}
