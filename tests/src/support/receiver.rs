//! A receiver of notifications on loopback. The receiver stores requests, validates them against the
//! description, and responds as a test specifies. The receiver runs in its own thread and therefore outlives
//! servers and runtimes.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};

use super::description::Description;
use super::received::Received;

/// The host names by which servers under test reach the receiver.
pub(crate) const RECEIVER_HOSTS: [&str; 2] = ["receiver.test", "other.test"];
/// The maximum wait for an event before a test fails.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// The response of the receiver to a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Responds with this status and without a body.
    Status(u16),
    /// Responds with 200 and this JSON.
    Json(Value),
    /// Responds with this status and an additional header line.
    With(u16, &'static str),
    /// Waits until [`Receiver::release_held_requests`] and then responds with 204.
    Hold,
    /// Closes the connection without a response.
    Close,
    /// Responds with 200 and a body that never ends.
    Endless,
}

type ReplyPlan = Box<dyn Fn(&Received) -> Reply + Send>;

struct ReceiverState {
    received: Mutex<Vec<Received>>,
    plan: Mutex<ReplyPlan>,
    release: Semaphore,
    /// The differences between the received notifications and the OpenAPI description.
    faults: Mutex<Vec<String>>,
}

/// A receiver, which ends when this value is dropped.
pub(crate) struct Receiver {
    address: SocketAddr,
    inner: Arc<ReceiverState>,
    _stop: oneshot::Sender<()>,
}

impl Receiver {
    /// Starts a receiver that accepts everything.
    pub(crate) fn start() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("an address");
        let inner = Arc::new(ReceiverState {
            received: Mutex::default(),
            plan: Mutex::new(Box::new(|_| Reply::Status(204))),
            release: Semaphore::new(0),
            faults: Mutex::default(),
        });
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&inner);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let listener = TcpListener::from_std(listener).expect("a listener");
                tokio::select! {
                    () = accept_connections(listener, served) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, inner, _stop: stop }
    }

    /// Returns the host and port of the receiver.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the value of the setting `webhook_hosts` that maps the receiver.
    pub(crate) fn host_mappings(&self) -> String {
        RECEIVER_HOSTS.map(|host| format!("{host}={}", self.address)).join(",")
    }

    /// Sets the function that determines the response to each further request.
    pub(crate) fn reply_with(&self, plan: impl Fn(&Received) -> Reply + Send + 'static) {
        *self.inner.plan.lock().expect("no plan fails") = Box::new(plan);
    }

    /// Resets the receiver, which then accepts everything and has no stored requests.
    pub(crate) fn reset_state(&self) {
        self.reply_with(|_| Reply::Status(204));
        self.inner.received.lock().expect("a list").clear();
        self.inner.release.forget_permits(usize::MAX);
    }

    /// Makes the receiver respond to this number of requests that it holds back because of `Reply::Hold`.
    pub(crate) fn release_held_requests(&self, count: usize) {
        self.inner.release.add_permits(count);
    }

    /// Returns all requests so far.
    ///
    /// # Panics
    /// A notification differs from the description.
    pub(crate) fn received(&self) -> Vec<Received> {
        let faults = self.inner.faults.lock().expect("a list");
        assert!(faults.is_empty(), "not as described: {faults:#?}");
        self.inner.received.lock().expect("a list").clone()
    }

    /// Returns the requests that this path has received so far.
    pub(crate) fn requests_to(&self, path: &str) -> Vec<Received> {
        let of_path = |it: &Received| it.target.split('?').next() == Some(path);
        self.received().into_iter().filter(of_path).collect()
    }

    /// Waits until a path has received this number of requests.
    pub(crate) async fn wait_for_requests(&self, path: &str, count: usize) -> Vec<Received> {
        wait_until(|| self.requests_to(path).len() >= count, &format!("{count} requests to {path}")).await;
        self.requests_to(path)
    }
}

/// Waits until a condition holds, and fails after a minute.
pub(crate) async fn wait_until(holds: impl Fn() -> bool, what: &str) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    assert!(tokio::time::timeout(MAX_WAIT, waiting).await.is_ok(), "not there: {what}");
}

/// Waits like [`wait_until`], for an asynchronous condition.
pub(crate) async fn wait_until_async(holds: impl AsyncFn() -> bool, what: &str) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(MAX_WAIT, waiting).await.is_ok(), "not there: {what}");
}

async fn accept_connections(listener: TcpListener, inner: Arc<ReceiverState>) {
    while let Ok((connection, _)) = listener.accept().await {
        let inner = Arc::clone(&inner);
        tokio::spawn(async move { serve_connection(connection, &inner).await });
    }
}

/// Responds to the requests of one connection until either side closes it.
async fn serve_connection(connection: TcpStream, inner: &ReceiverState) -> Option<()> {
    connection.set_nodelay(true).ok()?;
    let mut connection = BufReader::new(connection);
    loop {
        let received = read_request(&mut connection).await?;
        let faults = Description::partner_description().notification_faults(&received);
        inner.faults.lock().expect("a list").extend(faults);
        let reply = (inner.plan.lock().expect("no plan fails"))(&received);
        inner.received.lock().expect("a list").push(received);
        match reply {
            Reply::Status(status) => write_response(&mut connection, status, "", b"").await?,
            Reply::With(status, header) => {
                write_response(&mut connection, status, &format!("{header}\r\n"), b"").await?;
            }
            Reply::Json(body) => {
                let header = "content-type: application/json\r\n";
                write_response(&mut connection, 200, header, body.to_string().as_bytes()).await?;
            }
            Reply::Hold => {
                inner.release.acquire().await.ok()?.forget();
                write_response(&mut connection, 204, "", b"").await?;
            }
            Reply::Close => return None,
            Reply::Endless => return write_endless_body(&mut connection).await,
        }
    }
}

async fn read_request(connection: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut line = String::new();
    connection.read_line(&mut line).await.ok().filter(|bytes| *bytes > 0)?;
    let (method, rest) = line.split_once(' ')?;
    let target = rest.split(' ').next()?.to_owned();
    let (method, mut headers) = (method.to_owned(), BTreeMap::new());
    loop {
        let mut line = String::new();
        connection.read_line(&mut line).await.ok().filter(|bytes| *bytes > 0)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await.ok()?;
    Some(Received { method, target, headers, body })
}

async fn write_response(
    to: &mut BufReader<TcpStream>,
    status: u16,
    headers: &str,
    body: &[u8],
) -> Option<()> {
    let length = if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let mut response = format!("HTTP/1.1 {status} Status\r\n{headers}{length}\r\n").into_bytes();
    response.extend_from_slice(body);
    to.write_all(&response).await.ok()
}

async fn write_endless_body(to: &mut BufReader<TcpStream>) -> Option<()> {
    to.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
    loop {
        to.write_all(&[b'x'; 1_024]).await.ok()?;
        tokio::task::yield_now().await;
    }
}
