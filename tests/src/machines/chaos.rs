//! A chaos test: three servers behind HAProxy on a primary with a synchronous standby, or on a cluster. While
//! clients write, servers are killed and replaced, the primary is lost, and nodes of the cluster are killed
//! and restarted. At the end, each acknowledged write is stored once, nothing else is stored, and each event
//! is in the feed and was delivered.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use payroll_domain::event::EventDomain;
use serde_json::json;

use super::balancer::{Balancer, Kind};
use super::cluster::Cluster;
use super::failover::{connect, filled_database};
use super::pair::{Member, Pair};
use crate::support::receiver::until_asked;
use crate::support::{
    Client, Database, Kind as DatabaseKind, OPEN, Process, Receiver, Request, check, for_each_kind, store_at,
    token_form,
};
use crate::webhooks::crash::event_ids;
use crate::webhooks::processes::{ids, key};
use crate::webhooks::{change, hook};

/// The number of servers behind the load balancer.
const SERVERS: usize = 3;
/// The number of clients that add checks, each one batch after the other.
const WRITERS: usize = 4;
/// Workers that one client each changes repeatedly.
const WORKERS: [&str; 2] = ["EMPLOYEE", "COLLEAGUE"];
/// The default number of steps. In the middle of them the primary is lost.
const STEPS: usize = 6;
/// The environment variable with the number of steps.
const STEPS_VARIABLE: &str = "TEST_CHAOS_STEPS";
/// The minimum number of acknowledged writes between two steps.
const BETWEEN: usize = 40;
/// The pause before an unacknowledged write is retried.
const PAUSE: Duration = Duration::from_millis(50);
/// The time for which a killed node of a cluster is away.
const AWAY: Duration = Duration::from_millis(300);
/// The id of the hook that receives notifications.
const HOOK: &str = "here";

fn steps() -> usize {
    let said = std::env::var(STEPS_VARIABLE).ok();
    said.map_or(STEPS, |said| said.parse().unwrap_or_else(|_| panic!("{STEPS_VARIABLE} is a number")))
}

/// The operator APIs of the running servers.
#[derive(Clone, Default)]
struct Operators(Arc<Mutex<Vec<Client>>>);

impl Operators {
    fn set(&self, number: usize, client: &Client) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get_mut(number) {
            Some(old) => *old = client.clone(),
            None => all.push(client.clone()),
        }
    }

    fn get(&self, number: usize) -> Client {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[number % SERVERS].clone()
    }
}

/// Servers that share a pair of databases, each at its own address.
struct Servers {
    network: String,
    /// The folder with the keys. Its embedded database is not used.
    folder: Database,
    arguments: Vec<String>,
    running: Vec<Process>,
    operators: Operators,
}

impl Servers {
    async fn start(url: &str, receiver: &Receiver) -> Self {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        let [high, low, ..] = std::process::id().to_le_bytes();
        let network =
            format!("127.{}.{}", 64 | (high ^ low) >> 2, 200 + NEXT.fetch_add(1, Ordering::SeqCst) % 50);
        let arguments = [
            ("--database-url", url.to_owned()),
            ("--trusted-proxies", "127.0.0.0/8".to_owned()),
            ("--webhook-hosts", receiver.hosts()),
            ("--webhook-allow-http", "true".to_owned()),
            ("--webhook-claim-seconds", "20".to_owned()),
        ];
        let arguments = arguments.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect();
        let folder = Database::empty(DatabaseKind::Sqlite).await;
        let mut servers =
            Self { network, folder, arguments, running: Vec::new(), operators: Operators::default() };
        for number in 0..SERVERS {
            let started = servers.serve(number);
            servers.operators.set(number, &started.operator);
            servers.running.push(started);
        }
        servers
    }

    fn address(&self, number: usize) -> String {
        format!("{}.{}:8080", self.network, number + 1)
    }

    fn serve(&self, number: usize) -> Process {
        let listen = self.address(number);
        // On a cluster, one server sends all statements to the coordinator. The others also connect to the
        // nodes.
        let nodes = if number == 0 { "0" } else { "3" };
        let mut arguments = vec!["--listen", listen.as_str(), "--database-node-connections", nodes];
        arguments.extend(self.arguments.iter().map(String::as_str));
        Process::serve_with(&self.folder, &arguments)
    }

    async fn balancer(&self) -> Option<Balancer> {
        let servers: Vec<String> = (0..SERVERS).map(|number| self.address(number)).collect();
        Balancer::start(Kind::HaProxy, &format!("{}.99:8000", self.network), &servers).await
    }

    /// Stops or kills a server and starts another one in its place.
    async fn replace(&mut self, number: usize, in_order: bool) {
        let mut old = self.running.remove(number);
        let ended = tokio::task::spawn_blocking(move || {
            if in_order {
                old.ask_to_stop();
                assert_eq!(old.wait(), Some(0));
            } else {
                old.kill();
            }
        });
        ended.await.expect("it ends");
        let started = self.serve(number);
        self.operators.set(number, &started.operator);
        self.running.insert(number, started);
    }
}

/// The acknowledged writes of all clients.
#[derive(Default)]
struct Acknowledged {
    stop: AtomicBool,
    batches: AtomicUsize,
    changes: AtomicUsize,
    /// Attempts that got another response, or none.
    repeated: AtomicUsize,
}

impl Acknowledged {
    fn all(&self) -> usize {
        self.batches.load(Ordering::SeqCst) + self.changes.load(Ordering::SeqCst)
    }

    /// Sends a request until it is acknowledged.
    async fn send(&self, attempt: impl AsyncFn() -> Option<u16>, acknowledgement: u16) {
        loop {
            match attempt().await {
                Some(status) if status == acknowledgement => return,
                // The request is in progress elsewhere, or the company or the storage is currently
                // unavailable.
                None | Some(409 | 423 | 500..=599) => {}
                Some(status) => panic!("answered {status}"),
            }
            self.repeated.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Adds batches of two checks, each with its own idempotency key.
    async fn add(&self, client: &Client, token: &str, writer: usize) {
        for number in 0.. {
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            let name = format!("{writer}-{number}");
            let checks = json!([check(&format!("{name}-a")), check(&format!("{name}-b"))]);
            let request = Request::post_checks(OPEN, &checks).idempotency_key(&name);
            let attempt = async || {
                client.send_unchecked(&request, Some(token)).await.ok().map(|response| response.status)
            };
            self.send(attempt, 201).await;
            self.batches.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Changes a worker through one server after the other. Repeating the same change has no effect.
    async fn change(&self, operators: &Operators, worker: &str) {
        for number in 0.. {
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            let turn = AtomicUsize::new(number);
            let attempt = async || {
                let operator = operators.get(turn.fetch_add(1, Ordering::SeqCst));
                let sent = operator.send_unchecked(&change(OPEN, worker, number), Some(&key())).await;
                sent.ok().map(|response| response.status)
            };
            self.send(attempt, 200).await;
            self.changes.fetch_add(1, Ordering::SeqCst);
        }
    }

    async fn until_more(&self) {
        let enough = self.all() + BETWEEN;
        until_asked(async || self.all() >= enough, "writes that are acknowledged").await;
    }
}

/// Kills and replaces servers. Before each step, `upset` may disturb the database.
async fn kill_and_replace_servers(
    servers: &mut Servers,
    acknowledged: &Acknowledged,
    upset: impl AsyncFn(usize),
) {
    for step in 0..steps() {
        acknowledged.until_more().await;
        upset(step).await;
        // The order of the servers does not repeat soon. Each third one is stopped instead of killed.
        servers.replace((step * 5 + step / SERVERS) % SERVERS, step % 3 == 2).await;
    }
    acknowledged.until_more().await;
    acknowledged.stop.store(true, Ordering::SeqCst);
}

pub(super) async fn number(url: &str, sql: &str) -> usize {
    let rows = connect(url).await.query(sql, &[]).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    usize::try_from(rows[0].get::<_, i64>(0)).expect("a count")
}

/// Compares the stored data with the acknowledged writes. All writers stopped after an acknowledgement, so no
/// write is in doubt.
async fn assert_all_stored(url: &str, servers: &Servers, receiver: &Receiver, acknowledged: &Acknowledged) {
    let batches = acknowledged.batches.load(Ordering::SeqCst);
    const CHECKS: &str = "SELECT count(*) FROM checks WHERE application_id <> ''";
    const DIFFERENT: &str = "SELECT count(DISTINCT correlation_id) FROM checks WHERE application_id <> ''";
    assert_eq!((number(url, CHECKS).await, number(url, DIFFERENT).await), (2 * batches, 2 * batches));
    const WAITING: &str = "SELECT count(*) FROM deliveries WHERE due IS NOT NULL";
    until_asked(async || number(url, WAITING).await == 0, "an empty queue").await;
    let changes = acknowledged.changes.load(Ordering::SeqCst);
    let (fed, arrived) = (event_ids(&servers.running[0]).await, ids(receiver));
    assert_eq!((fed.len(), arrived.len()), (changes, changes), "an event for each change, once");
    assert_eq!(fed, arrived);
}

/// Runs servers behind a load balancer with clients that write, disturbs them, and verifies the result. `now`
/// is the URL of the database at the end.
#[expect(clippy::print_stdout, reason = "what there was is to be read where it is measured")]
async fn survives_disturbances(url: &str, now: &str, upset: impl AsyncFn(usize)) {
    let receiver = Receiver::start();
    hook(&*store_at(url).await, "partner", HOOK, EventDomain::WorkerEmployment).await;
    let mut servers = Servers::start(url, &receiver).await;
    let Some(balancer) = servers.balancer().await else { return };
    let token = balancer.client.token(token_form()).await;
    let acknowledged = Acknowledged::default();
    let (seen, operators) = (&acknowledged, servers.operators.clone());
    let adding = join_all((0..WRITERS).map(|writer| seen.add(&balancer.client, &token, writer)));
    let changing = join_all(WORKERS.map(|worker| seen.change(&operators, worker)));
    tokio::join!(adding, changing, kill_and_replace_servers(&mut servers, seen, upset));
    assert_all_stored(now, &servers, &receiver, &acknowledged).await;
    println!(
        "{} steps: {} batches and {} changes acknowledged, {} attempts repeated",
        steps(),
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
        let Some(pair) = Pair::start() else { return };
        let primary_url = filled_database(&pair).await;
        let (first, second) = (pair.host(Member::Primary), pair.host(Member::Standby));
        let both = primary_url.replace(&first, &format!("{first},{second}"));
        let url = format!("{both}?target_session_attrs=primary");
        let middle = steps() / 2;
        let promoted = async |step: usize| {
            if step == middle {
                pair.kill(Member::Primary);
                pair.promote();
            }
        };
        survives_disturbances(&url, &primary_url.replace(&first, &second), promoted).await;
    });
}

#[test]
fn nothing_is_lost_or_duplicated_on_a_cluster_after_any_kill() {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return; // an embedded database is on one machine
        }
        let Some(cluster) = Cluster::distributed().await else { return };
        let killed = async |step: usize| {
            // The steps alternate: nothing, a worker node, the coordinator, another worker node.
            let machine = match step % 4 {
                0 => return,
                2 => cluster.coordinator(),
                other => cluster.node(other / 2),
            };
            machine.kill();
            tokio::time::sleep(AWAY).await;
            machine.control("start");
        };
        survives_disturbances(&cluster.url(), &cluster.url(), killed).await;
        const TWICE: &str = "SELECT count(*) FROM (SELECT worker_id FROM workers GROUP BY worker_id HAVING count(*) > 1 \
            UNION ALL SELECT paycheck_id FROM checks GROUP BY paycheck_id HAVING count(*) > 1) twice";
        assert_eq!(number(&cluster.url(), TWICE).await, 0);
    });
}
