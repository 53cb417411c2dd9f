//! A connection to PostgreSQL that outlives the thread that opened it.
//!
//! A task on the thread of the request drives the connection. A task on another thread would have to be woken
//! for each response, which triples the latency of a read.
//!
//! Connections are shared between the server's threads. The threads end at different times when the server
//! stops. If a thread ends before its connection, the task moves to the runtime on which the database was
//! opened. The socket is registered with that runtime, and no data in transit is lost.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::runtime::Handle;
use tokio_postgres::{AsyncMessage, Config};

/// The messages of the server. The connection only makes progress while this stream is polled.
pub(super) type MessageStream = BoxStream<'static, Result<AsyncMessage, tokio_postgres::Error>>;

/// A socket that can be moved to another runtime.
pub(super) struct Socket {
    kind: SocketKind,
    /// Whether the socket was moved and is not yet registered with its new runtime.
    moved: Arc<AtomicBool>,
}

enum SocketKind {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
    /// The socket is closed, because it could not be registered with the new runtime.
    Closed,
}

impl Socket {
    /// Creates a TCP socket with the options of the address.
    pub(super) fn from_tcp(stream: TcpStream, settings: &Config) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let socket = SockRef::from(&stream);
        #[cfg(target_os = "linux")]
        socket.set_tcp_user_timeout(settings.get_tcp_user_timeout().copied())?;
        if settings.get_keepalives() {
            socket.set_tcp_keepalive(&to_keep_alive(settings))?;
        }
        Ok(Self { kind: SocketKind::Tcp(stream), moved: Arc::default() })
    }

    #[cfg(unix)]
    pub(super) fn from_unix(stream: UnixStream) -> Self {
        Self { kind: SocketKind::Unix(stream), moved: Arc::default() }
    }

    /// Returns the flag that is set when the socket moves to another runtime.
    pub(super) fn runtime_moved_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.moved)
    }

    /// Returns the socket. If the connection has moved to another runtime, the socket is first registered with
    /// that runtime.
    fn ensure_registered(&mut self) -> io::Result<&mut SocketKind> {
        if self.moved.load(Ordering::Acquire) {
            self.moved.store(false, Ordering::Release);
            self.kind = match std::mem::replace(&mut self.kind, SocketKind::Closed) {
                SocketKind::Tcp(stream) => SocketKind::Tcp(TcpStream::from_std(stream.into_std()?)?),
                #[cfg(unix)]
                SocketKind::Unix(stream) => SocketKind::Unix(UnixStream::from_std(stream.into_std()?)?),
                SocketKind::Closed => SocketKind::Closed,
            };
        }
        Ok(&mut self.kind)
    }
}

fn to_keep_alive(settings: &Config) -> TcpKeepalive {
    let with = |keep_alive: TcpKeepalive, interval: Option<Duration>| match interval {
        Some(interval) => keep_alive.with_interval(interval),
        None => keep_alive,
    };
    let idle = TcpKeepalive::new().with_time(settings.get_keepalives_idle());
    let keep_alive = with(idle, settings.get_keepalives_interval());
    match settings.get_keepalives_retries() {
        Some(retries) => keep_alive.with_retries(retries),
        None => keep_alive,
    }
}

fn not_connected_error<T>() -> Poll<io::Result<T>> {
    Poll::Ready(Err(io::ErrorKind::NotConnected.into()))
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.ensure_registered()? {
            SocketKind::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            #[cfg(unix)]
            SocketKind::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
            SocketKind::Closed => not_connected_error(),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.ensure_registered()? {
            SocketKind::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            #[cfg(unix)]
            SocketKind::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
            SocketKind::Closed => not_connected_error(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // TCP sockets and local sockets do not buffer data, so there is nothing to flush.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.ensure_registered()? {
            SocketKind::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            #[cfg(unix)]
            SocketKind::Unix(stream) => Pin::new(stream).poll_shutdown(context),
            SocketKind::Closed => Poll::Ready(Ok(())),
        }
    }
}

/// A task that drives a connection until the connection ends.
pub(super) struct ConnectionDriver {
    messages: Option<MessageStream>,
    moved: Arc<AtomicBool>,
    /// The runtime that takes over if the current one ends first. `None` after the connection has moved to
    /// that runtime.
    runtime: Option<Handle>,
}

impl ConnectionDriver {
    pub(super) fn new(messages: MessageStream, moved: Arc<AtomicBool>, runtime: Option<Handle>) -> Self {
        Self { messages: Some(messages), moved, runtime }
    }
}

impl Future for ConnectionDriver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        while let Some(messages) = &mut self.messages {
            match ready!(messages.poll_next_unpin(context)) {
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    tracing::debug!(%error, "a connection to the database broke");
                    self.messages = None;
                }
                None => self.messages = None,
            }
        }
        Poll::Ready(())
    }
}

impl Drop for ConnectionDriver {
    fn drop(&mut self) {
        if let (Some(messages), Some(runtime)) = (self.messages.take(), self.runtime.take()) {
            self.moved.store(true, Ordering::Release);
            // If this runtime ends as well, it drops the task and its connection.
            drop(runtime.spawn(Self::new(messages, Arc::clone(&self.moved), None)));
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// Messages arrive as long as the socket's first runtime exists. When this runtime has ended, messages
    /// arrive in another runtime.
    #[test]
    fn a_socket_continues_on_another_runtime() {
        let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (first, second) = (runtime(), runtime());
        let (mut client, mut server) = second.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let connecting = first.spawn(async move {
                Socket::from_tcp(TcpStream::connect(address).await.unwrap(), &Config::new()).unwrap()
            });
            let connected = tokio::task::spawn_blocking(move || {
                let client = first.block_on(connecting).unwrap();
                drop(first);
                client
            });
            (connected.await.unwrap(), listener.accept().await.unwrap().0)
        });
        client.moved.store(true, Ordering::Release);
        second.block_on(async {
            server.write_all(b"ping").await.unwrap();
            let mut received = [0; 4];
            client.read_exact(&mut received).await.unwrap();
            client.write_all(&received).await.unwrap();
            server.read_exact(&mut received).await.unwrap();
            assert_eq!(&received, b"ping");
        });
    }
}
