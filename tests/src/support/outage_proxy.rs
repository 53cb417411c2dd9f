//! A TCP proxy in front of PostgreSQL with which tests interrupt the connection to the database.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;

use super::postgres::POSTGRES_VARIABLE;

/// The way in which the proxy handles connections to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutageKind {
    /// Connections reach the database.
    Open,
    /// Existing connections are closed, and new ones are rejected.
    Refusing,
    /// Existing connections are closed, and new ones are closed immediately.
    Resetting,
    /// Existing connections stay open and new ones are accepted, but the proxy transfers no data.
    Silent,
    /// Existing connections are closed. On new connections, data arrive late in both directions.
    Slow,
}

/// The delay of each transfer. A connection attempt needs several transfers, so its total delay exceeds every
/// timeout of the server.
const LATE_RESPONSE_DELAY: Duration = Duration::from_secs(2);

/// The proxy, which runs until this value is dropped.
pub(crate) struct OutageProxy {
    address: SocketAddr,
    treatment: watch::Sender<OutageKind>,
}

impl OutageProxy {
    /// Starts a proxy in front of the tests' PostgreSQL server.
    pub(crate) async fn start() -> Self {
        Self::start_in_front_of(server_address()).await
    }

    /// Starts a proxy in front of the server at this address.
    pub(crate) async fn start_in_front_of(server: String) -> Self {
        let (kind, watched) = watch::channel(OutageKind::Open);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(run_proxy(address, server, Some(listener), watched));
        Self { address, treatment: kind }
    }

    /// Returns the address of the proxy.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    /// Sets how the proxy handles connections from now on.
    pub(crate) fn set_outage(&self, kind: OutageKind) {
        self.treatment.send_replace(kind);
    }

    /// Returns the URL of a database through the proxy.
    pub(crate) fn url_through_proxy(&self, url: &str) -> String {
        url.replacen(&server_address(), &self.address.to_string(), 1)
    }
}

impl OutageProxy {
    /// Returns the URL of a database with two hosts: the proxy, and then the server itself.
    pub(crate) fn url_with_second_host(&self, url: &str) -> String {
        let both = format!("{},{}", self.address, server_address());
        let mark = if url.contains('?') { '&' } else { '?' };
        format!("{}{mark}target_session_attrs=read-write", url.replacen(&server_address(), &both, 1))
    }
}

/// Returns the host and port of the PostgreSQL server behind the proxy.
fn server_address() -> String {
    let url = std::env::var(POSTGRES_VARIABLE).expect("a PostgreSQL server");
    let (_, rest) = url.split_once("://").expect("an address");
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    host.rsplit('@').next().unwrap_or_default().to_owned()
}

/// Accepts connections, and handles them as the last call of [`OutageProxy::set_outage`] specified.
async fn run_proxy(
    address: SocketAddr,
    server: String,
    mut listener: Option<TcpListener>,
    mut kind: watch::Receiver<OutageKind>,
) {
    loop {
        let now = *kind.borrow_and_update();
        if now == OutageKind::Refusing {
            drop(listener.take());
            // This socket stays bound, so that no other process uses the port while the proxy does not
            // listen.
            let _held = bind_socket(address);
            if kind.wait_for(|kind| *kind != OutageKind::Refusing).await.is_err() {
                return;
            }
            continue;
        }
        let taking =
            listener.get_or_insert_with(|| bind_socket(address).listen(1_024).expect("the port is ours"));
        tokio::select! {
            accepted = taking.accept() => {
                let (connection, _) = accepted.expect("a connection");
                tokio::spawn(forward_connection(connection, server.clone(), kind.clone()));
            }
            changed = kind.changed() => if changed.is_err() { return },
        }
    }
}

fn bind_socket(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("an option");
    socket.bind(address).expect("the port is ours");
    socket
}

/// Handles one connection until the kind of outage changes. With [`OutageKind::Silent`], the connection stays
/// open, but no data are transferred.
async fn forward_connection(
    mut connection: TcpStream,
    server: String,
    mut kind: watch::Receiver<OutageKind>,
) {
    let mut database = None;
    let now = *kind.borrow_and_update();
    // If the proxy cannot reach the server, this function returns and thereby closes the connection.
    if now == OutageKind::Slow
        && let Ok(mut to) = TcpStream::connect(&server).await
    {
        tokio::select! {
            _ = copy_with_delay(&mut connection, &mut to) => return,
            _ = kind.changed() => {}
        }
    }
    if now == OutageKind::Open {
        let Ok(mut to) = TcpStream::connect(&server).await else { return };
        tokio::select! {
            _ = copy_bidirectional(&mut connection, &mut to) => return,
            _ = kind.changed() => {}
        }
        database = Some(to);
    }
    // In the state `Silent`, the connection stays open until the kind of outage changes.
    let _ended = kind.wait_for(|kind| *kind != OutageKind::Silent).await;
    drop((connection, database));
}

/// Transfers data in both directions, each transfer with a delay.
async fn copy_with_delay(one: &mut TcpStream, other: &mut TcpStream) -> std::io::Result<()> {
    let (mut from_one, mut to_one) = one.split();
    let (mut from_other, mut to_other) = other.split();
    let there = copy_slowly(&mut from_one, &mut to_other);
    let back = copy_slowly(&mut from_other, &mut to_one);
    tokio::try_join!(there, back).map(|_| ())
}

async fn copy_slowly(
    from: &mut (impl AsyncReadExt + Unpin),
    to: &mut (impl AsyncWriteExt + Unpin),
) -> std::io::Result<()> {
    let mut bytes = [0; 4_096];
    loop {
        let count = from.read(&mut bytes).await?;
        if count == 0 {
            return Ok(());
        }
        tokio::time::sleep(LATE_RESPONSE_DELAY).await;
        to.write_all(&bytes[..count]).await?;
    }
}
