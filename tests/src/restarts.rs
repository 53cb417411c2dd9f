//! Restarts the server process while clients change data, as for a new release. Each acknowledged change is
//! stored once, and each notification arrives.

use serde_json::json;

use crate::support::receiver::wait_until_async;
use crate::support::{
    Database, OPEN, Process, Receiver, Request, check_with_correlation_id, on_every_database_kind, token_form,
};
use crate::under_load::{BackgroundLoad, assert_nothing_lost, receiver_arguments};

/// The number of consecutive restarts.
const RESTART_COUNT: usize = 3;

/// The default number of stops while requests wait for the database.
const DEFAULT_STOPS: usize = 6;
/// The environment variable with the number of stops.
pub(crate) const STOPS_VARIABLE: &str = "TEST_STOPS";
/// The number of waiting requests at each stop.
const WAITING_REQUESTS: usize = 2;

fn stop_count() -> usize {
    let value = std::env::var(STOPS_VARIABLE).ok();
    value.map_or(DEFAULT_STOPS, |value| {
        value.parse().unwrap_or_else(|_| panic!("{STOPS_VARIABLE} is a number"))
    })
}

/// Returns a server that sends notifications to the receiver. Its claims expire soon, so that the next server
/// can send the pending notifications.
fn serve(database: &Database, receiver: &Receiver) -> Process {
    let hosts = receiver.host_mappings();
    let mut arguments = receiver_arguments(&hosts).to_vec();
    arguments.extend(["--webhook-claim-seconds", "20"]);
    Process::serve_with(database, &arguments)
}

#[test]
fn a_stop_under_load_loses_nothing() {
    let receiver = Receiver::start();
    on_every_database_kind(async |database| {
        let restarts = async |mut process: Process, load: &BackgroundLoad| {
            for _ in 0..RESTART_COUNT {
                process.send_stop_signal();
                let stopped = tokio::task::spawn_blocking(move || process.wait());
                assert_eq!(stopped.await.expect("it ends"), Some(0));
                process = serve(database, &receiver);
                load.send_to(&process);
                load.wait_for_responses().await;
            }
            process
        };
        let seen = assert_nothing_lost(database, &receiver, || serve(database, &receiver), restarts).await;
        assert!(seen.broken > 0, "nobody noticed");
    });
}

/// Stops the server while requests wait for a database lock. Releases the lock after the server's idle
/// threads have ended. Returns the statuses of the requests.
async fn stop_while_requests_wait(database: &Database, round: usize) -> Vec<u16> {
    const COUNT_WAITING_SESSIONS: &str = "SELECT count(*) FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let mut process = Process::serve_with(database, &["--workers", "4"]);
    let token = process.client.request_token(token_form()).await;
    // The parallel reads open database connections in advance, so that each waiting request has a connection.
    let reads = (0..16).map(|_| async {
        let read = Request::get(format!("/companies/{OPEN}"));
        process.client.send(&read, Some(&token)).await.expect("an answer").status
    });
    assert!(futures_util::future::join_all(reads).await.iter().all(|status| *status == 200));
    let mut lock = database
        .hold_transaction(&format!("SELECT 1 FROM companies WHERE company_id = '{OPEN}' FOR UPDATE"))
        .await;
    let adding = (0..WAITING_REQUESTS).map(|number| {
        let checks = json!([check_with_correlation_id(&format!("{round}-{number}"))]);
        let (client, token) = (process.client.clone(), token.clone());
        tokio::spawn(async move {
            let added = client.send(&Request::post_checks(OPEN, &checks), Some(&token)).await;
            added.map_or(0, |response| response.status)
        })
    });
    let adding: Vec<_> = adding.collect();
    let waiting = i64::try_from(WAITING_REQUESTS).expect("a count");
    wait_until_async(
        async || database.query_number(COUNT_WAITING_SESSIONS).await == waiting,
        "requests that wait",
    )
    .await;
    process.send_stop_signal();
    wait_until_async(
        async || process.worker_threads().is_none_or(|workers| workers <= WAITING_REQUESTS),
        "idle threads end",
    )
    .await;
    lock.run_sql("COMMIT").await;
    let mut statuses = Vec::new();
    for added in adding {
        statuses.push(added.await.expect("no panic"));
    }
    let stopped = tokio::task::spawn_blocking(move || process.wait());
    assert_eq!(stopped.await.expect("it ends"), Some(0));
    statuses
}

#[test]
fn requests_that_wait_for_the_database_during_a_stop_get_responses() {
    on_every_database_kind(async |database| {
        if !matches!(database, Database::Postgres(_)) {
            return; // an embedded database has no connections to lose
        }
        for round in 0..stop_count() {
            assert_eq!(
                stop_while_requests_wait(database, round).await,
                [201; WAITING_REQUESTS],
                "stop {round}"
            );
        }
    });
}
