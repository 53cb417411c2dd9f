//! A small HTTP/1.1 client in a closed loop. Each connection sends a prepared request, reads the response and
//! sends the next request. The client uses little processor time, so that the server can use nearly all of
//! it.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use hdrhistogram::Histogram;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Failure;

/// The longest response head that the client accepts.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// The longest latency that the histogram can represent, in microseconds.
const MAX_LATENCY_MICROS: u64 = 60_000_000;

/// Number of hexadecimal digits in an idempotency key.
const KEY_DIGITS: usize = 16;

/// A prepared request and the status that its response must have.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) bytes: Vec<u8>,
    status: u16,
    /// The position of the idempotency key. Each time the request is sent, the key is replaced.
    key_at: Option<usize>,
}

impl Request {
    /// Creates a request with the given header lines (each ending in CR LF) and the given body.
    pub(crate) fn new(line: &str, headers: &str, body: &[u8], status: u16) -> Self {
        let head =
            format!("{line} HTTP/1.1\r\nHost: load\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        Self { bytes: [head.as_bytes(), body].concat(), status, key_at: None }
    }

    /// Adds an idempotency key to the request, as the documentation recommends for every POST.
    pub(crate) fn with_key(mut self) -> Self {
        const HEADER: &[u8] = b"Idempotency-Key: ";
        const HOST: &[u8] = b"Host: load\r\n";
        let Some(host) = self.bytes.windows(HOST.len()).position(|part| part == HOST) else { return self };
        let at = host + HOST.len();
        let line = [HEADER, &[b'0'; KEY_DIGITS], b"\r\n"].concat();
        self.bytes.splice(at..at, line);
        self.key_at = Some(at + HEADER.len());
        self
    }

    /// Returns the bytes to send, with a new idempotency key.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        if let Some(key) = self.key_at.and_then(|at| bytes.get_mut(at..at + KEY_DIGITS)) {
            key.copy_from_slice(format!("{:016x}", NEXT_KEY.fetch_add(1, Ordering::Relaxed)).as_bytes());
        }
        bytes
    }
}

/// The next idempotency key. The key begins with the current time, so that no earlier run on the same
/// database has used it.
static NEXT_KEY: LazyLock<AtomicU64> = LazyLock::new(|| {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    AtomicU64::new(u64::try_from(since.as_micros()).unwrap_or_default())
});

/// The results of a run of requests.
pub(crate) struct RunResult {
    pub(crate) requests: u64,
    pub(crate) seconds: f64,
    pub(crate) latencies_micros: Histogram<u64>,
}

/// Sends requests for the given time. Each connection repeats its own requests in turn.
pub(crate) async fn send_repeatedly(
    address: &str,
    requests: &[Vec<Request>],
    length: Duration,
) -> Result<RunResult, Failure> {
    let started = Instant::now();
    let connections: Vec<_> = requests
        .iter()
        .map(|request| tokio::spawn(run_connection(address.to_owned(), request.clone(), started + length)))
        .collect();
    let mut latencies_micros = Histogram::new_with_max(MAX_LATENCY_MICROS, 3)?;
    for connection in connections {
        latencies_micros.add(connection.await??)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok(RunResult { requests: latencies_micros.len(), seconds, latencies_micros })
}

/// A connection that sends one request after another.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    /// Sends a request and returns the body of the response, whose status must be the expected one.
    pub(crate) async fn send(&mut self, request: &Request) -> Result<Vec<u8>, Failure> {
        send_expecting_status(&mut self.stream, request, &mut self.buffer).await
    }
}

/// Sends one request and returns the body of the response.
pub(crate) async fn send_once(address: &str, request: &Request) -> Result<Vec<u8>, Failure> {
    Connection::open(address).await?.send(request).await
}

/// Sends one request on a new connection and returns the status of the response. Error statuses are accepted.
pub(crate) async fn send_and_read_status(address: &str, request: &Request) -> Result<u16, Failure> {
    let mut stream = TcpStream::connect(address).await?;
    Ok(send_and_read_response(&mut stream, request, &mut Vec::new()).await?.0)
}

/// Sends one request and returns the `ETag` of the response.
pub(crate) async fn read_entity_tag(address: &str, request: &Request) -> Result<String, Failure> {
    let (mut stream, mut buffer) = (TcpStream::connect(address).await?, Vec::new());
    send_expecting_status(&mut stream, request, &mut buffer).await?;
    let text = String::from_utf8_lossy(&buffer).into_owned();
    let value = text.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("etag").then(|| value.to_owned())
    });
    value.ok_or_else(|| "the response has no ETag".into())
}

async fn run_connection(
    address: String,
    requests: Vec<Request>,
    ends: Instant,
) -> Result<Histogram<u64>, Failure> {
    let mut connection = Connection::open(&address).await?;
    let mut latencies = Histogram::new_with_max(MAX_LATENCY_MICROS, 3)?;
    for request in requests.iter().cycle() {
        let sent = Instant::now();
        if sent >= ends {
            break;
        }
        connection.send(request).await?;
        latencies.record(u64::try_from(sent.elapsed().as_micros())?.max(1))?;
    }
    Ok(latencies)
}

/// Sends a request and reads the complete response. A status other than the expected one is a failure.
async fn send_expecting_status(
    stream: &mut TcpStream,
    request: &Request,
    buffer: &mut Vec<u8>,
) -> Result<Vec<u8>, Failure> {
    let (status, body) = send_and_read_response(stream, request, buffer).await?;
    if status != request.status {
        return Err(format!("status {status}: {}", String::from_utf8_lossy(&body)).into());
    }
    Ok(body)
}

/// Sends a request, reads the complete response, and returns its status and body.
async fn send_and_read_response(
    stream: &mut TcpStream,
    request: &Request,
    buffer: &mut Vec<u8>,
) -> Result<(u16, Vec<u8>), Failure> {
    stream.write_all(&request.to_bytes()).await?;
    buffer.clear();
    let head_ends = loop {
        if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if buffer.len() > MAX_HEAD_BYTES || stream.read_buf(buffer).await? == 0 {
            return Err("the response has no end of its head".into());
        }
    };
    let head = std::str::from_utf8(buffer.get(..head_ends).unwrap_or_default())?.to_ascii_lowercase();
    let status = head.split(' ').nth(1).ok_or("the response has no status")?.parse()?;
    let length: usize = match head.split("content-length: ").nth(1).and_then(|rest| rest.split('\r').next()) {
        Some(length) => length.parse()?,
        None if matches!(status, 204 | 304) => 0,
        None => return Err(format!("a response without Content-Length: {head}").into()),
    };
    while buffer.len() < head_ends + length {
        if stream.read_buf(buffer).await? == 0 {
            return Err("the response ends too early".into());
        }
    }
    Ok((status, buffer.get(head_ends..).unwrap_or_default().to_vec()))
}
