//! A chaos test with three servers behind HAProxy, on a primary with a synchronous standby or on a cluster.
//! While clients write, servers are killed and replaced, the primary is lost, and nodes of the cluster are
//! restarted. At the end, each acknowledged write is stored once, nothing else is stored, and each event was
//! delivered.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use payroll_domain::event::EventDomain;
use serde_json::json;

use super::balancer::{Balancer, BalancerKind};
use super::cluster::CitusCluster;
use super::failover::{connect, create_filled_database};
use super::pair::{PairMember, ServerPair};
use crate::support::receiver::wait_until_async;
use crate::support::{
    Client, Database, DatabaseKind, OPEN, Process, Receiver, Request, check_with_correlation_id,
    for_each_kind, open_store_at, token_form,
};
use crate::webhooks::crash::event_ids;
use crate::webhooks::processes::{operator_authorization, received_event_ids};
use crate::webhooks::{add_hook, change_request};

/// The number of servers behind the load balancer.
const SERVER_COUNT: usize = 3;
/// The number of clients that add checks. Each client sends one batch after the other.
const WRITER_COUNT: usize = 4;
/// The workers that clients change. Each worker has its own client, which changes the worker repeatedly.
const WORKERS: [&str; 2] = ["EMPLOYEE", "COLLEAGUE"];
/// The default number of steps. The primary is lost after half of the steps.
const DEFAULT_STEPS: usize = 6;
/// The environment variable with the number of steps.
const STEPS_VARIABLE: &str = "TEST_CHAOS_STEPS";
/// The minimum number of acknowledged writes between two steps.
const REQUESTS_BETWEEN_STEPS: usize = 40;
/// The pause before an unacknowledged write is retried.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// The time between the kill of a cluster node and its restart.
const DOWNTIME: Duration = Duration::from_millis(300);
/// The id of the hook that receives notifications.
const HOOK_ID: &str = "here";

fn step_count() -> usize {
    let value = std::env::var(STEPS_VARIABLE).ok();
    value.map_or(DEFAULT_STEPS, |value| {
        value.parse().unwrap_or_else(|_| panic!("{STEPS_VARIABLE} is a number"))
    })
}

/// A client for the operator API of each running server.
#[derive(Clone, Default)]
struct OperatorClients(Arc<Mutex<Vec<Client>>>);

impl OperatorClients {
    fn set_client(&self, number: usize, client: &Client) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get_mut(number) {
            Some(old) => *old = client.clone(),
            None => all.push(client.clone()),
        }
    }

    fn get(&self, number: usize) -> Client {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[number % SERVER_COUNT].clone()
    }
}

/// Servers with the same database. Each server has its own address.
struct ServerGroup {
    network: String,
    /// The folder with the servers' encryption keys. The embedded database in this folder is not used.
    folder: Database,
    arguments: Vec<String>,
    running: Vec<Process>,
    operators: OperatorClients,
}

impl ServerGroup {
    async fn start(url: &str, receiver: &Receiver) -> Self {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        let [high, low, ..] = std::process::id().to_le_bytes();
        let network =
            format!("127.{}.{}", 64 | (high ^ low) >> 2, 200 + NEXT.fetch_add(1, Ordering::SeqCst) % 50);
        let arguments = [
            ("--database-url", url.to_owned()),
            ("--trusted-proxies", "127.0.0.0/8".to_owned()),
            ("--webhook-hosts", receiver.host_mappings()),
            ("--webhook-allow-http", "true".to_owned()),
            ("--webhook-claim-seconds", "20".to_owned()),
        ];
        let arguments = arguments.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect();
        let folder = Database::empty(DatabaseKind::Sqlite).await;
        let mut servers =
            Self { network, folder, arguments, running: Vec::new(), operators: OperatorClients::default() };
        for number in 0..SERVER_COUNT {
            let started = servers.serve_at_address(number);
            servers.operators.set_client(number, &started.operator);
            servers.running.push(started);
        }
        servers
    }

    fn address(&self, number: usize) -> String {
        format!("{}.{}:8080", self.network, number + 1)
    }

    fn serve_at_address(&self, number: usize) -> Process {
        let listen = self.address(number);
        // On a cluster, the first server sends all statements to the coordinator. The other servers also
        // connect to the worker nodes.
        let nodes = if number == 0 { "0" } else { "3" };
        let mut arguments = vec!["--listen", listen.as_str(), "--database-node-connections", nodes];
        arguments.extend(self.arguments.iter().map(String::as_str));
        Process::serve_with(&self.folder, &arguments)
    }

    async fn start_balancer(&self) -> Option<Balancer> {
        let servers: Vec<String> = (0..SERVER_COUNT).map(|number| self.address(number)).collect();
        Balancer::start(BalancerKind::HaProxy, &format!("{}.99:8000", self.network), &servers).await
    }

    /// Stops a server in order or kills it, and starts another server at the same address.
    async fn replace_server(&mut self, number: usize, in_order: bool) {
        let mut old = self.running.remove(number);
        let ended = tokio::task::spawn_blocking(move || {
            if in_order {
                old.send_stop_signal();
                assert_eq!(old.wait(), Some(0));
            } else {
                old.kill();
            }
        });
        ended.await.expect("it ends");
        let started = self.serve_at_address(number);
        self.operators.set_client(number, &started.operator);
        self.running.insert(number, started);
    }
}

/// Counts the acknowledged writes of all clients. `stop` makes the clients stop.
#[derive(Default)]
struct AcknowledgedRequests {
    stop: AtomicBool,
    batches: AtomicUsize,
    changes: AtomicUsize,
    /// The number of attempts that were retried because the response was an error or was missing.
    repeated: AtomicUsize,
}

impl AcknowledgedRequests {
    fn total(&self) -> usize {
        self.batches.load(Ordering::SeqCst) + self.changes.load(Ordering::SeqCst)
    }

    /// Sends a request until a response has the status `acknowledgement`.
    async fn send_until_acknowledged(&self, attempt: impl AsyncFn() -> Option<u16>, acknowledgement: u16) {
        loop {
            match attempt().await {
                Some(status) if status == acknowledgement => return,
                // These statuses are temporary: another server processes the request, or the company or the
                // storage is currently unavailable.
                None | Some(409 | 423 | 500..=599) => {}
                Some(status) => panic!("answered {status}"),
            }
            self.repeated.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    /// Adds batches of two checks, each with its own idempotency key.
    async fn add_checks(&self, client: &Client, token: &str, writer: usize) {
        for number in 0.. {
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            let name = format!("{writer}-{number}");
            let checks = json!([
                check_with_correlation_id(&format!("{name}-a")),
                check_with_correlation_id(&format!("{name}-b"))
            ]);
            let request = Request::post_checks(OPEN, &checks).idempotency_key(&name);
            let attempt = async || {
                client.send_unchecked(&request, Some(token)).await.ok().map(|response| response.status)
            };
            self.send_until_acknowledged(attempt, 201).await;
            self.batches.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Changes a worker through one server after the other. If an attempt fails, the next server gets the
    /// same change. A change that is already stored has no effect.
    async fn change_worker(&self, operators: &OperatorClients, worker: &str) {
        for number in 0.. {
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            let turn = AtomicUsize::new(number);
            let attempt = async || {
                let operator = operators.get(turn.fetch_add(1, Ordering::SeqCst));
                let sent = operator
                    .send_unchecked(&change_request(OPEN, worker, number), Some(&operator_authorization()))
                    .await;
                sent.ok().map(|response| response.status)
            };
            self.send_until_acknowledged(attempt, 200).await;
            self.changes.fetch_add(1, Ordering::SeqCst);
        }
    }

    async fn wait_for_more(&self) {
        let enough = self.total() + REQUESTS_BETWEEN_STEPS;
        wait_until_async(async || self.total() >= enough, "writes that are acknowledged").await;
    }
}

/// Replaces servers one after the other, and kills most of them. Before each step, `disturb` may disturb the
/// database.
async fn kill_and_replace_servers(
    servers: &mut ServerGroup,
    acknowledged: &AcknowledgedRequests,
    disturb: impl AsyncFn(usize),
) {
    for step in 0..step_count() {
        acknowledged.wait_for_more().await;
        disturb(step).await;
        // The formula varies the order in which servers are replaced. In every third step, the server is
        // stopped in order. In the other steps, it is killed.
        servers.replace_server((step * 5 + step / SERVER_COUNT) % SERVER_COUNT, step % 3 == 2).await;
    }
    acknowledged.wait_for_more().await;
    acknowledged.stop.store(true, Ordering::SeqCst);
}

pub(super) async fn query_number(url: &str, sql: &str) -> usize {
    let rows = connect(url).await.query(sql, &[]).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    usize::try_from(rows[0].get::<_, i64>(0)).expect("a count")
}

/// Compares the stored data with the acknowledged writes. Each writer stopped after an acknowledgement, so
/// the result of every write is known.
async fn assert_all_stored(
    url: &str,
    servers: &ServerGroup,
    receiver: &Receiver,
    acknowledged: &AcknowledgedRequests,
) {
    let batches = acknowledged.batches.load(Ordering::SeqCst);
    const COUNT_CHECKS: &str = "SELECT count(*) FROM checks WHERE application_id <> ''";
    const COUNT_DIFFERENT_CHECKS: &str =
        "SELECT count(DISTINCT correlation_id) FROM checks WHERE application_id <> ''";
    assert_eq!(
        (query_number(url, COUNT_CHECKS).await, query_number(url, COUNT_DIFFERENT_CHECKS).await),
        (2 * batches, 2 * batches)
    );
    const COUNT_PENDING_DELIVERIES: &str = "SELECT count(*) FROM deliveries WHERE due IS NOT NULL";
    wait_until_async(async || query_number(url, COUNT_PENDING_DELIVERIES).await == 0, "an empty queue").await;
    let changes = acknowledged.changes.load(Ordering::SeqCst);
    let (fed, arrived) = (event_ids(&servers.running[0]).await, received_event_ids(receiver));
    assert_eq!((fed.len(), arrived.len()), (changes, changes), "an event for each change, once");
    assert_eq!(fed, arrived);
}

/// Runs servers behind a load balancer while clients write. Calls `disturb` at each step, and verifies the
/// result. `now` is the URL of the database after the last step.
#[expect(clippy::print_stdout, reason = "what there was is to be read where it is measured")]
async fn test_disturbances(url: &str, now: &str, disturb: impl AsyncFn(usize)) {
    let receiver = Receiver::start();
    add_hook(&*open_store_at(url).await, "partner", HOOK_ID, EventDomain::WorkerEmployment).await;
    let mut servers = ServerGroup::start(url, &receiver).await;
    let Some(balancer) = servers.start_balancer().await else { return };
    let token = balancer.client.request_token(token_form()).await;
    let acknowledged = AcknowledgedRequests::default();
    let (seen, operators) = (&acknowledged, servers.operators.clone());
    let adding = join_all((0..WRITER_COUNT).map(|writer| seen.add_checks(&balancer.client, &token, writer)));
    let changing = join_all(WORKERS.map(|worker| seen.change_worker(&operators, worker)));
    tokio::join!(adding, changing, kill_and_replace_servers(&mut servers, seen, disturb));
    assert_all_stored(now, &servers, &receiver, &acknowledged).await;
    println!(
        "{} steps: {} batches and {} changes acknowledged, {} attempts repeated",
        step_count(),
        acknowledged.batches.load(Ordering::SeqCst),
        acknowledged.changes.load(Ordering::SeqCst),
        acknowledged.repeated.load(Ordering::SeqCst)
    );
}

#[test]
fn nothing_is_lost_or_duplicated_after_any_kill() {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return; // an embedded database has one server
        }
        let Some(pair) = ServerPair::start() else { return };
        let primary_url = create_filled_database(&pair).await;
        let (first, second) = (pair.host(PairMember::Primary), pair.host(PairMember::Standby));
        let both = primary_url.replace(&first, &format!("{first},{second}"));
        let url = format!("{both}?target_session_attrs=primary");
        let middle = step_count() / 2;
        let promoted = async |step: usize| {
            if step == middle {
                pair.kill_member(PairMember::Primary);
                pair.promote_standby();
            }
        };
        test_disturbances(&url, &primary_url.replace(&first, &second), promoted).await;
    });
}

#[test]
fn nothing_is_lost_or_duplicated_on_a_cluster_after_any_kill() {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return; // an embedded database is on one machine
        }
        let Some(cluster) = CitusCluster::start_distributed().await else { return };
        let killed = async |step: usize| {
            // The choice of the killed node repeats every four steps: no node, the first worker node, the
            // coordinator, the second worker node.
            let machine = match step % 4 {
                0 => return,
                2 => cluster.coordinator(),
                other => cluster.node(other / 2),
            };
            machine.kill();
            tokio::time::sleep(DOWNTIME).await;
            machine.run_pg_ctl("start");
        };
        test_disturbances(&cluster.url(), &cluster.url(), killed).await;
        const COUNT_DUPLICATE_IDS: &str = "SELECT count(*) FROM (SELECT worker_id FROM workers GROUP BY worker_id HAVING count(*) > 1 \
            UNION ALL SELECT paycheck_id FROM checks GROUP BY paycheck_id HAVING count(*) > 1) twice";
        assert_eq!(query_number(&cluster.url(), COUNT_DUPLICATE_IDS).await, 0);
    });
}
