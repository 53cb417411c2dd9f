//! Tests that the statements of frequent requests read few pages, whatever PostgreSQL's planner knows about
//! the tables. Statistics may be missing. Statistics or cached plans may also be from the time when the
//! tables were small. In these last two cases, housekeeping refreshes the statistics before the measurement.

use payroll_ports::schema::StatisticsScope;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_postgres::Client;

use super::failover::{connect, execute};
use super::postgres::{PostgresMachine, next_network};
use super::report_missing_program;
use crate::support::{
    Database, DatabaseKind, OPEN, OPERATOR_KEY, Process, Request, check_with_correlation_id, fill_database,
    for_each_kind, open_store_at, token_form, with_member,
};

/// The settings of the PostgreSQL server. Autovacuum is disabled, so that it does not refresh the statistics.
/// The extension `pg_stat_statements` counts the pages that each statement reads.
const SERVER_SETTINGS: &str = "autovacuum = off\nshared_preload_libraries = 'pg_stat_statements'\n\
    pg_stat_statements.track_utility = off\n";
/// The number of times that each request is sent. PostgreSQL caches a plan after five executions.
const REPETITIONS: usize = 12;
/// The number of checks per batch. Each check of a batch belongs to a different worker.
const CHECKS_PER_BATCH: usize = 20;
/// The maximum number of 8 kB pages that one statement may read or write. The insert of a batch needs the
/// most pages. The table of the checks has more than 2,000 pages, so reading all of them would exceed the
/// limit.
const MAX_PAGES_PER_CALL: i64 = 600;

/// SQL that makes the company large. The statements insert 3,000 workers, and 30,000 checks in one open
/// period.
const GROW_TABLES: &str = "
    INSERT INTO workers SELECT (json_populate_record(w, json_build_object('worker_id', 'W' || n))).*
        FROM workers w, generate_series(1, 3000) n WHERE worker_id = 'EMPLOYEE';
    INSERT INTO worker_ids (worker_id, company_id) SELECT 'W' || n, 'OPEN' FROM generate_series(1, 3000) n;
    INSERT INTO pay_rates SELECT (json_populate_record(r, json_build_object('worker_id', 'W' || n))).*
        FROM pay_rates r, generate_series(1, 3000) n WHERE worker_id = 'EMPLOYEE';
    INSERT INTO checks SELECT (json_populate_record(c, json_build_object('worker_id', 'W' || n % 3000 + 1,
            'paycheck_id', 'P' || n, 'ordinal', n + 1000, 'correlation_id', 'g' || n))).*
        FROM checks c, generate_series(1, 30000) n WHERE correlation_id = 'first';
    UPDATE pay_periods SET check_count = check_count + 31000
        WHERE company_id = 'OPEN' AND pay_period_id = 'ENTRY'";

/// The state of PostgreSQL's planner statistics and of cached plans before the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlannerStatistics {
    /// The database has no statistics, and the server's connections are new.
    Missing,
    /// The statistics described small tables until housekeeping refreshed them. The server's connections are
    /// new.
    Outdated,
    /// The database had no statistics until housekeeping created them. The server's connections still use
    /// plans for small tables.
    KeptPlans,
}

/// A database in a new PostgreSQL server, and a payroll server on it.
struct StatementFixture {
    process: Process,
    client: Client,
    _folder: (Database, PostgresMachine, TempDir),
}

impl StatementFixture {
    /// Prepares the servers. `None` if PostgreSQL or its extension `pg_stat_statements` is missing.
    async fn set_up_database(statistics: PlannerStatistics) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let machine =
            PostgresMachine::in_folder(folder.path(), "statements", format!("{}.1", next_network()))?;
        if !machine.has_extension("pg_stat_statements") {
            report_missing_program("pg_stat_statements");
            return None;
        }
        machine.create_server(SERVER_SETTINGS);
        let url = |name: &str| format!("postgres://postgres@{}/{name}", machine.host());
        execute(&url("postgres"), "CREATE DATABASE pay").await;
        let url = url("pay");
        Box::pin(fill_database(&url)).await;
        let client = connect(&url).await;
        client.batch_execute("CREATE EXTENSION pg_stat_statements").await.expect("it is there");
        let local_database = Database::empty(DatabaseKind::Sqlite).await;
        let serve = || Process::serve_with(&local_database, &["--database-url", &url]);
        let small = serve();
        // `GROW_TABLES` later fills the tables with copies of this check.
        let first = Request::post_checks(OPEN, &json!([check_with_correlation_id("first")]));
        let token = small.client.request_token(token_form()).await;
        assert_eq!(small.client.send(&first, Some(&token)).await.expect("a response").status, 201);
        if statistics == PlannerStatistics::KeptPlans {
            send_frequent_requests(&small, 0, "EMPLOYEE").await;
        }
        if statistics == PlannerStatistics::Outdated {
            client.batch_execute("ANALYZE").await.expect("it is analyzed");
        }
        client.batch_execute(GROW_TABLES).await.expect("it grows");
        if statistics != PlannerStatistics::Missing {
            // Without this call, PostgreSQL may count the changes of this session up to ten seconds later.
            client.batch_execute("SELECT pg_stat_force_next_flush()").await.expect("it is reported");
            let store = open_store_at(&url).await;
            store.refresh_statistics(StatisticsScope::GrownTables).await.expect("they are refreshed");
        }
        let process = if statistics == PlannerStatistics::KeptPlans { small } else { serve() };
        Some(Self { process, client, _folder: (local_database, machine, folder) })
    }

    /// Returns the statements that read or wrote more pages than the limit, each with the number of pages.
    async fn find_excessive_statements(&self) -> Vec<String> {
        const SELECT_STATEMENTS: &str = "SELECT query, (shared_blks_hit + shared_blks_read) / calls AS pages, calls \
            FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%' ORDER BY pages DESC";
        let rows = self.client.query(SELECT_STATEMENTS, &[]).await.expect("statistics");
        assert!(rows.len() > 20, "the statements are counted");
        let excessive = rows.iter().filter(|row| row.get::<_, i64>(1) > MAX_PAGES_PER_CALL);
        let shown = |row: &tokio_postgres::Row| {
            format!(
                "{} pages, {} times: {}",
                row.get::<_, i64>(1),
                row.get::<_, i64>(2),
                row.get::<_, String>(0)
            )
        };
        excessive.map(shown).collect()
    }
}

/// Returns the worker of a check in a batch. If `worker` is `EMPLOYEE`, all checks belong to this worker.
/// Otherwise each check has its own worker.
fn worker_of_check(number: usize, at: usize, worker: &str) -> String {
    if worker == "EMPLOYEE" { worker.to_owned() } else { format!("W{}", 1 + number * CHECKS_PER_BATCH + at) }
}

fn batch_request(number: usize, worker: &str) -> Request {
    let one = |at| {
        with_member(
            check_with_correlation_id(&format!("b{number}-{at}")),
            "workerId",
            worker_of_check(number, at, worker),
        )
    };
    Request::post_checks(OPEN, &(0..CHECKS_PER_BATCH).map(one).collect::<Value>())
}

/// Sends the frequent requests of partners and operators. `from` is the number of the first batch of checks.
async fn send_frequent_requests(process: &Process, from: usize, worker: &str) {
    let token = process.client.request_token(token_form()).await;
    let partner = [
        "/companies".to_owned(),
        format!("/companies/{OPEN}"),
        format!("/companies/{OPEN}/checks?payperiodid=ENTRY&offset=100&limit=20"),
        format!("/companies/{OPEN}/workers?offset=100&limit=20"),
        format!("/companies/{OPEN}/payperiods?limit=20"),
        format!("/workers/{worker}"),
        format!("/workers/{worker}/checks?payperiodid=ENTRY"),
        format!("/workers/{worker}/compensation/payrates"),
    ];
    let operator = [
        format!("/companies/{OPEN}/payperiods/ENTRY"),
        format!("/companies/{OPEN}/workers/{worker}"),
        format!("/companies/{OPEN}/workers?limit=20"),
        format!("/companies/{OPEN}/payperiods/ENTRY/checks?offset=100&limit=20"),
    ];
    let operator_key = format!("Bearer {OPERATOR_KEY}");
    let operator_key = Some(operator_key.as_str());
    for number in from..from + REPETITIONS {
        process.client.request_token(token_form()).await;
        let adding = batch_request(number, worker).idempotency_key(&format!("k{number}"));
        let added = process.client.send(&adding, Some(&token)).await.expect("a response");
        assert_eq!(added.status, 201, "{added:?}");
        let (worker_id, paycheck_id) =
            (worker_of_check(number, 0, worker), added.members("paycheckId").remove(0));
        let removal = Request::new(Method::DELETE, format!("/workers/{worker_id}/checks/{paycheck_id}"));
        let removed = process.client.send(&removal, Some(&token)).await.expect("a response");
        assert_eq!(removed.status, 204, "{removal:?} {removed:?}");
        for path in &partner {
            let read = process.client.send(&Request::get(path), Some(&token)).await.expect("a response");
            assert_eq!(read.status, 200, "{path}: {read:?}");
        }
        for path in &operator {
            let request = Request::operator_get(path);
            let read = process.operator.send(&request, operator_key).await.expect("a response");
            assert_eq!(read.status, 200, "{path}: {read:?}");
        }
        let name = json!({"name": {"givenName": format!("Ann {number}")}});
        let change = Request::operator_patch(&format!("/companies/{OPEN}/workers/{worker}"), &name);
        let changed = process.operator.send(&change.if_match("*"), operator_key).await.expect("a response");
        assert_eq!(changed.status, 200, "{changed:?}");
    }
}

/// Runs the frequent requests and checks that no statement reads a complete table.
fn no_statement_reads_a_full_table(statistics: PlannerStatistics) {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return;
        }
        let Some(stage) = StatementFixture::set_up_database(statistics).await else { return };
        stage.client.batch_execute("SELECT pg_stat_statements_reset()").await.expect("it is reset");
        send_frequent_requests(&stage.process, REPETITIONS, "W7").await;
        let excessive = stage.find_excessive_statements().await;
        assert!(excessive.is_empty(), "{statistics:?}: {excessive:#?}");
    });
}

#[test]
fn frequent_statements_read_little_without_statistics() {
    no_statement_reads_a_full_table(PlannerStatistics::Missing);
}

#[test]
fn frequent_statements_read_little_with_statistics_of_small_tables() {
    no_statement_reads_a_full_table(PlannerStatistics::Outdated);
}

#[test]
fn frequent_statements_read_little_with_plans_for_small_tables() {
    no_statement_reads_a_full_table(PlannerStatistics::KeptPlans);
}
