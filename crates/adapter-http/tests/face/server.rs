//! Starts a server on a free port, and sends requests as bytes. Some of these requests are invalid, so an
//! HTTP library cannot send them.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use payroll_adapter_http::{
    Health, HttpSettings, OperatorApi, PartnerApi, ProcessMetrics, ServerHandle, TlsConfiguration,
    request_log, serve_operator, serve_partner,
};
use payroll_domain::date::Timestamp;
use payroll_ports::keys::{Key, KeySet};
use payroll_ports::minutes::MinuteCounts;
use payroll_ports::oversight::{Backup, Diagnostics, Finding};
use payroll_ports::{Clock, Randomness};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::operator_store::UnresolvableAddresses;
use crate::store::UnavailableStore;

/// The number of requests per minute that the server accepts from one application.
pub(crate) const REQUESTS_PER_MINUTE: u32 = 20;

/// A server that runs until the value is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    handle: ServerHandle,
}

/// A response, divided into the status line, the headers and the body.
pub(crate) struct ServerResponse {
    pub(crate) status: u16,
    pub(crate) body: String,
    head: String,
}

struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(1_785_199_045_000_000)
    }

    fn monotonic_time(&self) -> Duration {
        Duration::ZERO
    }
}

struct FixedRandomness;

impl Randomness for FixedRandomness {
    fn fill_with_random_bytes(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// A self-diagnosis without findings.
struct StubDiagnostics;

#[async_trait]
impl Diagnostics for StubDiagnostics {
    async fn run_checks(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn read_last_backup(&self) -> Option<Backup> {
        None
    }

    fn attempts_by_minute(&self, _: Timestamp) -> Vec<MinuteCounts<2>> {
        Vec::new()
    }
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Returns the dependencies of the operator API.
pub(crate) fn operator_api() -> OperatorApi {
    OperatorApi {
        agents: None,
        store: Arc::new(UnavailableStore),
        clock: Arc::new(StoppedClock),
        randomness: Arc::new(FixedRandomness),
        health: health(),
        metrics: metrics(),
        limits: Arc::default(),
        sandbox: None,
        diagnostics: Arc::new(StubDiagnostics),
        identity: None,
        settings: settings_with_long_timeouts(),
    }
}

fn metrics() -> Arc<ProcessMetrics> {
    Arc::new(payroll_adapter_http::create_metrics(
        Arc::new(UnavailableStore),
        Arc::new(StoppedClock),
        health(),
        Vec::new(),
    ))
}

/// Returns the health of a server that is not ready, because its storage is unavailable.
fn health() -> Arc<Health> {
    Arc::new(Health::new(Arc::new(UnavailableStore), String::new(), Box::new(|| None)))
}

/// Returns settings with timeouts that no test reaches, however busy the machine is.
fn settings_with_long_timeouts() -> HttpSettings {
    HttpSettings {
        workers: Some(1),
        // The limit for wrong credentials is disabled, because tests send wrong keys to every operation.
        failed_tokens_per_minute: None,
        rate_limit_per_minute: Some(REQUESTS_PER_MINUTE),
        ..HttpSettings::default()
    }
}

/// Returns settings with short timeouts, for tests whose only slow step is the wait for a timeout.
fn settings_with_short_timeouts() -> HttpSettings {
    let short = Duration::from_secs(2);
    HttpSettings {
        body_timeout: short,
        head_timeout: short,
        keep_alive: short,
        shutdown_timeout: short,
        ..settings_with_long_timeouts()
    }
}

impl Server {
    /// Starts the partner API.
    pub(crate) fn start() -> Self {
        Self::start_partner(settings_with_long_timeouts(), None)
    }

    /// Starts the partner API with short timeouts.
    pub(crate) fn start_with_short_timeouts() -> Self {
        Self::start_partner(settings_with_short_timeouts(), None)
    }

    /// Starts the partner API with TLS.
    pub(crate) fn start_with_tls(tls: &TlsConfiguration) -> Self {
        Self::start_partner(settings_with_long_timeouts(), Some(tls))
    }

    /// Starts the partner API with TLS and short timeouts.
    pub(crate) fn start_with_tls_and_short_timeouts(tls: &TlsConfiguration) -> Self {
        Self::start_partner(settings_with_short_timeouts(), Some(tls))
    }

    /// Starts the servers of both APIs with changed settings.
    pub(crate) fn start_both_servers(change: impl Fn(&mut HttpSettings)) -> [Self; 2] {
        let mut settings = settings_with_long_timeouts();
        change(&mut settings);
        let operator = OperatorApi { settings: settings.clone(), ..operator_api() };
        [Self::start_partner(settings, None), Self::start_operator_with_api(operator, None)]
    }

    /// Starts the partner API with TLS and changed settings.
    pub(crate) fn start_with_tls_and_settings(
        tls: &TlsConfiguration,
        change: impl Fn(&mut HttpSettings),
    ) -> Self {
        let mut settings = settings_with_long_timeouts();
        change(&mut settings);
        Self::start_partner(settings, Some(tls))
    }

    fn start_partner(settings: HttpSettings, tls: Option<&TlsConfiguration>) -> Self {
        let (listener, address) = listener();
        let api = PartnerApi {
            agents: None,
            replica: None,
            store: Arc::new(UnavailableStore),
            clock: Arc::new(StoppedClock),
            randomness: Arc::new(FixedRandomness),
            health: health(),
            metrics: metrics(),
            limits: Arc::default(),
            keys: KeySet::new(Key::new("a", [1; 32]).unwrap(), Vec::new()).unwrap().into(),
            addresses: Arc::new(UnresolvableAddresses),
            requests: request_log(Arc::new(UnavailableStore), true).0,
            settings,
        };
        Self::from_running(serve_partner(api, listener, tls).unwrap(), address)
    }

    /// Starts the operator API.
    pub(crate) fn start_operator() -> Self {
        Self::start_operator_with_api(operator_api(), None)
    }

    /// Starts the operator API with TLS.
    pub(crate) fn start_operator_with_tls(tls: &TlsConfiguration) -> Self {
        Self::start_operator_with_api(operator_api(), Some(tls))
    }

    /// Starts the operator API with TLS and short timeouts.
    pub(crate) fn start_operator_with_tls_and_short_timeouts(tls: &TlsConfiguration) -> Self {
        Self::start_operator_with_api(
            OperatorApi { settings: settings_with_short_timeouts(), ..operator_api() },
            Some(tls),
        )
    }

    fn start_operator_with_api(api: OperatorApi, tls: Option<&TlsConfiguration>) -> Self {
        let (listener, address) = listener();
        Self::from_running(serve_operator(api, listener, tls).unwrap(), address)
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    fn from_running(server: payroll_adapter_http::Server, address: SocketAddr) -> Self {
        let handle = server.handle();
        tokio::spawn(server);
        Self { address, handle }
    }

    pub(crate) async fn get(&self, path: &str) -> ServerResponse {
        self.request("GET", path, &[], "").await
    }

    pub(crate) async fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> ServerResponse {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: h\r\n{headers}Content-Length: {length}\r\n\r\n");
        self.send(format!("{head}{body}").as_bytes()).await
    }

    /// Sends bytes and reads the response.
    pub(crate) async fn send(&self, bytes: &[u8]) -> ServerResponse {
        let mut connection = self.connect().await;
        // The server may respond and close the connection before it has read all bytes. An error of the
        // write is therefore ignored.
        let _ = connection.0.write_all(bytes).await;
        connection.read_response().await
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection(TcpStream::connect(self.address).await.unwrap())
    }

    /// Connects from the given address of this machine.
    pub(crate) async fn connect_from(&self, address: &str) -> Connection {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(address.parse().unwrap(), 0)).unwrap();
        Connection(socket.connect(self.address).await.unwrap())
    }

    /// Stops the server after it has finished its requests.
    pub(crate) fn stop(&self) -> impl Future<Output = ()> + Send + 'static {
        self.handle.stop(true)
    }
}

/// A connection on which a test sends requests in pieces.
pub(crate) struct Connection(TcpStream);

impl Connection {
    pub(crate) async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.unwrap();
    }

    /// Waits until the server closes the connection, and ignores earlier data.
    pub(crate) async fn wait_until_closed(&mut self) {
        self.read_to_end().await;
    }

    /// Reads all bytes until the server closes the connection.
    pub(crate) async fn read_to_end(&mut self) -> String {
        let mut rest = Vec::new();
        // An error means that the connection was reset. The connection is then closed too, so the error is
        // ignored.
        let _ = self.0.read_to_end(&mut rest).await;
        String::from_utf8(rest).unwrap()
    }

    /// Returns whether the connection is open and no bytes have arrived. If a byte has arrived, this function
    /// discards it.
    pub(crate) fn is_open_and_silent(&self) -> bool {
        let would_block = |error: &std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
        self.0.try_read(&mut [0]).as_ref().err().is_some_and(would_block)
    }

    /// Waits until the given text has arrived.
    pub(crate) async fn wait_for_text(&mut self, text: &str) {
        let mut received = Vec::new();
        let mut buffer = [0; 4_096];
        while !String::from_utf8_lossy(&received).contains(text) {
            let count = self.0.read(&mut buffer).await.unwrap_or(0);
            assert!(count > 0, "no {text}: {}", String::from_utf8_lossy(&received));
            received.extend_from_slice(&buffer[..count]);
        }
    }

    /// Reads a response until it is complete.
    pub(crate) async fn read_response(&mut self) -> ServerResponse {
        let mut received = Vec::new();
        let mut buffer = [0; 4_096];
        loop {
            if let Some(response) = ServerResponse::parse(&received) {
                return response;
            }
            let count = self.0.read(&mut buffer).await.unwrap_or(0);
            assert!(count > 0, "no whole answer: {}", String::from_utf8_lossy(&received));
            received.extend_from_slice(&buffer[..count]);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

impl ServerResponse {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let response = Self { status, head: head.to_owned(), body: body.to_owned() };
        let length = response.header("content-length").map_or(0, |length| length.parse().unwrap());
        (response.body.len() >= length).then_some(response)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}
