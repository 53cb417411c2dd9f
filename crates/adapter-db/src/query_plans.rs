//! Tests the query plans of statements that must not read a complete table. The tests use the statements of
//! the store and the tables of the migrations.

use diesel::sql_types::Text;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use tokio_postgres::{Client, NoTls};

use crate::statement::STATEMENTS;
use crate::{migrations, postgres, sqlite};

/// Inserts 20,000 checks of one company, 200 for each worker.
const INSERT_CHECKS: &str = "INSERT INTO checks (company_id, pay_period_id, ordinal, paycheck_id, worker_id, \
        application_id, block_auto_distribution, lines) \
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000) \
    SELECT 'C', 'P', n, CAST(n AS TEXT), 'W' || CAST(n % 100 AS TEXT), '', FALSE, '[]' FROM n";

/// Inserts 20,000 workers of one company, each with a distinct tax ID.
const INSERT_WORKERS: &str = "INSERT INTO workers (company_id, worker_id, created, worker_type, family_name, \
        given_name, legal_id_type, legal_id, last_four_hash, last_four_of, version) \
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000) \
    SELECT 'C', 'W' || CAST(n AS TEXT), n, 'EMPLOYEE', 'Sample', 'Ann', 'FEIN', CAST(n AS TEXT), \
        'a:' || CAST(n AS TEXT), CAST(n AS TEXT), 1 FROM n";

/// Inserts 20,000 companies, which are all granted to one application.
const INSERT_COMPANIES_AND_GRANTS: &str = "INSERT INTO companies (company_id, created, display_id, display_key, legal_name, \
        converting, version) \
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000) \
    SELECT 'C' || CAST(n AS TEXT), n, CAST(n AS TEXT), CAST(n AS TEXT), 'Sample', FALSE, 1 FROM n; \
    INSERT INTO grants (application_id, company_id, scopes, version, company_created) \
    SELECT 'A', company_id, 'read:companies', 1, created FROM companies";

#[derive(QueryableByName)]
struct PlanStep {
    #[diesel(sql_type = Text)]
    detail: String,
}

/// Returns the steps of SQLite's plan for a statement.
async fn explain_on_sqlite(statement: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("payroll.db");
    migrations::migrate_sqlite_file(&path).await.unwrap();
    let mut connection = SqliteConnection::establish(&path.to_string_lossy()).unwrap();
    let plan = diesel::sql_query(format!("EXPLAIN QUERY PLAN {statement}"));
    let plan: Vec<PlanStep> = plan.load(&mut connection).unwrap();
    plan.into_iter().map(|step| step.detail).collect()
}

#[tokio::test]
async fn finds_checks_of_a_worker_by_an_index_on_sqlite() {
    let steps = explain_on_sqlite(sqlite::store::SELECT_CHECKS_OF_WORKER).await;
    let looks_up = "SEARCH checks USING COVERING INDEX checks_by_worker (company_id=? AND worker_id=?)";
    assert!(steps.iter().any(|step| step == looks_up), "{steps:?}");
    assert!(steps.iter().all(|step| !step.contains("(company_id=?)")), "{steps:?}");
}

#[tokio::test]
async fn finds_workers_by_their_last_four_digits_by_an_index_on_sqlite() {
    for statement in sqlite::store::STATEMENTS_OF_LAST_FOUR {
        let steps = explain_on_sqlite(statement).await;
        let looks_up = "SEARCH workers USING INDEX workers_by_last_four (company_id=? AND last_four_hash=?)";
        assert!(steps.iter().any(|step| step == looks_up), "{steps:?}");
        assert!(steps.iter().all(|step| !step.starts_with("SCAN workers")), "{steps:?}");
    }
}

#[tokio::test]
async fn finds_changed_workers_by_an_index_on_sqlite() {
    for statement in sqlite::store::STATEMENTS_OF_CHANGED {
        let steps = explain_on_sqlite(statement).await;
        let looks_up = "SEARCH workers USING INDEX workers_by_modified (company_id=? AND modified>?)";
        assert!(steps.iter().any(|step| step == looks_up), "{steps:?}");
        assert!(steps.iter().all(|step| !step.starts_with("SCAN workers")), "{steps:?}");
    }
}

#[tokio::test]
async fn finds_workers_by_family_name_by_an_index_on_sqlite() {
    for statement in sqlite::store::STATEMENTS_OF_FAMILY_NAME {
        let steps = explain_on_sqlite(statement).await;
        let looks_up = "SEARCH workers USING INDEX workers_by_family_name (<expr>=? AND company_id=?)";
        assert!(steps.iter().any(|step| step == looks_up), "{steps:?}");
        assert!(steps.iter().all(|step| !step.starts_with("SCAN workers")), "{steps:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_workers_by_family_name_by_an_index_on_postgresql() {
    for (statement, parameters) in postgres::store::STATEMENTS_OF_FAMILY_NAME.into_iter().zip([18, 20]) {
        let fill = format!("{INSERT_WORKERS}; UPDATE workers SET family_name = 'Sample ' || worker_id");
        let Some(plan) = explain_generic_plan("family_name", &fill, statement, parameters).await else {
            return;
        };
        assert!(plan.contains("workers_by_family_name"), "{plan}");
        assert!(!plan.contains("Seq Scan on workers"), "{plan}");
    }
}

#[tokio::test]
async fn finds_the_reversals_of_corrected_checks_by_an_index_on_sqlite() {
    let steps =
        explain_on_sqlite(find_statement("payroll_adapter_db::sqlite", OPEN_REVERSALS_FRAGMENT)).await;
    let looks_up = "SEARCH r USING INDEX checks_by_original (company_id=? AND reversal_of=?)";
    assert!(steps.iter().any(|step| step == looks_up), "{steps:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_the_reversals_of_corrected_checks_by_an_index_on_postgresql() {
    let statement = find_statement("payroll_adapter_db::postgres", OPEN_REVERSALS_FRAGMENT);
    let Some(plan) = explain_generic_plan("reversals", INSERT_CHECKS, statement, 2).await else { return };
    assert!(plan.contains("checks_by_original"), "{plan}");
}

/// A part of the SQL that looks up the reversals of checks in open periods. This part identifies the
/// statement to test.
const OPEN_REVERSALS_FRAGMENT: &str = "AS original, (SELECT r.paycheck_id";

/// Inserts deliveries of an ordered hook. Only a few of the deliveries are pending, so the statistics are
/// outdated when more become pending.
const INSERT_ORDERED_DELIVERIES: &str = "INSERT INTO deliveries (hook, event_id, domain, action, as_of, queued, due, ordered) \
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000) \
    SELECT 1, 'E' || CAST(n AS TEXT), 'WRKR_ADD', 'ADD', 1, 1, CASE WHEN n % 1000 = 0 THEN 1 END, TRUE FROM n";

#[tokio::test]
async fn finds_the_first_delivery_of_an_ordered_hook_by_an_index_on_sqlite() {
    let steps = explain_on_sqlite(sqlite::CLAIM_DELIVERIES_IN_ORDER).await;
    let looks_up = "SEARCH deliveries USING INTEGER PRIMARY KEY (rowid=?)";
    assert!(steps.iter().any(|step| step == looks_up), "{steps:?}");
    assert!(steps.iter().any(|step| step.contains("deliveries_in_order (hook=?)")), "{steps:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_the_first_delivery_of_an_ordered_hook_by_an_index_on_postgresql() {
    let statement = postgres::CLAIM_DELIVERIES_IN_ORDER;
    let Some(plan) = explain_generic_plan("ordered", INSERT_ORDERED_DELIVERIES, statement, 3).await else {
        return;
    };
    // The plan finds the row by its physical location. A plan that searches the row by its position would
    // read all pending deliveries once there are many more.
    assert!(plan.contains("Tid Scan on deliveries d"), "{plan}");
    assert!(plan.contains("Index Scan using deliveries_in_order"), "{plan}");
}

/// The searches for workers in all companies: by family name, by given name, and by both. Each entry contains
/// a part of the statement, the expected index, and the number of parameters.
const WORKER_SEARCHES: [(&str, &str, usize); 3] = [
    ("lower(w.family_name) < $2 AND (CAST($3", "workers_by_family_name", 5),
    ("lower(w.given_name) < $2 AND (CAST($3", "workers_by_given_name", 5),
    ("AND lower(w.given_name) = $3", "workers_by_both_names", 6),
];

fn find_statement(database: &str, part: &str) -> &'static str {
    let mut statements = STATEMENTS.iter().filter(|(place, _)| place.starts_with(database));
    statements.find(|(_, text)| text.contains(part)).expect("a statement").1
}

#[tokio::test]
async fn a_search_by_names_reads_no_more_than_an_index_on_sqlite() {
    for (part, index, _) in WORKER_SEARCHES {
        let steps = explain_on_sqlite(find_statement("payroll_adapter_db::sqlite", part)).await;
        assert!(steps.iter().any(|step| step.contains(index)), "{part} {steps:?}");
        assert!(steps.iter().all(|step| !step.contains("TEMP B-TREE")), "{part} {steps:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_by_names_reads_no_more_than_an_index_on_postgresql() {
    for (part, index, parameters) in WORKER_SEARCHES {
        let statement = find_statement("payroll_adapter_db::postgres", part);
        let Some(plan) = explain_generic_plan("names", INSERT_WORKERS, statement, parameters).await else {
            return;
        };
        assert!(plan.contains(index), "{part} {plan}");
        assert!(!plan.contains("Sort") && !plan.contains("Filter: (lower"), "{part} {plan}");
    }
}

/// Inserts workers whose status changes on various future days.
const INSERT_DUE_STATUSES: &str = "INSERT INTO due_statuses (company_id, worker_id, due_date) \
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000) \
    SELECT 'C', 'W' || CAST(n AS TEXT), DATE '2026-01-01' + n % 500 FROM n";

#[tokio::test]
async fn due_statuses_are_read_along_an_index_on_sqlite() {
    let steps = explain_on_sqlite(sqlite::store::SELECT_DUE_STATUSES).await;
    assert!(
        steps
            .iter()
            .any(|step| step.starts_with("SEARCH due_statuses USING COVERING INDEX due_statuses_by_day")),
        "{steps:?}"
    );
    assert!(steps.iter().all(|step| !step.contains("TEMP B-TREE")), "{steps:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn due_statuses_are_read_along_an_index_on_postgresql() {
    let due = postgres::store::SELECT_DUE_STATUSES;
    let Some(plan) = explain_generic_plan("due_statuses", INSERT_DUE_STATUSES, due, 5).await else { return };
    assert!(plan.contains("due_statuses_by_day"), "{plan}");
    assert!(!plan.contains("Seq Scan") && !plan.contains("Sort"), "{plan}");
}

/// The database of this test was never analyzed, so the planner has no statistics about grants.
#[tokio::test]
async fn a_page_of_companies_is_read_along_an_index_on_sqlite() {
    for statement in sqlite::store::STATEMENTS_OF_A_PAGE_OF_COMPANIES {
        let steps = explain_on_sqlite(statement).await;
        assert!(
            steps.iter().any(|step| step.contains("INDEX grants_by_company_created")),
            "{statement} {steps:#?}"
        );
        assert!(steps.iter().all(|step| !step.contains("TEMP B-TREE")), "{statement} {steps:#?}");
        assert!(steps.iter().all(|step| !step.starts_with("SCAN companies")), "{statement} {steps:#?}");
    }
}

/// Tests that the plan starts with the grants of the page, and that every page has the same plan.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_companies_is_read_along_an_index_on_postgresql() {
    let [_, page] = postgres::store::STATEMENTS_OF_A_PAGE_OF_COMPANIES;
    let Some(plan) = explain_generic_plan("page_of_companies", INSERT_COMPANIES_AND_GRANTS, page, 3).await
    else {
        return;
    };
    assert!(plan.contains("grants_by_company_created") && plan.contains("companies_pkey"), "{plan}");
    assert!(!plan.contains("Seq Scan") && !plan.contains("Sort"), "{plan}");
}

/// This test forces a plan for the actual values (`force_custom_plan`), because PostgreSQL prefers such a
/// plan over the generic one if it is cheaper.
#[tokio::test(flavor = "multi_thread")]
async fn finds_changed_workers_by_an_index_on_postgresql() {
    for (statement, parameters) in postgres::store::STATEMENTS_OF_CHANGED.into_iter().zip([16, 18]) {
        let mut values = vec!["NULL"; parameters];
        for (at, value) in [(0, "'C'"), (1, "ARRAY['']"), (15, "19990")] {
            values[at] = value;
        }
        let fill = format!("{INSERT_WORKERS}; UPDATE workers SET modified = created; ANALYZE");
        let of =
            PlanInput { purpose: "changed", fill_sql: &fill, mode: "force_custom_plan", values: &values };
        let Some(plan) = of.explain(statement).await else { return };
        assert!(plan.contains("workers_by_modified"), "{plan}");
        assert!(!plan.contains("Seq Scan on workers"), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_checks_of_a_worker_by_an_index_on_postgresql() {
    let Some(plan) =
        explain_generic_plan("checks", INSERT_CHECKS, postgres::store::SELECT_CHECKS_OF_WORKER, 2).await
    else {
        return;
    };
    assert!(plan.contains("using checks_by_worker"), "{plan}");
    assert!(!plan.contains("Filter") && !plan.contains("Seq Scan"), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_workers_by_their_last_four_digits_by_an_index_on_postgresql() {
    for (statement, parameters) in postgres::store::STATEMENTS_OF_LAST_FOUR.into_iter().zip([17, 19]) {
        let Some(plan) = explain_generic_plan("last_four", INSERT_WORKERS, statement, parameters).await
        else {
            return;
        };
        assert!(plan.contains("workers_by_last_four"), "{plan}");
        assert!(!plan.contains("Seq Scan on workers"), "{plan}");
    }
}

/// The table is filled before it is analyzed, as in a large import. Even then, adding a check must not read
/// all other checks of its period.
#[tokio::test(flavor = "multi_thread")]
async fn looks_up_correlation_ids_individually_on_postgresql() {
    let of_checks = |(place, text): &&(&str, &'static str)| {
        place.starts_with("payroll_adapter_db::postgres") && text.contains("c.correlation_id = wanted.value")
    };
    let statements: Vec<&str> = STATEMENTS.iter().filter(of_checks).map(|(_, text)| *text).collect();
    assert_eq!(
        statements.len(),
        6,
        "of the facts of applications and of operators, and of the transaction, each for one id and for several"
    );
    for statement in statements {
        let Some(plan) = explain_without_statistics("correlation", INSERT_CHECKS, statement, 4).await else {
            return;
        };
        let looks_up = |line: &str| line.contains("Index Cond") && line.contains("correlation_id = ");
        assert!(plan.contains("checks_by_application") && plan.lines().any(looks_up), "{plan}");
    }
}

/// Recreates the unsuitable index `checks_by_application`, so that it is the newest index. Without
/// statistics, the planner chooses the newest index among those with equal cost.
const RECREATE_APPLICATION_INDEX: &str = "DROP INDEX checks_by_application; \
    CREATE INDEX checks_by_application ON checks (company_id, pay_period_id, application_id, correlation_id)";

#[tokio::test(flavor = "multi_thread")]
async fn finds_workers_without_checks_by_an_index_without_statistics_on_postgresql() {
    let fill = format!("{INSERT_CHECKS}; {RECREATE_APPLICATION_INDEX}");
    let of_postgres = |(place, text): &&(&str, &'static str)| {
        place.starts_with("payroll_adapter_db::postgres")
            && text.contains("requested WHERE (SELECT c.pay_period_id")
    };
    let statements: Vec<&str> = STATEMENTS.iter().filter(of_postgres).map(|(_, text)| *text).collect();
    assert_eq!(
        statements.len(),
        4,
        "of adding checks and of removing them, each for one worker and for several"
    );
    for statement in statements {
        let parameters = if statement.starts_with("UPDATE") { 7 } else { 3 };
        let Some(plan) = explain_without_statistics("without_checks", &fill, statement, parameters).await
        else {
            return;
        };
        assert!(plan.contains("checks_by_worker") && !plan.contains("checks_by_application"), "{plan}");
    }
}

/// Returns PostgreSQL's generic plan for a statement with this number of parameters. `fill_sql` fills the
/// tables, which are then analyzed. `None` if no server is available.
async fn explain_generic_plan(
    purpose: &str,
    fill_sql: &str,
    statement: &str,
    parameters: usize,
) -> Option<String> {
    explain_without_statistics(purpose, &format!("{fill_sql}; ANALYZE"), statement, parameters).await
}

/// Like [`explain_generic_plan`], but PostgreSQL has not analyzed the tables.
async fn explain_without_statistics(
    purpose: &str,
    fill_sql: &str,
    statement: &str,
    parameters: usize,
) -> Option<String> {
    let values = &vec!["NULL"; parameters];
    PlanInput { purpose, fill_sql, mode: "force_generic_plan", values }.explain(statement).await
}

/// The input of EXPLAIN: the purpose (a part of the database's name), the SQL that fills the tables, the plan
/// mode, and the values of the statement's parameters.
struct PlanInput<'a> {
    purpose: &'a str,
    fill_sql: &'a str,
    mode: &'a str,
    values: &'a [&'a str],
}

impl PlanInput<'_> {
    /// Creates a database, fills it, and returns PostgreSQL's plan for the statement. `None` if no server is
    /// available.
    async fn explain(&self, statement: &str) -> Option<String> {
        let server = std::env::var("TEST_DATABASE_URL").ok()?;
        let name = format!("payroll_plans_{}_{}", self.purpose, std::process::id());
        let administrator = connect(&server).await;
        administrator.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let (address, query) = server.split_once('?').unwrap_or((&server, ""));
        let url = format!("{}/{name}?{query}", address.rsplit_once('/').unwrap().0);
        migrations::migrate_postgres(&url).await.unwrap();
        let client = connect(&url).await;
        client.batch_execute(self.fill_sql).await.unwrap();
        let prepare_sql = format!("SET plan_cache_mode = {}; PREPARE found AS {statement}", self.mode);
        client.batch_execute(&prepare_sql).await.unwrap();
        let explain = format!("EXPLAIN EXECUTE found ({})", self.values.join(", "));
        let rows = client.query(&explain, &[]).await.unwrap();
        administrator.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
        Some(rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n"))
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
