//! The database is taken away from the real binary in the middle of changes, and given back. What was
//! answered 201 is there once; everything else was told to come back, or its connection broke; readiness
//! turned in time; and every notification has arrived.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::receiver::until_asked;
use crate::support::taken_away::{TakenAway, Way};
use crate::support::{
    Answer, Client, Database, Kind, OPEN, Process, Receiver, Request, check, for_each_kind, token_form,
};
use crate::webhooks::processes::{ids, key, register};
use crate::webhooks::{change, drain};

/// How long the database is away where nobody says it, in seconds.
const SECONDS: u64 = 3;
/// The variable that says it.
const SECONDS_VARIABLE: &str = "TEST_OUTAGE_SECONDS";
/// What is promised about readiness; a machine that is busy with other tests gets as much again.
const PROMISED: Duration = Duration::from_secs(2);
/// Answers before the outage, and behind it.
const ENOUGH: usize = 30;
/// Clients that add checks, each one request after the other.
const CLIENTS: usize = 3;
/// The worker that another client changes.
const WORKER: &str = "EMPLOYEE";

fn seconds() -> Duration {
    let said = std::env::var(SECONDS_VARIABLE).ok();
    let seconds = said.map(|said| said.parse().unwrap_or_else(|_| panic!("{SECONDS_VARIABLE} is a number")));
    Duration::from_secs(seconds.unwrap_or(SECONDS))
}

/// What all clients together have done.
#[derive(Default)]
struct Tally {
    /// Batches of checks that were answered 201.
    added: AtomicUsize,
    /// Changes of a worker that were answered 200.
    changed: AtomicUsize,
    told_to_come_back: AtomicUsize,
    broken: AtomicUsize,
    /// The longest that a refusal took, in milliseconds.
    slowest_refusal: AtomicUsize,
    stop: AtomicBool,
}

impl Tally {
    /// Sends a request until it is answered; nothing but 503 API-503 and a conflict with its own earlier
    /// attempt come before that.
    async fn until_answered(&self, client: &Client, request: &Request, token: &str) -> Answer {
        loop {
            let begun = Instant::now();
            match client.send(request, Some(token)).await {
                Ok(answer) if answer.status == 503 => {
                    assert_eq!(code(&answer), "API-503", "{answer:?}");
                    assert!(!answer.header("retry-after").is_empty(), "{answer:?}");
                    self.told_to_come_back.fetch_add(1, Ordering::SeqCst);
                    let took = usize::try_from(begun.elapsed().as_millis()).expect("no years");
                    self.slowest_refusal.fetch_max(took, Ordering::SeqCst);
                }
                Ok(answer) if answer.status == 409 => assert_eq!(code(&answer), "API-409", "{answer:?}"),
                Ok(answer) => return answer,
                Err(_) => drop(self.broken.fetch_add(1, Ordering::SeqCst)),
            }
        }
    }

    async fn until_added(&self, more: usize) {
        let (added, changed) = (self.added.load(Ordering::SeqCst), self.changed.load(Ordering::SeqCst));
        let enough = async || {
            self.added.load(Ordering::SeqCst) >= added + more && self.changed.load(Ordering::SeqCst) > changed
        };
        until_asked(enough, "more answers").await;
    }
}

fn code(answer: &Answer) -> Value {
    answer.json()["errors"][0]["code"].clone()
}

/// A batch of two checks under a key of its own.
fn batch(number: usize) -> Request {
    let checks = json!([check(&format!("{number}-a")), check(&format!("{number}-b"))]);
    Request::post_checks(OPEN, &checks).idempotency_key(&format!("key-{number}"))
}

/// Adds its share of the batches until it is told to stop; how many those were.
async fn add_checks(client: &Client, tally: &Tally, share: usize) -> Vec<usize> {
    let token = client.token(token_form()).await;
    let mut added = Vec::new();
    let mut number = share;
    while !tally.stop.load(Ordering::SeqCst) {
        let answer = tally.until_answered(client, &batch(number), &token).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        tally.added.fetch_add(1, Ordering::SeqCst);
        added.push(number);
        number += CLIENTS;
    }
    added
}

/// Changes a worker until it is told to stop: each change queues a notification.
async fn change_worker(client: &Client, tally: &Tally) {
    for number in 0.. {
        if tally.stop.load(Ordering::SeqCst) {
            return;
        }
        let answer = tally.until_answered(client, &change(OPEN, WORKER, number), &key()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        tally.changed.fetch_add(1, Ordering::SeqCst);
    }
}

async fn readiness(client: &Client) -> Answer {
    client.send(&Request::get("/readyz"), None).await.expect("an answer")
}

/// Waits until the server says of itself what it is promised to say, and in time.
async fn until_ready(client: &Client, ready: bool) -> Duration {
    let begun = Instant::now();
    until_asked(async || (readiness(client).await.status == 200) == ready, "the other answer").await;
    let took = begun.elapsed();
    assert!(took < 2 * PROMISED, "ready: {ready} after {took:?}");
    took
}

/// Takes the database away for a while, and gives it back.
async fn take_away(taken: &TakenAway, way: Way, process: &Process, tally: &Tally) -> [Duration; 2] {
    tally.until_added(ENOUGH).await;
    taken.set(way);
    let away = Instant::now();
    let red = until_ready(&process.client, false).await;
    let told = readiness(&process.operator).await;
    assert_eq!(told.json()["checks"]["storage"]["ready"], json!(false), "{told:?}");
    assert!(!told.header("retry-after").is_empty(), "{told:?}");
    let still_red = async || {
        assert_eq!(readiness(&process.client).await.status, 503);
        away.elapsed() >= seconds()
    };
    until_asked(still_red, "the end of the outage").await;
    taken.set(Way::Open);
    let green = until_ready(&process.client, true).await;
    tally.until_added(ENOUGH).await;
    tally.stop.store(true, Ordering::SeqCst);
    [red, green]
}

/// Every event of a worker that the operator's feed shows.
async fn events(database: &Database) -> i64 {
    database.number("SELECT count(*) FROM events WHERE domain = 'WRKR_EMPL'").await
}

#[expect(clippy::print_stdout, reason = "what an outage costs is to be read in the long run")]
async fn survives(database: &Database, receiver: &Receiver, way: Way) {
    receiver.forget();
    register(database).await;
    let taken = TakenAway::start().await;
    let (url, hosts) = (taken.url(&database.url()), receiver.hosts());
    let settings = ["--webhook-hosts", &hosts, "--webhook-allow-http", "true", "--database-url", &url];
    let process = Process::serve_with(database, &settings);
    let tally = Tally::default();
    let adding = join_all((0..CLIENTS).map(|share| add_checks(&process.client, &tally, share)));
    let changing = change_worker(&process.operator, &tally);
    let (added, (), turned) = tokio::join!(adding, changing, take_away(&taken, way, &process, &tally));
    let added: BTreeSet<usize> = added.into_iter().flatten().collect();
    assert!(tally.told_to_come_back.load(Ordering::SeqCst) > 0, "nobody noticed");
    for number in &added {
        let query =
            format!("SELECT count(*) FROM checks WHERE correlation_id IN ('{number}-a', '{number}-b')");
        assert_eq!(database.number(&query).await, 2, "{number}");
    }
    let all = database.number("SELECT count(*) FROM checks WHERE application_id <> ''").await;
    assert_eq!(usize::try_from(all).expect("a count"), 2 * added.len(), "nothing else is there");
    drain(database).await;
    assert_eq!(i64::try_from(ids(receiver).len()).expect("a count"), events(database).await);
    println!(
        "{way:?}: not ready after {:?}, ready again after {:?}; {} told to come back, the slowest after {} ms; \
         {} broken connections",
        turned[0],
        turned[1],
        tally.told_to_come_back.load(Ordering::SeqCst),
        tally.slowest_refusal.load(Ordering::SeqCst),
        tally.broken.load(Ordering::SeqCst),
    );
}

/// Runs an outage where there is a database that can be taken away.
fn an_outage(way: Way) {
    let receiver = Receiver::start();
    for_each_kind(async |kind| {
        if kind == Kind::Postgres {
            let database = Database::with_world(kind).await;
            survives(&database, &receiver, way).await;
            database.give_on().await;
        }
    });
}

#[test]
fn a_database_that_refuses_loses_nothing() {
    an_outage(Way::Refusing);
}

#[test]
fn a_database_whose_connections_break_loses_nothing() {
    an_outage(Way::Resetting);
}

#[test]
fn a_database_that_is_silent_loses_nothing() {
    an_outage(Way::Silent);
}
