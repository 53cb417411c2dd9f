//! Clients that send requests without a pause, and that record each unexpected response.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tokio::time::Instant;

use crate::support::receiver::wait_until_async;
use crate::support::{Client, OPEN, Request, check_with_correlation_id, token_form};

/// The number of clients of each kind. Each client sends one request after the other.
pub(super) const CLIENT_COUNT: usize = 2;
/// The number of kinds of clients.
pub(super) const REQUEST_KINDS: usize = 3;
/// The number of further responses after which the tests consider the service working.
const MIN_RESPONSES: usize = 60;

/// The kind of requests that a client sends.
#[derive(Debug, Clone, Copy)]
enum RequestKind {
    Reads,
    /// Adds checks with an idempotency key.
    AddsWithKey,
    /// Adds checks without an idempotency key. The load balancer must not resend such a request, because it
    /// could be executed twice.
    AddsWithoutKey,
}

/// The results of the clients while they send requests.
#[derive(Debug, Default)]
pub(super) struct SteadyClients {
    stop: AtomicBool,
    answered: AtomicUsize,
    added: AtomicUsize,
    failures: Mutex<Vec<String>>,
    /// The longest response time, in milliseconds.
    slowest: AtomicUsize,
}

/// The results of the requests of all clients.
#[derive(Debug)]
pub(super) struct RequestCounts {
    /// The number of requests with the expected response.
    pub(super) answered: usize,
    /// The number of batches of two checks with a 201.
    pub(super) added: usize,
    /// The result of each request that did not get the expected response.
    pub(super) failures: Vec<String>,
    pub(super) slowest: Duration,
}

impl SteadyClients {
    /// Sends requests to a service without a pause while `disturb` runs. `disturb` starts after the first
    /// responses, and the clients stop after some more responses.
    pub(super) async fn send_requests_during(
        client: &Client,
        disturb: impl AsyncFnOnce(&Self),
    ) -> RequestCounts {
        let load = Self::default();
        let token = client.request_token(token_form()).await;
        let kinds = [RequestKind::Reads, RequestKind::AddsWithKey, RequestKind::AddsWithoutKey];
        let clients = kinds.into_iter().flat_map(|kind| (0..CLIENT_COUNT).map(move |number| (kind, number)));
        let loading =
            join_all(clients.map(|(kind, number)| load.send_requests(client, &token, kind, number)));
        let happening = async {
            load.wait_for_more_responses().await;
            disturb(&load).await;
            load.wait_for_more_responses().await;
            load.stop.store(true, Ordering::SeqCst);
        };
        tokio::join!(loading, happening);
        let slowest = u64::try_from(load.slowest.load(Ordering::SeqCst)).expect("no years");
        RequestCounts {
            answered: load.answered.load(Ordering::SeqCst),
            added: load.added.load(Ordering::SeqCst),
            failures: load.failures.into_inner().unwrap_or_else(PoisonError::into_inner),
            slowest: Duration::from_millis(slowest),
        }
    }

    /// Waits until at least `MIN_RESPONSES` more responses have arrived.
    pub(super) async fn wait_for_more_responses(&self) {
        let before = self.answered.load(Ordering::SeqCst);
        let enough = async || self.answered.load(Ordering::SeqCst) >= before + MIN_RESPONSES;
        wait_until_async(enough, "more answers").await;
    }

    async fn send_requests(&self, client: &Client, token: &str, kind: RequestKind, client_number: usize) {
        // Each client has its own connections, so a broken connection affects only one client.
        let client = Client::new(client.base_url());
        for number in 0.. {
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            let name = format!("{kind:?}-{client_number}-{number}");
            let (request, expected) = kind.create_request(&name);
            let started = Instant::now();
            let sent = client.send_unchecked(&request, Some(token)).await;
            let took = started.elapsed();
            match sent {
                Ok(response) if response.status == expected => {
                    self.answered.fetch_add(1, Ordering::SeqCst);
                    self.added.fetch_add(usize::from(expected == 201), Ordering::SeqCst);
                }
                Ok(response) => {
                    self.record_failure(format!("{name}: {} after {took:?}: {response:?}", response.status));
                }
                Err(error) => self.record_failure(format!("{name}: after {took:?}: {error:?}")),
            }
            let took = usize::try_from(took.as_millis()).expect("no years");
            self.slowest.fetch_max(took, Ordering::SeqCst);
        }
    }

    fn record_failure(&self, what: String) {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }
}

impl RequestKind {
    fn create_request(self, name: &str) -> (Request, u16) {
        let checks = json!([
            check_with_correlation_id(&format!("{name}-a")),
            check_with_correlation_id(&format!("{name}-b"))
        ]);
        let adding = Request::post_checks(OPEN, &checks);
        match self {
            Self::Reads => (Request::get(format!("/companies/{OPEN}")), 200),
            Self::AddsWithKey => (adding.idempotency_key(name), 201),
            Self::AddsWithoutKey => (adding, 201),
        }
    }
}
