//! Clients that add checks and change a worker without a pause while a test disturbs the server. Afterwards,
//! the test verifies that no acknowledged change is lost.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::receiver::wait_until_async;
use crate::support::{
    Client, Database, OPEN, Process, Receiver, Request, Response, check_with_correlation_id, token_form,
};
use crate::webhooks::processes::{operator_authorization, received_event_ids, register_hook};
use crate::webhooks::{change_request, wait_until_queue_is_empty};

/// The number of added batches for which a test waits before and after the disturbance.
const MIN_RESPONSES: usize = 30;
/// The number of clients that add checks. Each client sends one request after the other.
const CLIENT_COUNT: usize = 3;
/// The worker that one more client changes repeatedly.
const WORKER_ID: &str = "EMPLOYEE";
/// The pause of a client after its connection broke.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// The HTTP clients of the server process that currently runs.
#[derive(Debug, Clone)]
struct ServerClients {
    partner: Client,
    operator: Client,
}

impl ServerClients {
    fn new(process: &Process) -> Self {
        Self { partner: process.client.clone(), operator: process.operator.clone() }
    }
}

/// The clients that send requests, and the results of all clients.
pub(crate) struct BackgroundLoad {
    clients: Mutex<ServerClients>,
    /// The number of batches of checks with a 201.
    added_checks: AtomicUsize,
    /// The number of changes of a worker with a 200.
    changed_workers: AtomicUsize,
    unavailable: AtomicUsize,
    broken: AtomicUsize,
    /// The longest response time of a 503, in milliseconds.
    slowest_refusal: AtomicUsize,
    stop: AtomicBool,
}

/// The failures that clients observed.
#[derive(Debug)]
pub(crate) struct ObservedFailures {
    /// The number of requests with a 503.
    pub(crate) unavailable: usize,
    /// The longest response time of a 503.
    pub(crate) slowest_refusal: Duration,
    /// The number of requests whose connection broke.
    pub(crate) broken: usize,
}

/// Returns the arguments with which a server sends notifications to the receiver.
pub(crate) fn receiver_arguments(hosts: &str) -> [&str; 4] {
    ["--webhook-hosts", hosts, "--webhook-allow-http", "true"]
}

/// Sends requests to a server while `disturb` runs. Verifies afterwards that each batch with a 201 is
/// stored once, that nothing else is stored, and that each notification has arrived.
///
/// `serve` starts the server. `disturb` disturbs this server, and returns the server that runs at the end.
pub(crate) async fn assert_nothing_lost(
    database: &Database,
    receiver: &Receiver,
    serve: impl FnOnce() -> Process,
    disturb: impl AsyncFnOnce(Process, &BackgroundLoad) -> Process,
) -> ObservedFailures {
    receiver.reset_state();
    register_hook(database).await;
    let process = serve();
    let load = BackgroundLoad::start_on(&process);
    let happening = async {
        load.wait_for_responses().await;
        let process = disturb(process, &load).await;
        load.wait_for_responses().await;
        load.stop.store(true, Ordering::SeqCst);
        process
    };
    let adding = join_all((0..CLIENT_COUNT).map(|share| load.add_checks(share)));
    let (added, (), _process) = tokio::join!(adding, load.change_worker(), happening);
    let added: BTreeSet<usize> = added.into_iter().flatten().collect();
    for number in &added {
        let query =
            format!("SELECT count(*) FROM checks WHERE correlation_id IN ('{number}-a', '{number}-b')");
        assert_eq!(database.query_number(&query).await, 2, "{number}");
    }
    let all = database.query_number("SELECT count(*) FROM checks WHERE application_id <> ''").await;
    assert_eq!(usize::try_from(all).expect("a count"), 2 * added.len(), "nothing else is there");
    wait_until_queue_is_empty(database).await;
    assert_eq!(
        i64::try_from(received_event_ids(receiver).len()).expect("a count"),
        count_events(database).await
    );
    load.observed_failures()
}

impl BackgroundLoad {
    fn start_on(process: &Process) -> Self {
        Self {
            clients: Mutex::new(ServerClients::new(process)),
            added_checks: AtomicUsize::default(),
            changed_workers: AtomicUsize::default(),
            unavailable: AtomicUsize::default(),
            broken: AtomicUsize::default(),
            slowest_refusal: AtomicUsize::default(),
            stop: AtomicBool::default(),
        }
    }

    /// Makes the clients send all further requests to this process.
    pub(crate) fn send_to(&self, process: &Process) {
        *self.clients.lock().unwrap_or_else(PoisonError::into_inner) = ServerClients::new(process);
    }

    fn clients(&self) -> ServerClients {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn observed_failures(&self) -> ObservedFailures {
        let slowest = u64::try_from(self.slowest_refusal.load(Ordering::SeqCst)).expect("no years");
        ObservedFailures {
            unavailable: self.unavailable.load(Ordering::SeqCst),
            slowest_refusal: Duration::from_millis(slowest),
            broken: self.broken.load(Ordering::SeqCst),
        }
    }

    /// Sends a request until the server has executed it. Before that, the response may only be 503 API-503,
    /// or a conflict with an earlier attempt of the same request.
    async fn send_until_executed(
        &self,
        client: impl Fn(&ServerClients) -> &Client,
        request: &Request,
        token: &str,
    ) -> Response {
        loop {
            let started = Instant::now();
            match client(&self.clients()).send(request, Some(token)).await {
                Ok(response) if response.status == 503 => {
                    assert_eq!(error_code(&response), "API-503", "{response:?}");
                    assert!(!response.header("retry-after").is_empty(), "{response:?}");
                    self.unavailable.fetch_add(1, Ordering::SeqCst);
                    let took = usize::try_from(started.elapsed().as_millis()).expect("no years");
                    self.slowest_refusal.fetch_max(took, Ordering::SeqCst);
                }
                Ok(response) if response.status == 409 => {
                    assert_eq!(error_code(&response), "API-409", "{response:?}")
                }
                Ok(response) => return response,
                Err(_) => {
                    self.broken.fetch_add(1, Ordering::SeqCst);
                    tokio::time::sleep(RETRY_PAUSE).await; // the server may not be running
                }
            }
        }
    }

    /// Waits until more batches of checks are added and the worker is changed again.
    pub(crate) async fn wait_for_responses(&self) {
        let (added, changed) =
            (self.added_checks.load(Ordering::SeqCst), self.changed_workers.load(Ordering::SeqCst));
        let enough = async || {
            self.added_checks.load(Ordering::SeqCst) >= added + MIN_RESPONSES
                && self.changed_workers.load(Ordering::SeqCst) > changed
        };
        wait_until_async(enough, "more answers").await;
    }

    /// Adds batches of checks until the load is stopped. Returns the numbers of the added batches. `share` is
    /// the number of the client.
    async fn add_checks(&self, share: usize) -> Vec<usize> {
        let token = self.clients().partner.request_token(token_form()).await;
        let mut added = Vec::new();
        let mut number = share;
        while !self.stop.load(Ordering::SeqCst) {
            let response =
                self.send_until_executed(|place| &place.partner, &batch_request(number), &token).await;
            assert_eq!(response.status, 201, "{response:?}");
            self.added_checks.fetch_add(1, Ordering::SeqCst);
            added.push(number);
            number += CLIENT_COUNT;
        }
        added
    }

    /// Changes a worker until the load is stopped. Each change queues a notification.
    async fn change_worker(&self) {
        for number in 0.. {
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            let request = change_request(OPEN, WORKER_ID, number);
            let response =
                self.send_until_executed(|place| &place.operator, &request, &operator_authorization()).await;
            assert_eq!(response.status, 200, "{response:?}");
            self.changed_workers.fetch_add(1, Ordering::SeqCst);
        }
    }
}

fn error_code(response: &Response) -> Value {
    response.json()["errors"][0]["code"].clone()
}

/// Returns a batch of two checks with its own idempotency key.
fn batch_request(number: usize) -> Request {
    let checks = json!([
        check_with_correlation_id(&format!("{number}-a")),
        check_with_correlation_id(&format!("{number}-b"))
    ]);
    Request::post_checks(OPEN, &checks).idempotency_key(&format!("key-{number}"))
}

/// Returns the number of stored events of the domain WRKR_EMPL.
async fn count_events(database: &Database) -> i64 {
    database.query_number("SELECT count(*) FROM events WHERE domain = 'WRKR_EMPL'").await
}
