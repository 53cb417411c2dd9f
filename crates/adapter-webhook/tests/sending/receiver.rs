//! A test receiver. The test provides a function that handles its connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A request that the receiver got.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) line: String,
    /// The headers as they were sent, with names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The address of the client.
    pub(crate) peer: SocketAddr,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection, as the receiver sees it.
pub(crate) struct Connection {
    pub(crate) stream: Box<dyn Stream>,
    pub(crate) peer: SocketAddr,
    /// The number of the connection, from 0.
    pub(crate) number: usize,
    received: UnboundedSender<ReceivedRequest>,
    buffer: Vec<u8>,
}

impl Connection {
    /// Reads a complete request and passes it to the test; `None` if the connection has ended.
    pub(crate) async fn read_request(&mut self) -> Option<ReceivedRequest> {
        let head_end = loop {
            if let Some(found) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break found + 4;
            }
            self.read_more_bytes().await?;
        };
        let head = String::from_utf8(self.buffer[..head_end].to_vec()).unwrap();
        let mut lines = head.lines();
        let line = lines.next().unwrap().to_owned();
        let split = |line: &str| line.split_once(": ").map(|(a, b)| (a.to_lowercase(), b.to_owned()));
        let headers: Vec<_> = lines.filter_map(split).collect();
        let mut received = ReceivedRequest { line, headers, body: Vec::new(), peer: self.peer };
        let length = received.header("content-length").map_or(0, |text| text.parse().unwrap());
        while self.buffer.len() < head_end + length {
            self.read_more_bytes().await?;
        }
        received.body = self.buffer[head_end..head_end + length].to_vec();
        self.buffer.drain(..head_end + length);
        let _test_is_over = self.received.send(received.clone());
        Some(received)
    }

    async fn read_more_bytes(&mut self) -> Option<()> {
        let mut part = [0; 8_192];
        let read = self.stream.read(&mut part).await.ok().filter(|read| *read > 0)?;
        self.buffer.extend_from_slice(&part[..read]);
        Some(())
    }

    /// Writes bytes. Returns `false` if the client has closed the connection.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok() && self.stream.flush().await.is_ok()
    }

    /// Waits until the client has closed the connection.
    pub(crate) async fn wait_until_closed(&mut self) {
        while self.read_more_bytes().await.is_some() {}
    }
}

/// A receiver that listens on loopback.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    received: UnboundedReceiver<ReceivedRequest>,
}

impl Receiver {
    /// Starts a receiver that handles each connection with this function.
    pub(crate) async fn new<F, Done>(handle: F) -> Self
    where
        F: Fn(Connection) -> Done + Send + Sync + 'static,
        Done: Future<Output = ()> + Send + 'static,
    {
        Self::new_with_stream_layer(|stream| async { Some(Box::new(stream) as Box<dyn Stream>) }, handle)
            .await
    }

    /// Starts a receiver like [`Receiver::new`], with a layer between TCP and HTTP, such as TLS.
    pub(crate) async fn new_with_stream_layer<W, Wrapped, F, Done>(wrap: W, handle: F) -> Self
    where
        W: Fn(TcpStream) -> Wrapped + Send + Sync + 'static,
        Wrapped: Future<Output = Option<Box<dyn Stream>>> + Send + 'static,
        F: Fn(Connection) -> Done + Send + Sync + 'static,
        Done: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, received) = unbounded_channel();
        let accepted = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&accepted);
        let shared = Arc::new((wrap, handle));
        tokio::spawn(async move {
            while let Ok((stream, peer)) = listener.accept().await {
                let number = count.fetch_add(1, Ordering::SeqCst);
                let (shared, received) = (Arc::clone(&shared), sender.clone());
                tokio::spawn(async move {
                    if let Some(stream) = (shared.0)(stream).await {
                        let buffer = Vec::new();
                        (shared.1)(Connection { stream, peer, number, received, buffer }).await;
                    }
                });
            }
        });
        Self { address, accepted, received }
    }

    /// Starts a receiver that responds to each request with these bytes and leaves the connection open.
    pub(crate) async fn responding_with(response: impl Into<Vec<u8>>) -> Self {
        let response = Arc::new(response.into());
        Self::new(move |mut connection| {
            let response = Arc::clone(&response);
            async move {
                while connection.read_request().await.is_some() && connection.write(&*response).await {}
            }
        })
        .await
    }

    /// Starts a receiver that responds to the first request with these bytes and closes the connection.
    pub(crate) async fn responding_once_with(response: impl Into<Vec<u8>>) -> Self {
        let response = Arc::new(response.into());
        Self::new(move |mut connection| {
            let response = Arc::clone(&response);
            async move {
                connection.read_request().await;
                connection.write(&*response).await;
            }
        })
        .await
    }

    /// Waits for the next request.
    pub(crate) async fn next_request(&mut self) -> ReceivedRequest {
        self.received.recv().await.unwrap()
    }

    /// Returns the next request that was already received; `None` if there is none.
    pub(crate) fn try_next_request(&mut self) -> Option<ReceivedRequest> {
        self.received.try_recv().ok()
    }

    /// Returns the number of accepted connections.
    pub(crate) fn connection_count(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}
