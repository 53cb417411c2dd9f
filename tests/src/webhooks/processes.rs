//! Tests of webhooks with server processes. One process is stopped, or several processes share a database.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use payroll_domain::event::EventDomain;

use super::{add_hook, change_request, count_in_state, wait_until_queue_is_empty};
use crate::support::receiver::wait_until_async;
use crate::support::{
    Database, DatabaseKind, OPEN, OPERATOR_KEY, Process, Receiver, Reply, Request, for_each_kind,
    on_every_database_kind, open,
};

const WORKER_DOMAIN: EventDomain = EventDomain::WorkerEmployment;
/// The ids of two workers. Each server process changes one of the workers.
const WORKER_IDS: [&str; 2] = ["EMPLOYEE", "COLLEAGUE"];
/// The maximum number of concurrent attempts to a receiver that the process has not called before.
const INITIAL_ATTEMPTS: usize = 4;

/// Returns a server that sends notifications to the receiver. Its claims expire soon, so that another process
/// can take over its deliveries.
pub(super) fn serve(database: &Database, receiver: &Receiver) -> Process {
    let hosts = receiver.host_mappings();
    let settings =
        ["--webhook-hosts", &hosts, "--webhook-allow-http", "true", "--webhook-claim-seconds", "20"];
    Process::serve_with(database, &settings)
}

/// Registers a hook of the partner whose path is `/here`.
pub(crate) async fn register_hook(database: &Database) {
    add_hook(&*open(database).await, "partner", "here", WORKER_DOMAIN).await;
}

pub(crate) fn operator_authorization() -> String {
    format!("Bearer {OPERATOR_KEY}")
}

pub(super) async fn change_worker(process: &Process, worker: &str, number: usize) {
    let response =
        process.operator.send(&change_request(OPEN, worker, number), Some(&operator_authorization())).await;
    assert_eq!(response.expect("an answer").status, 200);
}

/// Returns the ids of the notifications that have arrived, each once.
pub(crate) fn received_event_ids(receiver: &Receiver) -> BTreeSet<String> {
    receiver.requests_to("/here").iter().map(|received| received.notification_id()).collect()
}

#[test]
fn a_stopping_process_finishes_attempts_and_releases_claims() {
    let receiver = Receiver::start();
    on_every_database_kind(async |database| {
        receiver.reset_state();
        register_hook(database).await;
        let mut process = serve(database, &receiver);
        receiver.reply_with(|_| Reply::Hold);
        for number in 0..20 {
            change_worker(&process, WORKER_IDS[0], number).await;
        }
        receiver.wait_for_requests("/here", INITIAL_ATTEMPTS).await;
        process.send_stop_signal();
        let gone = async || process.operator.send(&Request::operator_get("/events"), None).await.is_err();
        wait_until_async(gone, "a server that takes no more requests").await;
        receiver.release_held_requests(1_000);
        assert_eq!(process.wait(), Some(0));
        let started = i64::try_from(receiver.received().len()).expect("a count");
        assert_eq!(count_in_state(database, "DELIVERED").await, started);
        let claimed = "SELECT count(*) FROM deliveries WHERE due IS NOT NULL AND claimed_until > 0";
        assert_eq!(database.query_number(claimed).await, 0);
        assert!(started < 20, "the rest is for the next process");
        let _next = serve(database, &receiver);
        wait_until_queue_is_empty(database).await;
        assert_eq!((received_event_ids(&receiver).len(), receiver.received().len()), (20, 20));
    });
}

/// Runs a test with two server processes on one PostgreSQL database. Without a PostgreSQL server, the test is
/// skipped.
pub(super) fn run_with_two_processes(test: impl AsyncFn(&Database, &Receiver, &mut [Process; 2])) {
    let receiver = Receiver::start();
    for_each_kind(async |kind| {
        if kind == DatabaseKind::Postgres {
            let database = Database::with_test_data(kind).await;
            register_hook(&database).await;
            let mut processes = [serve(&database, &receiver), serve(&database, &receiver)];
            test(&database, &receiver, &mut processes).await;
            drop(processes);
            database.return_to_pool().await;
        }
    });
}

#[test]
fn two_processes_send_every_delivery_with_few_duplicates() {
    const CHANGE_COUNT: usize = 400;
    run_with_two_processes(async |database, receiver, processes| {
        let changes = processes.iter().zip(WORKER_IDS).map(async |(process, worker)| {
            for number in 0..CHANGE_COUNT / 2 {
                change_worker(process, worker, number).await;
            }
        });
        join_all(changes).await;
        wait_until_queue_is_empty(database).await;
        assert_eq!(received_event_ids(receiver).len(), CHANGE_COUNT);
        assert!(receiver.received().len() < CHANGE_COUNT + CHANGE_COUNT / 100);
    });
}

#[test]
fn two_processes_share_deliveries_and_one_takes_over_from_the_other() {
    run_with_two_processes(async |database, receiver, processes| {
        receiver.reply_with(|_| Reply::Hold);
        for number in 0..40 {
            change_worker(&processes[number % 2], WORKER_IDS[number % 2], number).await;
        }
        receiver.wait_for_requests("/here", 2 * INITIAL_ATTEMPTS).await;
        processes[0].kill();
        receiver.reply_with(|_| Reply::Status(204));
        receiver.release_held_requests(1_000);
        wait_until_queue_is_empty(database).await;
        assert_eq!(
            (received_event_ids(receiver).len(), count_in_state(database, "DELIVERED").await),
            (40, 40)
        );
    });
}
