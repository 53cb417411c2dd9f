//! How a listener is closed without breaking what is just coming in.
//!
//! When a listening socket is closed, the system resets every connection that was made and not yet
//! taken from its queue, and the server below drops what it has taken and not yet handed to a thread that
//! serves it. A client whose request is already on its way on such a connection cannot know whether it was carried
//! out. So new connections are kept out first, for a moment in which those that are there are taken
//! in; then it is closed. Who is kept out tries again by itself (TCP repeats its first packet after a
//! second), and is rejected: no byte of a request was sent, and a balancer asks the next server.

use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use socket2::SockRef;

/// How long what has begun to connect may take to get through: more than its packets take in a network
/// of one place, and less than the second after which a client tries again.
const SETTLE: Duration = Duration::from_millis(200);

/// The way in to a listener, which can be closed once.
#[derive(Clone, Debug)]
pub struct Doorway(Arc<Mutex<Option<TcpListener>>>);

impl Doorway {
    /// The way in to that listener.
    ///
    /// # Errors
    /// The system gives no second handle on it.
    pub fn of(listener: &TcpListener) -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(Some(listener.try_clone()?)))))
    }

    /// Keeps new connections out, and waits until those that are there are in. The listener is to be
    /// closed next. Where the system cannot keep them out, it waits for nothing.
    pub async fn close(&self) {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(listener) = taken else { return };
        match keep_out(&listener) {
            Ok(()) => tokio::time::sleep(SETTLE).await,
            Err(error) => tracing::debug!(%error, "new connections cannot be kept out before the end"),
        }
        // While this handle is open, the listener stays open.
        drop(listener);
    }
}

/// Has the system drop every packet that asks for a new connection.
#[cfg(target_os = "linux")]
fn keep_out(listener: &TcpListener) -> io::Result<()> {
    use socket2::SockFilter;

    /// Where the flags are in the head of a TCP packet.
    const FLAGS: u32 = 13;
    /// The flag of a packet that asks for a connection.
    const ASKS: u32 = 0x02;
    // Instructions of the classic packet filter, as the system's own headers number them.
    const LOAD_BYTE: u16 = 0x30;
    const SKIP_UNLESS_ANY_BIT: u16 = 0x45;
    const ANSWER: u16 = 0x06;
    /// Bytes of a packet that are let through: none of it, all of it.
    const NONE: u32 = 0;
    const ALL: u32 = u32::MAX;

    SockRef::from(listener).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS),
        SockFilter::new(SKIP_UNLESS_ANY_BIT, 0, 1, ASKS),
        SockFilter::new(ANSWER, 0, 0, NONE),
        SockFilter::new(ANSWER, 0, 0, ALL),
    ])
}

#[cfg(not(target_os = "linux"))]
fn keep_out(_: &TcpListener) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use tokio::net::TcpStream;

    use super::*;

    #[actix_web::test]
    async fn who_is_in_stays_and_who_comes_later_is_refused_without_having_been_connected() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let doorway = Doorway::of(&listener).unwrap();
        let first = TcpStream::connect(address).await.unwrap();
        let closing = tokio::join!(doorway.close(), async {
            tokio::task::yield_now().await;
            tokio::time::timeout(SETTLE / 2, TcpStream::connect(address)).await.is_err()
        });
        assert!(closing.1, "no connection is accepted any more");
        assert_eq!(listener.accept().unwrap().1, first.local_addr().unwrap());
        drop(listener);
        assert_eq!(TcpStream::connect(address).await.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }
}
