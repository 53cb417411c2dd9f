//! Closes a listener without breaking connections that are just being established.
//!
//! When a listening socket is closed, the system resets all connections in its accept queue. The server also
//! drops connections that no thread has taken over yet. A client whose request is already on the way then
//! cannot know whether the request was executed.
//!
//! [`ListenerHandle::close`] therefore first blocks new connections. The function then waits a short time, in
//! which pending connections are accepted, before the listener is closed. The client of a blocked connection
//! resends its first TCP packet after a second and is then rejected. No byte of its request was sent, and a
//! load balancer tries the next server.

use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use socket2::SockRef;

/// The time in which a started connection is accepted. This time is longer than the round trip in a local
/// network, and shorter than the second after which a blocked client resends its packet.
const ACCEPT_WAIT: Duration = Duration::from_millis(200);

/// A second handle of a listening socket, with which the listener can be closed once.
#[derive(Clone, Debug)]
pub struct ListenerHandle(Arc<Mutex<Option<TcpListener>>>);

impl ListenerHandle {
    /// Creates the handle for a listener.
    ///
    /// # Errors
    /// The error of the system if it cannot duplicate the socket.
    pub fn from_listener(listener: &TcpListener) -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(Some(listener.try_clone()?)))))
    }

    /// Blocks new connections and waits until pending connections are accepted. The caller closes the
    /// listener next. If the system cannot block connections, the function returns immediately.
    pub async fn close(&self) {
        let open_listener = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(listener) = open_listener else { return };
        match drop_new_connections(&listener) {
            Ok(()) => tokio::time::sleep(ACCEPT_WAIT).await,
            Err(error) => tracing::debug!(%error, "the listener could not be closed to new connections \
                before the process ends"),
        }
        // The listening socket is closed only when its last handle is dropped, so this second handle must
        // be dropped.
        drop(listener);
    }
}

/// Makes the system drop each packet that requests a new connection.
#[cfg(target_os = "linux")]
fn drop_new_connections(listener: &TcpListener) -> io::Result<()> {
    use socket2::SockFilter;

    /// The offset of the byte with the flags in a TCP header.
    const TCP_FLAGS_OFFSET: u32 = 13;
    /// The flag SYN of a packet that requests a connection.
    const SYN_FLAG: u32 = 0x02;
    // The opcodes of classic BPF, with the values from the system headers.
    const LOAD_BYTE_OPCODE: u16 = 0x30;
    const SKIP_UNLESS_ANY_BIT: u16 = 0x45;
    const RETURN_OPCODE: u16 = 0x06;
    /// The number of bytes of a packet to accept: none or all.
    const ACCEPT_NO_BYTES: u32 = 0;
    const ACCEPT_ALL_BYTES: u32 = u32::MAX;

    SockRef::from(listener).attach_filter(&[
        SockFilter::new(LOAD_BYTE_OPCODE, 0, 0, TCP_FLAGS_OFFSET),
        SockFilter::new(SKIP_UNLESS_ANY_BIT, 0, 1, SYN_FLAG),
        SockFilter::new(RETURN_OPCODE, 0, 0, ACCEPT_NO_BYTES),
        SockFilter::new(RETURN_OPCODE, 0, 0, ACCEPT_ALL_BYTES),
    ])
}

#[cfg(not(target_os = "linux"))]
fn drop_new_connections(_: &TcpListener) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use tokio::net::TcpStream;

    use super::*;

    #[actix_web::test]
    async fn closing_keeps_established_connections_and_rejects_later_ones() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let doorway = ListenerHandle::from_listener(&listener).unwrap();
        let first = TcpStream::connect(address).await.unwrap();
        let closing = tokio::join!(doorway.close(), async {
            tokio::task::yield_now().await;
            tokio::time::timeout(ACCEPT_WAIT / 2, TcpStream::connect(address)).await.is_err()
        });
        assert!(closing.1, "no connection is accepted any more");
        assert_eq!(listener.accept().unwrap().1, first.local_addr().unwrap());
        drop(listener);
        assert_eq!(TcpStream::connect(address).await.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }
}
