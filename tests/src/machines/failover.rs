//! Tests a failover from a primary to its synchronous standby. The database URL of a server contains both
//! hosts in any order.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::pair::{PairMember, ServerPair};
use crate::support::outage_proxy::{OutageKind, OutageProxy};
use crate::support::receiver::wait_until_async;
use crate::support::{
    Database, DatabaseKind, OPEN, Process, Request, check_with_correlation_id, fill_database, for_each_kind,
    token_form,
};

/// The documented maximum time until changes succeed after a promotion. A busy machine may take twice as
/// long, so the exact limit applies only if [`OUTAGE_SECONDS_VARIABLE`] is set.
const MAX_RECOVERY_TIME: Duration = Duration::from_secs(5);
/// The environment variable that enables the exact limit.
const OUTAGE_SECONDS_VARIABLE: &str = "TEST_OUTAGE_SECONDS";
/// The time within which the server rejects a write if the standby does not confirm it. The test allows twice
/// this time, because the server verifies the standby's state only at intervals.
const MAX_REJECTION_TIME: Duration = Duration::from_secs(5);
/// The name of the database on the pair of servers.
const DATABASE_NAME: &str = "pay";

/// The way in which the primary fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureKind {
    Refuses,
    IsSilent,
    /// The database server accepts connections, but sends each byte late.
    IsSlow,
}

/// Returns the maximum time until changes succeed after a promotion.
pub(super) fn max_recovery_time() -> Duration {
    if std::env::var_os(OUTAGE_SECONDS_VARIABLE).is_some() {
        MAX_RECOVERY_TIME
    } else {
        2 * MAX_RECOVERY_TIME
    }
}

/// Creates a database with the test data on the primary. Returns its URL.
pub(super) async fn create_filled_database(pair: &ServerPair) -> String {
    let url = |name: &str| format!("postgres://postgres@{}/{name}", pair.host(PairMember::Primary));
    execute(&url("postgres"), &format!("CREATE DATABASE {DATABASE_NAME}")).await;
    Box::pin(fill_database(&url(DATABASE_NAME))).await;
    url(DATABASE_NAME)
}

pub(super) async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap_or_else(|error| panic!("{url}: {error}"));
    tokio::spawn(connection);
    client
}

pub(super) async fn execute(url: &str, sql: &str) {
    connect(url).await.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
}

/// Returns a payroll server with this database URL. The embedded database in its folder is not used.
fn serve(folder: &Database, url: &str) -> Process {
    Process::serve_with(folder, &["--database-url", url])
}

/// Sends one check at a time until a request gets a 201.
async fn wait_for_responses(process: &Process, token: &str, batch: &str) {
    let attempt = std::cell::Cell::new(0);
    let added = async || {
        attempt.set(attempt.get() + 1);
        let checks = json!([check_with_correlation_id(&format!("{batch}-{}", attempt.get()))]);
        let sent = process.client.send(&Request::post_checks(OPEN, &checks), Some(token)).await;
        sent.is_ok_and(|response| response.status == 201)
    };
    wait_until_async(added, "a check").await;
}

#[expect(clippy::print_stdout, reason = "what a failover costs is to be read where it is measured")]
async fn test_failover(loss: FailureKind) {
    let Some(pair) = ServerPair::start() else { return };
    let primary_url = create_filled_database(&pair).await;
    let way = OutageProxy::start_in_front_of(format!("{}:5432", pair.host(PairMember::Primary))).await;
    let first = match loss {
        FailureKind::IsSlow => way.address(),
        FailureKind::Refuses | FailureKind::IsSilent => format!("{}:5432", pair.host(PairMember::Primary)),
    };
    let second = format!("{}:5432", pair.host(PairMember::Standby));
    let folder = Database::empty(DatabaseKind::Sqlite).await;
    let both = |one: &str, other: &str| {
        format!("postgres://postgres@{one},{other}/{DATABASE_NAME}?target_session_attrs=primary")
    };
    let parts = |place: &str| {
        let (host, port) = place.split_once(':').expect("a host and a port");
        (host.to_owned(), port.to_owned())
    };
    let ((first_host, first_port), (second_host, second_port)) = (parts(&first), parts(&second));
    // The second payroll server gets the same URL in another form, with the database hosts in reverse order.
    let spelled = format!(
        "postgres://postgres@/{DATABASE_NAME}?host={second_host},{first_host}&port={second_port},{first_port}\
         &target_session_attrs=read-write"
    );
    let processes = [serve(&folder, &both(&first, &second)), serve(&folder, &spelled)];
    let token = processes[0].client.request_token(token_form()).await;
    for (number, process) in processes.iter().enumerate() {
        wait_for_responses(process, &token, &format!("before-{number}")).await;
    }
    match loss {
        FailureKind::Refuses => pair.kill_member(PairMember::Primary),
        FailureKind::IsSilent => pair.block_replies(PairMember::Primary),
        FailureKind::IsSlow => way.set_outage(OutageKind::Slow),
    }
    pair.promote_standby();
    let promoted = Instant::now();
    for (number, process) in processes.iter().enumerate() {
        wait_for_responses(process, &token, &format!("behind-{number}")).await;
        let took = promoted.elapsed();
        println!("{loss:?}, order {number}: changes again {took:?} behind the promotion");
        assert!(took < max_recovery_time(), "{took:?}");
    }
    let now = primary_url.replace(&pair.host(PairMember::Primary), &pair.host(PairMember::Standby));
    // Each of the two processes added one batch before the promotion and one after it.
    let batches = "SELECT DISTINCT substr(correlation_id, 1, 8) FROM checks WHERE correlation_id LIKE 'be%'";
    let rows = connect(&now).await.query(batches, &[]).await;
    assert_eq!(rows.expect("the checks").len(), 4, "checks with a 201 before and after are stored");
    let [in_order, turned_round] = processes.map(Process::stop_and_read_log);
    assert!(in_order.contains(&format!("\"server\":\"{second}\"")), "{in_order}");
    assert!(turned_round.contains("now go to another server"), "{turned_round}");
}

/// Runs a test once. Without a PostgreSQL server, the test is skipped. The test itself starts the PostgreSQL
/// servers that it uses.
pub(super) fn run_with_postgres(test: impl AsyncFn()) {
    for_each_kind(async |kind| {
        if kind == DatabaseKind::Postgres {
            test().await;
        }
    });
}

#[test]
fn a_standby_takes_over_from_a_primary_that_rejects_connections() {
    run_with_postgres(async || test_failover(FailureKind::Refuses).await);
}

#[test]
fn a_standby_takes_over_from_a_primary_that_is_silent() {
    run_with_postgres(async || test_failover(FailureKind::IsSilent).await);
}

#[test]
fn a_standby_takes_over_from_a_primary_that_is_slow_in_the_handshake() {
    run_with_postgres(async || test_failover(FailureKind::IsSlow).await);
}

#[test]
fn a_write_that_waits_for_a_standby_is_rejected_without_a_lock_fault() {
    run_with_postgres(async || {
        let Some(pair) = ServerPair::start() else { return };
        let url = create_filled_database(&pair).await;
        let folder = Database::empty(DatabaseKind::Sqlite).await;
        let process = serve(&folder, &url);
        let token = process.client.request_token(token_form()).await;
        wait_for_responses(&process, &token, "before").await;
        pair.kill_member(PairMember::Standby);
        let adding = (0..3).map(async |number| {
            let checks = json!([check_with_correlation_id(&format!("waiting-{number}"))]);
            let started = Instant::now();
            let sent = process.client.send(&Request::post_checks(OPEN, &checks), Some(&token)).await;
            (sent.expect("an answer"), started.elapsed())
        });
        for (response, took) in futures_util::future::join_all(adding).await {
            assert_eq!(response.status, 503, "{response:?}");
            assert!(
                !response.header("retry-after").is_empty() && took < 2 * MAX_REJECTION_TIME,
                "{response:?} after {took:?}"
            );
        }
        let ready = process.client.send(&Request::get("/readyz"), None).await.expect("an answer");
        assert_eq!(ready.status, 503, "{ready:?}");
        let read = Request::get(format!("/companies/{OPEN}"));
        assert_eq!(process.client.send(&read, Some(&token)).await.expect("an answer").status, 200);
        pair.restart_member(PairMember::Standby);
        wait_for_responses(&process, &token, "behind").await;
        assert!(process.stop_and_read_log().contains("commits wait for a standby"));
    });
}

#[test]
fn a_server_never_lowers_its_synchronous_commit() {
    run_with_postgres(async || {
        let Some(pair) = ServerPair::start() else { return };
        let url = create_filled_database(&pair).await;
        for (default, effective) in [("remote_apply", "remote_apply"), ("off", "on"), ("local", "on")] {
            pair.change_setting(PairMember::Primary, &format!("synchronous_commit = {default}"));
            let folder = Database::empty(DatabaseKind::Sqlite).await;
            let process = serve(&folder, &url);
            let token = process.client.request_token(token_form()).await;
            // A trigger records the settings of the session that adds a check.
            let noting = "CREATE TABLE IF NOT EXISTS noted (level text); TRUNCATE noted; \
                CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS \
                $$ BEGIN INSERT INTO noted VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$; \
                DROP TRIGGER IF EXISTS note ON checks; \
                CREATE TRIGGER note AFTER INSERT ON checks FOR EACH STATEMENT EXECUTE FUNCTION note()";
            execute(&url, noting).await;
            wait_for_responses(&process, &token, default).await;
            let rows =
                connect(&url).await.query("SELECT DISTINCT level FROM noted", &[]).await.expect("rows");
            let levels: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            assert_eq!(levels, [effective], "{default}");
        }
    });
}
