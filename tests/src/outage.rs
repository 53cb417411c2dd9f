//! Interrupts the connection between a server process and the database while clients change data, and
//! restores it. Each change with a 201 is stored once. All other requests get a 503, or their connection
//! breaks. Readiness changes in time, and each notification arrives.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::support::outage_proxy::{OutageKind, OutageProxy};
use crate::support::receiver::wait_until_async;
use crate::support::{
    Client, Database, DatabaseKind, OPEN, Process, Receiver, Request, Response, check_with_correlation_id,
    for_each_kind, token_form,
};
use crate::under_load::{BackgroundLoad, assert_nothing_lost, receiver_arguments};

/// The default duration of the outage, in seconds.
const DEFAULT_SECONDS: u64 = 3;
/// The environment variable with the duration of the outage.
const SECONDS_VARIABLE: &str = "TEST_OUTAGE_SECONDS";
/// The documented maximum time until readiness changes. The test verifies it only if [`SECONDS_VARIABLE`] is
/// set, because other programs on a busy machine can delay the server.
const MAX_DETECTION_TIME: Duration = Duration::from_secs(2);

/// The documented maximum time until changes succeed after a failover to another server in the URL.
const MAX_FAILOVER_TIME: Duration = Duration::from_secs(5);

/// Returns the duration of the outage in [`SECONDS_VARIABLE`]. `None` if the variable is not set.
fn configured_duration() -> Option<Duration> {
    let value = std::env::var(SECONDS_VARIABLE).ok()?;
    Some(Duration::from_secs(value.parse().unwrap_or_else(|_| panic!("{SECONDS_VARIABLE} is a number"))))
}

fn outage_duration() -> Duration {
    configured_duration().unwrap_or(Duration::from_secs(DEFAULT_SECONDS))
}

async fn read_readiness(client: &Client) -> Response {
    client.send(&Request::get("/readyz"), None).await.expect("an answer")
}

/// Waits until the server is ready, or until it is not ready. Returns the waiting time. Fails if the time
/// exceeds the documented maximum by far.
async fn wait_until_ready(client: &Client, ready: bool) -> Duration {
    let started = Instant::now();
    wait_until_async(async || (read_readiness(client).await.status == 200) == ready, "the other answer")
        .await;
    let took = started.elapsed();
    assert!(
        configured_duration().is_none() || took < 2 * MAX_DETECTION_TIME,
        "ready: {ready} after {took:?}"
    );
    took
}

/// Interrupts the connection to the database and restores it. Returns the time until the server was not
/// ready, and the time until it was ready again.
async fn interrupt_and_recover(proxy: &OutageProxy, outage: OutageKind, process: &Process) -> [Duration; 2] {
    proxy.set_outage(outage);
    let away = Instant::now();
    let red = wait_until_ready(&process.client, false).await;
    let reported = read_readiness(&process.operator).await;
    assert_eq!(reported.json()["checks"]["storage"]["ready"], json!(false), "{reported:?}");
    assert!(!reported.header("retry-after").is_empty(), "{reported:?}");
    let still_red = async || {
        assert_eq!(read_readiness(&process.client).await.status, 503);
        away.elapsed() >= outage_duration()
    };
    wait_until_async(still_red, "the end of the outage").await;
    proxy.set_outage(OutageKind::Open);
    [red, wait_until_ready(&process.client, true).await]
}

#[expect(clippy::print_stdout, reason = "what an outage costs is to be read in the long run")]
async fn test_outage_on(database: &Database, receiver: &Receiver, outage: OutageKind) {
    let proxy = OutageProxy::start().await;
    let (url, hosts) = (proxy.url_through_proxy(&database.url()), receiver.host_mappings());
    let serve = || {
        let mut arguments = receiver_arguments(&hosts).to_vec();
        arguments.extend(["--database-url", &url]);
        Process::serve_with(database, &arguments)
    };
    let mut turned = [Duration::ZERO; 2];
    let interrupt = async |process: Process, _: &BackgroundLoad| {
        turned = interrupt_and_recover(&proxy, outage, &process).await;
        process
    };
    let seen = assert_nothing_lost(database, receiver, serve, interrupt).await;
    assert!(seen.unavailable > 0, "nobody noticed");
    let [red, green] = turned;
    println!(
        "{outage:?}: not ready after {red:?}, ready again after {green:?}; {} asked to come back, the \
         slowest after {:?}; {} broken connections",
        seen.unavailable, seen.slowest_refusal, seen.broken
    );
}

/// Runs the test of this kind of outage on PostgreSQL. Without a PostgreSQL server, the test is skipped.
fn test_outage(outage: OutageKind) {
    let receiver = Receiver::start();
    for_each_kind(async |kind| {
        if kind == DatabaseKind::Postgres {
            let database = Database::with_test_data(kind).await;
            test_outage_on(&database, &receiver, outage).await;
            database.return_to_pool().await;
        }
    });
}

#[test]
fn nothing_is_lost_while_the_database_rejects_connections() {
    test_outage(OutageKind::Refusing);
}

#[test]
fn nothing_is_lost_when_database_connections_break() {
    test_outage(OutageKind::Resetting);
}

#[test]
fn nothing_is_lost_while_the_database_does_not_respond() {
    test_outage(OutageKind::Silent);
}

/// Adds checks until a response is 201.
async fn wait_for_responses(process: &Process, token: &str, batch: &str) {
    let attempt = std::cell::Cell::new(0);
    let added = async || {
        attempt.set(attempt.get() + 1);
        let checks = json!([check_with_correlation_id(&format!("{batch}-{}", attempt.get()))]);
        let sent = process.client.send(&Request::post_checks(OPEN, &checks), Some(token)).await;
        sent.expect("an answer").status == 201
    };
    wait_until_async(added, "a check").await;
}

#[test]
fn a_silent_first_server_does_not_block_the_second() {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return;
        }
        let database = Database::with_test_data(kind).await;
        let proxy = OutageProxy::start().await;
        let url = proxy.url_with_second_host(&database.url());
        let serve = || Process::serve_with(&database, &["--database-url", &url]);
        proxy.set_outage(OutageKind::Silent);
        let from_the_start = serve();
        let token = from_the_start.client.request_token(token_form()).await;
        wait_for_responses(&from_the_start, &token, "start").await;
        drop(from_the_start);
        proxy.set_outage(OutageKind::Open);
        let process = serve();
        wait_for_responses(&process, &token, "before").await;
        proxy.set_outage(OutageKind::Silent);
        let silent = Instant::now();
        wait_for_responses(&process, &token, "behind").await;
        let took = silent.elapsed();
        assert!(took < 2 * MAX_FAILOVER_TIME, "{took:?}");
        let log = process.stop_and_read_log();
        assert!(log.contains("now go to another server") && log.contains("\"server\":\"127.0.0.1:"), "{log}");
        database.return_to_pool().await;
    });
}
