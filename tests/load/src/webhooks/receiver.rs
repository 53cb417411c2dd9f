//! Minimal receivers, which count requests and return 200 without a body.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::Failure;
use crate::client::{Request, send_once};
use crate::process::Server;

const OK_RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
/// The interval at which a measurement reads the number of received notifications.
const READ_INTERVAL: Duration = Duration::from_millis(2);
/// Number of attempts to open a port.
const MAX_PORT_ATTEMPTS: u32 = 500;
/// The number of connections that may wait to be accepted.
const BACKLOG: u32 = 1_024;
/// The start of a request for the number of received notifications.
const COUNT: &[u8] = b"GET /count ";

/// The bodies of arrived notifications and their times.
pub(super) type Arrivals = mpsc::UnboundedReceiver<(Instant, String)>;

/// A receiver in a separate process.
pub(super) struct Receiver {
    server: Server,
}

/// A receiver in this process, which ends when the value is dropped.
pub(super) struct LocalReceiver {
    listening: tokio::task::JoinHandle<()>,
    started: Arc<AtomicU64>,
}

impl LocalReceiver {
    /// Waits until the given number of responses has begun.
    pub(super) async fn wait_for_responses(&self, count: u64, timeout: Duration) -> Result<(), Failure> {
        let since = Instant::now();
        while self.started.load(Ordering::Relaxed) < count {
            if since.elapsed() > timeout {
                return Err("too few responses have begun".into());
            }
            tokio::time::sleep(READ_INTERVAL).await; // the sender is another process
        }
        Ok(())
    }
}

impl Drop for LocalReceiver {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Receiver {
    /// Starts a receiver process that counts requests.
    pub(super) fn start_process(port: u16) -> Result<Self, Failure> {
        let address = format!("127.0.0.1:{port}");
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["receive", &address]).stdin(Stdio::null());
        let server = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(Server::start(&mut command, &address))
        })?;
        Ok(Self { server })
    }

    /// Listens in this process and reports each notification.
    pub(super) async fn listen(port: u16) -> Result<Arrivals, Failure> {
        let listener = bind(port).await?;
        let (tell, reported) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = tell.closed() => return,
                    accepted = listener.accept() => {
                        let Ok((stream, _)) = accepted else { return };
                        let tell = tell.clone();
                        tokio::spawn(serve_requests(stream, move |_, body| {
                            // Sending fails if the measurement has ended and needs no more arrivals, so the
                            // error is ignored.
                            let _ = tell.send((Instant::now(), String::from_utf8_lossy(body).into_owned()));
                        }));
                    }
                }
            }
        });
        Ok(reported)
    }

    /// Listens in this process and responds slowly. The response begins after the given time, or it begins at
    /// once and has one byte of its body per second.
    pub(super) async fn listen_slowly(
        port: u16,
        wait: Duration,
        trickle: bool,
    ) -> Result<LocalReceiver, Failure> {
        let listener = bind(port).await?;
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(reply_slowly(stream, wait, trickle));
            }
        });
        Ok(LocalReceiver { listening, started: Arc::default() })
    }

    /// Listens in this process and responds with a body of the given length.
    pub(super) async fn listen_with_large_responses(
        port: u16,
        length: usize,
    ) -> Result<LocalReceiver, Failure> {
        let listener = bind(port).await?;
        let started = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&started);
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(send_large_response(stream, length, Arc::clone(&counted)));
            }
        });
        Ok(LocalReceiver { listening, started })
    }

    /// Returns the number of notifications so far.
    pub(super) async fn count(&self) -> Result<u64, Failure> {
        let request = Request::new("GET /count", "", b"", 200);
        Ok(std::str::from_utf8(&send_once(&self.server.address, &request).await?)?.parse()?)
    }

    /// Waits until the given number of notifications has arrived and returns the seconds since the start.
    pub(super) async fn wait_for_count(
        &self,
        count: u64,
        since: Instant,
        timeout: Duration,
    ) -> Result<f64, Failure> {
        loop {
            let now = self.count().await?;
            if now >= count {
                return Ok(since.elapsed().as_secs_f64());
            }
            if since.elapsed() > timeout {
                return Err(format!("{now} of {count} notifications have come").into());
            }
            tokio::time::sleep(READ_INTERVAL).await; // the receiver is another process
        }
    }
}

/// Listens on a port that an earlier receiver may be about to release.
async fn bind(port: u16) -> Result<TcpListener, Failure> {
    for _ in 0..MAX_PORT_ATTEMPTS {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        let bound = socket.bind(([127, 0, 0, 1], port).into());
        if let Ok(listener) = bound.and_then(|()| socket.listen(BACKLOG)) {
            return Ok(listener);
        }
        tokio::time::sleep(READ_INTERVAL).await; // waits until the port is free
    }
    Err(format!("port {port} is not free").into())
}

/// Runs as the receiver process that [`Receiver::start_process`] has started.
pub(crate) async fn serve_counting(address: &str) -> Result<(), Failure> {
    let listener = TcpListener::bind(address).await?;
    let count = Arc::new(AtomicU64::new(0));
    loop {
        let (stream, _) = listener.accept().await?;
        let count = Arc::clone(&count);
        tokio::spawn(count_requests(stream, count));
    }
}

async fn count_requests(mut stream: TcpStream, count: Arc<AtomicU64>) {
    let mut start = [0; COUNT.len()];
    // Only the measuring program requests the count, on a separate connection.
    if let Ok(read) = stream.peek(&mut start).await
        && start.get(..read) == Some(COUNT)
    {
        let body = count.load(Ordering::Relaxed).to_string();
        let response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let _ = stream.write_all(response.as_bytes()).await;
        return;
    }
    serve_requests(stream, move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
    })
    .await;
}

/// Responds to every request of a connection with 200. `seen` receives the head and the body of each request.
async fn serve_requests(mut stream: TcpStream, seen: impl Fn(&[u8], &[u8])) {
    let _ = stream.set_nodelay(true);
    let mut buffer = Vec::with_capacity(4_096);
    loop {
        let Some((head, length)) = read_request(&mut stream, &mut buffer).await else { return };
        let (before, body) = buffer.split_at(head);
        seen(before, body.get(..length).unwrap_or_default());
        buffer.drain(..head + length);
        if stream.write_all(OK_RESPONSE).await.is_err() {
            return;
        }
    }
}

/// Reads until a request is complete, and returns the lengths of its head and of its body.
async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(usize, usize)> {
    loop {
        if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(buffer.get(..at)?).to_ascii_lowercase();
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split('\r').next());
            let length: usize = length.and_then(|text| text.parse().ok()).unwrap_or(0);
            if buffer.len() >= at + 4 + length {
                return Some((at + 4, length));
            }
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

async fn reply_slowly(mut stream: TcpStream, wait: Duration, trickle: bool) {
    let mut buffer = Vec::new();
    while let Some((head, length)) = read_request(&mut stream, &mut buffer).await {
        buffer.drain(..head + length);
        if trickle {
            let mut started = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n").await;
            while started.is_ok() {
                started = stream.write_all(b".").await;
                tokio::time::sleep(Duration::from_secs(1)).await; // the delay under measurement
            }
            return;
        }
        tokio::time::sleep(wait).await; // the delay under measurement
        if stream.write_all(OK_RESPONSE).await.is_err() {
            return;
        }
    }
}

async fn send_large_response(mut stream: TcpStream, length: usize, started: Arc<AtomicU64>) {
    let (mut buffer, part) = (Vec::new(), vec![b'.'; 64 * 1024]);
    if read_request(&mut stream, &mut buffer).await.is_none() {
        return;
    }
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    let mut sent = stream.write_all(head.as_bytes()).await;
    for _ in 0..length / part.len() {
        if sent.is_err() {
            break;
        }
        sent = stream.write_all(&part).await;
    }
    started.fetch_add(1, Ordering::Relaxed);
}
