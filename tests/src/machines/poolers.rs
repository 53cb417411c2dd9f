//! Tests of PgBouncer between the server and PostgreSQL. In session mode, everything works. In transaction
//! mode, the server needs an additional direct URL and a PgBouncer that supports prepared statements. With
//! any other configuration, the server reports the error and does not start.

use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::failover::connect;
use super::pooler::{FEW_CONNECTIONS, NEWER_PROGRAM, POOLER_PROGRAMS, Pooler, run_behind_pooler};
use crate::support::process::run;
use crate::support::receiver::wait_until_async;
use crate::support::{
    Database, DatabaseKind, OPEN, Process, Request, Response, check_with_correlation_id, for_each_kind,
    token_form,
};

/// The time for which a change waits for the lock of a company. The tests set it as the `lock_timeout` of
/// database sessions.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of concurrent clients, which exceeds the number of the pooler's sessions.
const CLIENT_COUNT: usize = 16;
const ROUND_COUNT: usize = 10;

/// Returns the output of `doctor`.
fn run_doctor(database: &Database, arguments: &[&str]) -> String {
    let printed = run(database, &[&["doctor"], arguments].concat(), "");
    String::from_utf8_lossy(&printed.stdout).into_owned()
}

/// Returns the error message of a server that does not start.
fn startup_error(database: &Database, arguments: &[&str]) -> String {
    let ended = run(database, &[&["serve", "--listen", "127.0.0.1:0"], arguments].concat(), "");
    let printed = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{printed}");
    printed
}

async fn add_check(process: &Process, name: &str) -> Response {
    let token = process.client.request_token(token_form()).await;
    let request = Request::post_checks(OPEN, &json!([check_with_correlation_id(name)])).idempotency_key(name);
    process.client.send(&request, Some(&token)).await.expect("a response")
}

/// Verifies that a change is rejected if the lock of its company is not released within `LOCK_TIMEOUT`.
async fn assert_limits_are_kept(database: &Database, process: &Process) {
    assert_eq!(add_check(process, "first").await.status, 201);
    let holding = format!("SELECT 1 FROM companies WHERE company_id = '{OPEN}' FOR UPDATE");
    let mut lock = database.hold_transaction(&holding).await;
    let started = Instant::now();
    let waited = add_check(process, "second").await;
    let took = started.elapsed();
    assert_eq!(waited.status, 423, "{waited:?}");
    assert!(took >= LOCK_TIMEOUT && took < 3 * LOCK_TIMEOUT, "{took:?}");
    lock.run_sql("COMMIT").await;
    assert_eq!(add_check(process, "third").await.status, 201);
}

/// Counts the settings, such as time limits, that a previous transaction has left in the session.
const COUNT_SESSION_LIMITS: &str = "SELECT count(*) FROM pg_settings WHERE source = 'session' AND name IN \
    ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'jit', 'synchronous_commit')";

/// Returns the output of `psql` with this URL.
fn psql_output(url: &str, sql: &str) -> String {
    let printed = Command::new("psql").args([url, "-Atc", sql]).output().expect("psql runs");
    String::from_utf8_lossy(&printed.stdout).trim().to_owned()
}

/// Counts the advisory locks in the database. After a server has ended, none of its locks may remain.
const COUNT_SESSION_LOCKS: &str = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = \
    (SELECT oid FROM pg_database WHERE datname = current_database())";

#[test]
fn a_session_pooler_keeps_every_time_limit_and_no_lock() {
    run_behind_pooler(&POOLER_PROGRAMS, "pool_mode = session", async |database, url| {
        let printed = run_doctor(database, &["--database-url", url]);
        assert!(
            printed.contains("PgBouncer 1.") && printed.contains("assigns a session to each connection"),
            "{printed}"
        );
        let process = Process::serve_with(database, &["--database-url", url]);
        assert_limits_are_kept(database, &process).await;
        process.stop_and_read_log();
        wait_until_async(
            async || database.query_number(COUNT_SESSION_LOCKS).await == 0,
            "no lock of a session",
        )
        .await;
    });
}

#[test]
fn a_transaction_pooler_keeps_every_time_limit_with_a_direct_address() {
    run_behind_pooler(&[NEWER_PROGRAM], FEW_CONNECTIONS, async |database, url| {
        let direct = database.url();
        let addresses = ["--database-url", url, "--direct-database-url", &direct];
        let printed = run_doctor(database, &addresses);
        assert!(printed.contains("PgBouncer 1.25") && printed.contains("to each transaction"), "{printed}");
        let process = Process::serve_with(database, &addresses);
        assert_limits_are_kept(database, &process).await;
        // With a transaction pooler, an idempotency record contains no session id. Several processes share
        // each session, so a session does not show whether a process has ended.
        let marked = "SELECT count(*) FROM idempotency_keys WHERE attempt LIKE '%/%'";
        assert_eq!(database.query_number(marked).await, 0);
        assert_eq!(psql_output(url, COUNT_SESSION_LIMITS), "0", "the next one gets an unchanged session");
        process.stop_and_read_log();
        wait_until_async(
            async || database.query_number(COUNT_SESSION_LOCKS).await == 0,
            "no lock of a session",
        )
        .await;
    });
}

#[test]
fn two_servers_share_the_few_sessions_of_a_transaction_pooler() {
    run_behind_pooler(&[NEWER_PROGRAM], FEW_CONNECTIONS, async |database, url| {
        let direct = database.url();
        let addresses = ["--database-url", url, "--direct-database-url", &direct];
        let servers = [Process::serve_with(database, &addresses), Process::serve_with(database, &addresses)];
        let token = servers[0].client.request_token(token_form()).await;
        let clients = (0..CLIENT_COUNT).map(async |client| {
            let process = &servers[client % servers.len()];
            for round in 0..ROUND_COUNT {
                let name = format!("c{client}-{round}");
                let request = Request::post_checks(OPEN, &json!([check_with_correlation_id(&name)]))
                    .idempotency_key(&name);
                for _ in 0..2 {
                    let added = process.client.send(&request, Some(&token)).await.expect("a response");
                    assert_eq!(added.status, 201, "{added:?}");
                }
                let list = process.client.send(&Request::get("/companies"), Some(&token)).await;
                assert_eq!(list.expect("a response").status, 200);
            }
        });
        futures_util::future::join_all(clients).await;
        let stored = "SELECT count(*) FROM checks WHERE correlation_id LIKE 'c%-%'";
        assert_eq!(database.query_number(stored).await, (CLIENT_COUNT * ROUND_COUNT) as i64, "each once");
        drop(servers);
    });
}

#[test]
fn the_wait_for_a_session_of_a_pooler_is_limited() {
    let one = "pool_mode = transaction\ndefault_pool_size = 1";
    run_behind_pooler(&[NEWER_PROGRAM], one, async |database, url| {
        let direct = database.url();
        let addresses = ["--database-url", url, "--direct-database-url", &direct];
        let process = Process::serve_with(database, &addresses);
        let token = process.client.request_token(token_form()).await;
        let read = async || {
            let request = Request::get(format!("/companies/{OPEN}"));
            process.client.send(&request, Some(&token)).await.expect("a response")
        };
        assert_eq!(read().await.status, 200);
        let holder = connect(url).await;
        holder.batch_execute("BEGIN; SELECT 1").await.expect("the only session");
        let refused = read().await;
        assert_eq!(refused.status, 503, "{refused:?}");
        assert!(!refused.header("retry-after").is_empty(), "{refused:?}");
        holder.batch_execute("ROLLBACK").await.expect("the session is free");
        assert_eq!(read().await.status, 200);
    });
}

#[test]
fn a_server_is_not_ready_while_its_pooler_is_unavailable() {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return;
        }
        let Some(mut pooler) = Pooler::start(NEWER_PROGRAM, FEW_CONNECTIONS).await else { return };
        let database = Database::with_test_data(kind).await;
        let (url, direct) = (pooler.url(&database), database.url());
        let addresses = ["--database-url", &url, "--direct-database-url", &direct];
        let process = Process::serve_with(&database, &addresses);
        let token = process.client.request_token(token_form()).await;
        let status = async |request: &Request| {
            process.client.send(request, Some(&token)).await.expect("a response").status
        };
        let (ready, read) = (Request::get("/readyz"), Request::get(format!("/companies/{OPEN}")));
        wait_until_async(async || status(&ready).await == 200, "a server that is ready").await;
        pooler.stop();
        wait_until_async(async || status(&ready).await == 503, "a server that is not").await;
        assert_eq!(status(&read).await, 503);
        pooler.restart_pooler().await;
        wait_until_async(async || status(&ready).await == 200, "a server that is ready again").await;
        assert_eq!(status(&read).await, 200);
        drop((process, pooler));
        database.return_to_pool().await;
    });
}

#[test]
fn a_transaction_pooler_with_missing_settings_is_rejected_with_the_reason() {
    run_behind_pooler(&POOLER_PROGRAMS, "pool_mode = transaction", async |database, url| {
        let alone = startup_error(database, &["--database-url", url]);
        for words in ["PgBouncer 1.", "direct_database_url", "pool_mode = session"] {
            assert!(alone.contains(words), "{alone}");
        }
        let twice = startup_error(database, &["--database-url", url, "--direct-database-url", url]);
        assert!(twice.contains("direct_database_url"), "{twice}");
        let elsewhere = Database::Postgres("postgres".to_owned()).url();
        let other = startup_error(database, &["--database-url", url, "--direct-database-url", &elsewhere]);
        assert!(other.contains("are different databases"), "{other}");
    });
    run_behind_pooler(&POOLER_PROGRAMS[..1], "pool_mode = transaction", async |database, url| {
        let old = startup_error(database, &["--database-url", url, "--direct-database-url", &database.url()]);
        assert!(old.contains("max_prepared_statements"), "{old}");
    });
    run_behind_pooler(
        &[NEWER_PROGRAM],
        "pool_mode = transaction\nmax_prepared_statements = 0",
        async |database, url| {
            let off =
                startup_error(database, &["--database-url", url, "--direct-database-url", &database.url()]);
            assert!(off.contains("max_prepared_statements"), "{off}");
        },
    );
}

#[test]
fn a_direct_address_with_an_embedded_database_is_rejected() {
    for_each_kind(async |kind| {
        let database = Database::with_test_data(kind).await;
        if kind != DatabaseKind::Postgres {
            let refused =
                startup_error(&database, &["--direct-database-url", "postgres://db.example.org/payroll"]);
            assert!(refused.contains("setting `direct_database_url`"), "{refused}");
        }
        database.return_to_pool().await;
    });
}
