//! Three servers behind each balancer of docs/deploy, under load: they are replaced one by one without a
//! request that fails, and one that is killed takes no more with it than what it was answering.

use std::sync::atomic::{AtomicU8, Ordering};

use super::balancer::{Balancer, Kind};
use super::steady::{CLIENTS, Outcome, SORTS, Steady};
use crate::support::receiver::until_asked;
use crate::support::{Database, Kind as DatabaseKind, Process, Request, for_each_kind};

/// Servers behind a balancer.
const SERVERS: usize = 3;

/// Servers that share a database, each at an address of this machine that nobody else has: a port that
/// was given back is not taken by another test before the next server takes it.
struct Fleet {
    database: Database,
    network: String,
    servers: Vec<Process>,
}

impl Fleet {
    fn start(database: Database) -> Self {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        let [high, low, ..] = std::process::id().to_le_bytes();
        let network =
            format!("127.{}.{}", high.wrapping_add(low).max(1), NEXT.fetch_add(1, Ordering::SeqCst));
        let mut fleet = Self { database, network, servers: Vec::new() };
        fleet.servers = (0..SERVERS).map(|number| fleet.serve(number)).collect();
        fleet
    }

    fn address(&self, number: usize) -> String {
        format!("{}.{}:8080", self.network, number + 1)
    }

    fn serve(&self, number: usize) -> Process {
        let listen = self.address(number);
        Process::serve_with(&self.database, &["--listen", &listen, "--trusted-proxies", "127.0.0.0/8"])
    }

    async fn balancer(&self, kind: Kind) -> Option<Balancer> {
        let servers: Vec<String> = (0..SERVERS).map(|number| self.address(number)).collect();
        Balancer::start(kind, &format!("{}.99:8000", self.network), &servers).await
    }

    /// Replaces one server, and waits until the balancer asks the new one.
    async fn replace(&mut self, number: usize) {
        self.servers[number].ask_to_stop();
        let mut stopping = std::mem::take(&mut self.servers);
        let stopped = tokio::task::spawn_blocking(move || {
            let code = stopping[number].wait();
            (stopping, code)
        });
        let (servers, code) = stopped.await.expect("it ends");
        self.servers = servers;
        assert_eq!(code, Some(0));
        self.servers[number] = self.serve(number);
        until_asked(async || asked(&self.servers[number]).await > 0, "requests for the new server").await;
    }
}

/// How many checks a server has been sent.
async fn asked(server: &Process) -> usize {
    let metrics = server.operator.send(&Request::get("/metrics"), None).await.expect("an answer");
    let text = String::from_utf8(metrics.body).expect("text");
    let counts = text.lines().filter(|line| {
        line.starts_with("payroll_http_requests_total{listener=\"partner\"") && line.contains("POST")
    });
    counts.filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum()
}

#[expect(clippy::print_stdout, reason = "what it took is to be read where it is measured")]
async fn nothing_else_is_there(kind: Kind, database: &Database, seen: &Outcome, in_doubt: usize) {
    let stored = database.number("SELECT count(*) FROM checks WHERE application_id <> ''").await;
    let stored = usize::try_from(stored).expect("a count") / 2;
    assert!((seen.added..=seen.added + in_doubt).contains(&stored), "{stored} of {}", seen.added);
    println!(
        "{kind:?}: {} answered, the slowest after {:?}; {} failed: {:#?}",
        seen.answered,
        seen.slowest,
        seen.failures.len(),
        seen.failures
    );
}

/// Runs a test with three servers behind a balancer, where there is one.
fn behind(kind: Kind, test: impl AsyncFn(&mut Fleet, &Balancer)) {
    for_each_kind(async |database| {
        if database != DatabaseKind::Postgres {
            return; // an embedded database has one server
        }
        let mut fleet = Fleet::start(Database::with_world(database).await);
        let Some(balancer) = fleet.balancer(kind).await else { return };
        test(&mut fleet, &balancer).await;
        drop(balancer);
        fleet.servers.clear();
        fleet.database.give_on().await;
    });
}

fn a_rolling_restart(kind: Kind) {
    behind(kind, async |fleet, balancer| {
        let seen = Steady::during(&balancer.client, async |load| {
            for number in 0..SERVERS {
                fleet.replace(number).await;
                load.until_answered().await;
            }
        })
        .await;
        nothing_else_is_there(kind, &fleet.database, &seen, 0).await;
        assert!(seen.failures.is_empty(), "{:#?}", seen.failures);
    });
}

/// What is answered to a request that was under way on the server that is gone, or that repeats one.
fn a_kill(kind: Kind) {
    behind(kind, async |fleet, balancer| {
        let seen = Steady::during(&balancer.client, async |load| {
            fleet.servers[0].kill();
            load.until_answered().await;
            load.until_answered().await;
        })
        .await;
        nothing_else_is_there(kind, &fleet.database, &seen, CLIENTS * SORTS).await;
        assert!(seen.failures.len() <= CLIENTS * SORTS, "{:#?}", seen.failures);
    });
}

#[test]
fn a_rolling_restart_behind_haproxy_fails_no_request() {
    a_rolling_restart(Kind::HaProxy);
}

#[test]
fn a_rolling_restart_behind_nginx_fails_no_request() {
    a_rolling_restart(Kind::Nginx);
}

#[test]
fn a_rolling_restart_behind_caddy_fails_no_request() {
    a_rolling_restart(Kind::Caddy);
}

#[test]
fn a_kill_behind_haproxy_takes_what_was_under_way_at_most() {
    a_kill(Kind::HaProxy);
}

#[test]
fn a_kill_behind_nginx_takes_what_was_under_way_at_most() {
    a_kill(Kind::Nginx);
}

#[test]
fn a_kill_behind_caddy_takes_what_was_under_way_at_most() {
    a_kill(Kind::Caddy);
}
