//! Servers that share one PostgreSQL database behind a load balancer, started for one test.

use std::sync::atomic::{AtomicU8, Ordering};

use super::balancer::{Balancer, BalancerKind};
use crate::support::receiver::wait_until_async;
use crate::support::{Database, DatabaseKind, Process, Request, for_each_kind};

/// The number of servers behind the load balancer.
pub(super) const SERVER_COUNT: usize = 3;

/// Servers that share a database. Each server has its own loopback address. Another test therefore cannot
/// take the port while a server is replaced.
pub(super) struct ServerFleet {
    pub(super) database: Database,
    network: String,
    /// Options that are added to the database URL.
    options: &'static str,
    /// The additional arguments of the servers.
    arguments: Vec<String>,
    pub(super) servers: Vec<Process>,
}

impl ServerFleet {
    fn start(database: Database, options: &'static str, arguments: &[String]) -> Self {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        let [high, low, ..] = std::process::id().to_le_bytes();
        let network =
            format!("127.{}.{}", high.wrapping_add(low).max(1), NEXT.fetch_add(1, Ordering::SeqCst));
        let mut fleet =
            Self { database, network, options, arguments: arguments.to_vec(), servers: Vec::new() };
        fleet.servers = (0..SERVER_COUNT).map(|number| fleet.serve_at_address(number)).collect();
        fleet
    }

    pub(super) fn address(&self, number: usize) -> String {
        format!("{}.{}:8080", self.network, number + 1)
    }

    fn serve_at_address(&self, number: usize) -> Process {
        let listen = self.address(number);
        let url = format!("{}{}", self.database.url(), self.options);
        let mut arguments =
            vec!["--listen", listen.as_str(), "--database-url", &url, "--trusted-proxies", "127.0.0.0/8"];
        arguments.extend(self.arguments.iter().map(String::as_str));
        Process::serve_with(&self.database, &arguments)
    }

    async fn start_balancer(&self, kind: BalancerKind) -> Option<Balancer> {
        let servers: Vec<String> = (0..SERVER_COUNT).map(|number| self.address(number)).collect();
        Balancer::start(kind, &format!("{}.99:8000", self.network), &servers).await
    }

    /// Replaces one server, and waits until the load balancer sends requests to the new server.
    pub(super) async fn replace_server(&mut self, number: usize) {
        self.servers[number].send_stop_signal();
        self.replace_stopping_server(number).await;
    }

    /// Replaces a server like [`Self::replace_server`]. The server must already have received the stop
    /// signal.
    pub(super) async fn replace_stopping_server(&mut self, number: usize) {
        let mut stopping = std::mem::take(&mut self.servers);
        let stopped = tokio::task::spawn_blocking(move || {
            let code = stopping[number].wait();
            (stopping, code)
        });
        let (servers, code) = stopped.await.expect("it ends");
        self.servers = servers;
        assert_eq!(code, Some(0));
        self.servers[number] = self.serve_at_address(number);
        wait_until_async(
            async || count_requests(&self.servers[number]).await > 0,
            "requests for the new server",
        )
        .await;
    }
}

/// Runs a test with three servers behind a load balancer. If the load balancer is not installed, the test is
/// skipped. `options` are added to the database URL.
pub(super) fn run_behind_balancer(
    kind: BalancerKind,
    options: &'static str,
    arguments: &[String],
    test: impl AsyncFn(&mut ServerFleet, &Balancer),
) {
    for_each_kind(async |database| {
        if database != DatabaseKind::Postgres {
            return; // an embedded database has one server
        }
        let mut fleet = ServerFleet::start(Database::with_test_data(database).await, options, arguments);
        let Some(balancer) = fleet.start_balancer(kind).await else { return };
        test(&mut fleet, &balancer).await;
        drop(balancer);
        fleet.servers.clear();
        fleet.database.return_to_pool().await;
    });
}

/// Returns the number of POST requests that the partner API of a server has received.
pub(super) async fn count_requests(server: &Process) -> usize {
    let metrics = server.operator.send(&Request::get("/metrics"), None).await.expect("an answer");
    let text = String::from_utf8(metrics.body).expect("text");
    let counts = text.lines().filter(|line| {
        line.starts_with("payroll_http_requests_total{listener=\"partner\"") && line.contains("POST")
    });
    counts.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum()
}
