//! A way to a database that can be taken away: every connection to PostgreSQL goes through it.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;

use super::postgres::POSTGRES_VARIABLE;

/// What becomes of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// They reach the database.
    Open,
    /// They are cut, and no new one is taken.
    Refusing,
    /// They are cut, and new ones are cut as soon as they are made.
    Resetting,
    /// They stay, new ones are taken, and nothing more is ever said.
    Silent,
    /// They are cut, and on new ones everything is said late, either way.
    Slow,
}

/// How late: more than anybody should wait for a handshake, which takes several of these.
const LATE: Duration = Duration::from_secs(2);

/// The way, for as long as this value is there.
pub(crate) struct TakenAway {
    address: SocketAddr,
    way: watch::Sender<Way>,
}

impl TakenAway {
    /// An open way to the PostgreSQL server of the tests.
    pub(crate) async fn start() -> Self {
        Self::before(server()).await
    }

    /// An open way to the server at that address.
    pub(crate) async fn before(server: String) -> Self {
        let (way, watched) = watch::channel(Way::Open);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(keep(address, server, Some(listener), watched));
        Self { address, way }
    }

    /// The address of the way itself.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    /// Sets the way of failing from now on.
    pub(crate) fn set(&self, way: Way) {
        self.way.send_replace(way);
    }

    /// The address of a database by this way.
    pub(crate) fn url(&self, url: &str) -> String {
        url.replacen(&server(), &self.address.to_string(), 1)
    }
}

impl TakenAway {
    /// The address of a database by this way first, and then without it.
    pub(crate) fn url_with_second(&self, url: &str) -> String {
        let both = format!("{},{}", self.address, server());
        let mark = if url.contains('?') { '&' } else { '?' };
        format!("{}{mark}target_session_attrs=read-write", url.replacen(&server(), &both, 1))
    }
}

/// Host and port of the PostgreSQL server.
fn server() -> String {
    let url = std::env::var(POSTGRES_VARIABLE).expect("a PostgreSQL server");
    let (_, rest) = url.split_once("://").expect("an address");
    let place = rest.split(['/', '?']).next().unwrap_or_default();
    place.rsplit('@').next().unwrap_or_default().to_owned()
}

/// Takes connections, as the way says.
async fn keep(
    address: SocketAddr,
    server: String,
    mut listener: Option<TcpListener>,
    mut way: watch::Receiver<Way>,
) {
    loop {
        let now = *way.borrow_and_update();
        if now == Way::Refusing {
            drop(listener.take());
            // Nobody else gets the port meanwhile.
            let _held = bound(address);
            if way.wait_for(|way| *way != Way::Refusing).await.is_err() {
                return;
            }
            continue;
        }
        let taking = listener.get_or_insert_with(|| bound(address).listen(1_024).expect("the port is ours"));
        tokio::select! {
            taken = taking.accept() => {
                let (connection, _) = taken.expect("a connection");
                tokio::spawn(carry(connection, server.clone(), way.clone()));
            }
            changed = way.changed() => if changed.is_err() { return },
        }
    }
}

fn bound(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("an option");
    socket.bind(address).expect("the port is ours");
    socket
}

/// Carries what is said until the way changes; in silence the connection stays, and is never heard of
/// again.
async fn carry(mut connection: TcpStream, server: String, mut way: watch::Receiver<Way>) {
    let mut database = None;
    let now = *way.borrow_and_update();
    // Behind a way that leads nowhere, a connection ends.
    if now == Way::Slow
        && let Ok(mut to) = TcpStream::connect(&server).await
    {
        tokio::select! {
            _ = copy_late(&mut connection, &mut to) => return,
            _ = way.changed() => {}
        }
    }
    if now == Way::Open {
        let Ok(mut to) = TcpStream::connect(&server).await else { return };
        tokio::select! {
            _ = copy_bidirectional(&mut connection, &mut to) => return,
            _ = way.changed() => {}
        }
        database = Some(to);
    }
    // Who has begun in silence is not heard later either.
    let _ended = way.wait_for(|way| *way != Way::Silent).await;
    drop((connection, database));
}

/// Carries what is said, late.
async fn copy_late(one: &mut TcpStream, other: &mut TcpStream) -> std::io::Result<()> {
    let (mut from_one, mut to_one) = one.split();
    let (mut from_other, mut to_other) = other.split();
    let there = late(&mut from_one, &mut to_other);
    let back = late(&mut from_other, &mut to_one);
    tokio::try_join!(there, back).map(|_| ())
}

async fn late(
    from: &mut (impl AsyncReadExt + Unpin),
    to: &mut (impl AsyncWriteExt + Unpin),
) -> std::io::Result<()> {
    let mut bytes = [0; 4_096];
    loop {
        let count = from.read(&mut bytes).await?;
        if count == 0 {
            return Ok(());
        }
        tokio::time::sleep(LATE).await;
        to.write_all(&bytes[..count]).await?;
    }
}
