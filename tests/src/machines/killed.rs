//! Tests two servers with one PostgreSQL database. If a server is killed, the idempotency key of its request
//! can soon be used again. The key of a request that is still in progress stays in use.

use std::time::Duration;

use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::support::receiver::wait_until_async;
use crate::support::{
    Database, DatabaseKind, OPEN, Process, Request, Response, check_with_correlation_id, for_each_kind,
    token_form,
};

/// The time after which the idempotency key of a killed server can be used again. PostgreSQL detects the lost
/// client of a waiting session within half a second. The rest allows for a busy machine.
const MAX_RECOVERY_TIME: Duration = Duration::from_secs(4);
const COUNT_WAITING_SESSIONS: &str = "SELECT count(*) FROM pg_stat_activity \
    WHERE datname = current_database() AND wait_event_type = 'Lock'";
/// Ends the database sessions of the servers. Sessions that wait for a lock, or are idle in a transaction,
/// continue.
const DISCONNECT_OTHERS: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
    WHERE datname = current_database() AND pid <> pg_backend_pid() \
        AND wait_event_type IS DISTINCT FROM 'Lock' AND state <> 'idle in transaction'";

fn addition_request() -> Request {
    Request::post_checks(OPEN, &json!([check_with_correlation_id("once")])).idempotency_key("once")
}

async fn send_addition(process: &Process, token: &str) -> Response {
    process.client.send_unchecked(&addition_request(), Some(token)).await.expect("an answer")
}

/// Starts a request, and returns when a lock in the database blocks it.
async fn begin_addition(database: &Database, process: &Process, token: &str) -> JoinHandle<Option<u16>> {
    let (client, token) = (process.client.clone(), token.to_owned());
    let sent = tokio::spawn(async move {
        client.send_unchecked(&addition_request(), Some(&token)).await.ok().map(|response| response.status)
    });
    wait_until_async(
        async || database.query_number(COUNT_WAITING_SESSIONS).await == 1,
        "a request that waits",
    )
    .await;
    sent
}

fn run_with_two_servers(test: impl AsyncFn(&Database, Process, Process, &str)) {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return; // an embedded database has one server
        }
        let database = Database::with_test_data(kind).await;
        let (one, other) = (Process::serve(&database), Process::serve(&database));
        let token = other.client.request_token(token_form()).await;
        test(&database, one, other, &token).await;
        let stored = "SELECT count(*) FROM checks WHERE correlation_id = 'once'";
        assert_eq!(database.query_number(stored).await, 1);
        database.return_to_pool().await;
    });
}

fn lock_statement() -> String {
    format!("SELECT 1 FROM companies WHERE company_id = '{OPEN}' FOR UPDATE")
}

#[test]
#[expect(clippy::print_stdout, reason = "what it took is to be read where it is measured")]
fn the_idempotency_key_of_a_killed_server_is_immediately_free() {
    run_with_two_servers(async |database, mut one, other, token| {
        let mut held = database.hold_transaction(&lock_statement()).await;
        let lost = begin_addition(database, &one, token).await;
        let session = "SELECT CAST(pid AS BIGINT) FROM pg_stat_activity \
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let dead = database.query_number(session).await;
        one.kill();
        let killed = Instant::now();
        assert_eq!(lost.await.expect("no panic"), None, "its connection broke");
        // `Retry-After` contains the time after which the client may retry.
        let mut reported = Vec::new();
        let freed = send_until_blocked(database, dead, (&other, token), &mut reported).await;
        let took = killed.elapsed();
        assert!(took < MAX_RECOVERY_TIME, "{took:?} {reported:?}");
        assert!(reported.iter().all(|seconds| (1..=60).contains(seconds)), "{reported:?}");
        held.run_sql("COMMIT").await;
        assert_eq!(freed.await.expect("no panic"), Some(201));
        assert_eq!(send_addition(&other, token).await.header("idempotent-replayed"), "true");
        println!("free after {took:?}; asked to wait {} times", reported.len());
    });
}

/// Sends the request repeatedly. Returns when the response is no longer 409, because a lock now blocks the
/// request. `reported` gets the values of `Retry-After`.
async fn send_until_blocked(
    database: &Database,
    dead: i64,
    (process, token): (&Process, &str),
    reported: &mut Vec<u64>,
) -> JoinHandle<Option<u16>> {
    let waiting = format!("{COUNT_WAITING_SESSIONS} AND pid <> {dead}");
    loop {
        let (client, own) = (process.client.clone(), token.to_owned());
        let mut sent = tokio::spawn(async move {
            client.send_unchecked(&addition_request(), Some(&own)).await.expect("an answer")
        });
        let waits =
            wait_until_async(async || database.query_number(&waiting).await == 1, "a request that waits");
        tokio::select! {
            response = &mut sent => {
                let response = response.expect("no panic");
                assert_eq!(response.status_and_code(), "409 API-409", "{response:?}");
                reported.push(response.header("retry-after").parse().expect("seconds"));
            }
            () = waits => return tokio::spawn(async move { Some(sent.await.ok()?.status) }),
        }
    }
}

#[test]
fn a_working_server_keeps_its_idempotency_key_although_other_connections_broke() {
    run_with_two_servers(async |database, one, other, token| {
        let mut held = database.hold_transaction(&lock_statement()).await;
        let first = begin_addition(database, &one, token).await;
        database.execute(DISCONNECT_OTHERS).await;
        // `DISCONNECT_OTHERS` has closed the idle connections of the second server, so this server opens a
        // new connection.
        wait_until_async(async || send_addition(&other, token).await.status == 409, "an answer").await;
        for _ in 0..20 {
            let refused = send_addition(&other, token).await;
            assert_eq!(refused.status_and_code(), "409 API-409", "{refused:?}");
        }
        held.run_sql("COMMIT").await;
        assert_eq!(first.await.expect("no panic"), Some(201));
        let replayed = send_addition(&other, token).await;
        assert_eq!((replayed.status, replayed.header("idempotent-replayed")), (201, "true"));
    });
}
