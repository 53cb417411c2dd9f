//! Tests for the mode of a new file, and for migrations that change stored data.

use diesel::migration::Migration;
use diesel::sql_types::{Nullable, Text};
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use diesel_async::AsyncConnection;

use super::*;

mod statuses;
mod totals;

/// The migration that moves the lines of a check into its row.
const CHECK_LINES_MIGRATION: &str = "20261122300000";

/// Inserts three checks into the three tables of the old schema: one in an open period, one with staged
/// completion data, and an imported one.
const INSERT_CHECKS_IN_THREE_TABLES: &str = "\
    INSERT INTO checks (company_id, pay_period_id, ordinal, paycheck_id, worker_id, application_id, \
        correlation_id, block_auto_distribution, net_pay) \
    VALUES ('C', 'P', 1, 'A', 'W', 'X', 'one', FALSE, NULL), ('C', 'P', 2, 'B', 'W', 'X', 'two', TRUE, 100), \
        ('C', 'P', 3, 'D', 'W', '', NULL, FALSE, 200); \
    INSERT INTO check_lines (company_id, pay_period_id, ordinal, line, check_component_id, section, \
        component_id, name, classification_type, effect_on_pay, memoed, rate, hours, units, amount, line_date, \
        job_id, labor_assignment_id, organization_id, organization_name, organization_number, of_completion) \
    VALUES ('C', 'P', 1, 2, 'L2', 'earnings', 'K', 'a', 'REGULAR', 'ADDITION', FALSE, 1, NULL, 2, NULL, NULL, \
            NULL, NULL, NULL, NULL, NULL, FALSE), \
        ('C', 'P', 1, 1, 'L1', 'earnings', 'K', 'a \"b\" \\ \u{fc}', 'REGULAR', 'ADDITION', TRUE, 1, 2, NULL, 3, \
            '2026-01-02', 'J', 'A', 'O', '\t', '07', FALSE), \
        ('C', 'P', 2, 101, 'L3', 'deductions', 'K', 'a', 'BENEFIT', 'DEDUCTION', FALSE, NULL, NULL, NULL, 4, NULL, \
            NULL, NULL, NULL, NULL, NULL, TRUE); \
    INSERT INTO check_taxes (company_id, pay_period_id, ordinal, line, name, amount, paid_by) \
    VALUES ('C', 'P', 2, 2, 'FUTA', 6, 'EMPLOYER_LIABILITY'), ('C', 'P', 2, 1, 'FIT', 5, 'EMPLOYEE_WITHHOLDING')";

/// The expected rows of `INSERT_CHECKS_IN_THREE_TABLES` after the migration: one table, with texts in the
/// format of the store.
const EXPECTED_PACKED_CHECKS: [(&str, Option<&str>); 3] = [
    (
        r#"[{"checkComponentId":"L1","section":"earnings","componentId":"K","name":"a \"b\" \\ ü","classificationType":"REGULAR","effectOnPay":"ADDITION","memoed":true,"rate":1,"hours":2,"amount":3,"lineDate":"2026-01-02","jobId":"J","laborAssignmentId":"A","organizationId":"O","organizationName":"\t","organizationNumber":"07"},{"checkComponentId":"L2","section":"earnings","componentId":"K","name":"a","classificationType":"REGULAR","effectOnPay":"ADDITION","rate":1,"units":2}]"#,
        None,
    ),
    (
        "[]",
        Some(
            r#"{"deductions":[{"checkComponentId":"L3","section":"deductions","componentId":"K","name":"a","classificationType":"BENEFIT","effectOnPay":"DEDUCTION","amount":4}],"taxes":[{"name":"FIT","amount":5,"paidBy":"EMPLOYEE_WITHHOLDING"},{"name":"FUTA","amount":6,"paidBy":"EMPLOYER_LIABILITY"}]}"#,
        ),
    ),
    ("[]", Some(r#"{"deductions":[],"taxes":[]}"#)),
];

#[derive(QueryableByName)]
struct PackedCheckRow {
    #[diesel(sql_type = Text)]
    lines: String,
    #[diesel(sql_type = Nullable<Text>)]
    completion: Option<String>,
}

const SELECT_PACKED_CHECKS: &str = "SELECT lines, completion FROM checks ORDER BY ordinal";

fn assert_packed(rows: &[PackedCheckRow]) {
    let rows: Vec<_> = rows.iter().map(|row| (row.lines.as_str(), row.completion.as_deref())).collect();
    assert_eq!(rows, EXPECTED_PACKED_CHECKS);
}

/// Runs all migrations before the given one.
fn run_migrations_before<DB: diesel::backend::Backend>(
    harness: &mut impl MigrationHarness<DB>,
    migrations: EmbeddedMigrations,
    version: &str,
) {
    let pending: Vec<Box<dyn Migration<DB>>> = harness.pending_migrations(migrations).unwrap();
    for migration in pending {
        if migration.name().version().to_string().as_str() < version {
            harness.run_migration(&migration).unwrap();
        }
    }
}

#[test]
fn lines_are_packed_and_unpacked_on_sqlite() {
    let mut connection = SqliteConnection::establish(":memory:").unwrap();
    run_migrations_before(&mut connection, SQLITE_MIGRATIONS, CHECK_LINES_MIGRATION);
    diesel::connection::SimpleConnection::batch_execute(&mut connection, INSERT_CHECKS_IN_THREE_TABLES)
        .unwrap();
    for _ in 0..2 {
        connection.run_pending_migrations(SQLITE_MIGRATIONS).unwrap();
        let rows: Vec<PackedCheckRow> =
            diesel::sql_query(SELECT_PACKED_CHECKS).load(&mut connection).unwrap();
        assert_packed(&rows);
        // Migrations can only be reverted newest first, so all newer migrations are reverted too.
        while connection
            .applied_migrations()
            .unwrap()
            .iter()
            .any(|done| done.to_string().as_str() >= CHECK_LINES_MIGRATION)
        {
            connection.revert_last_migration(SQLITE_MIGRATIONS).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_are_packed_and_unpacked_on_postgresql() {
    let Ok(server) = std::env::var("TEST_DATABASE_URL") else { return };
    let name = format!("payroll_migrations_{}", std::process::id());
    let mut administrator = AsyncPgConnection::establish(&server).await.unwrap();
    administrator.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    let (address, query) = server.split_once('?').unwrap_or((&server, ""));
    let url = format!("{}/{name}?{query}", address.rsplit_once('/').unwrap().0);
    let connection = AsyncPgConnection::establish(&url).await.unwrap();
    let mut harness = AsyncMigrationHarness::new(connection);
    run_migrations_before(&mut harness, POSTGRES_MIGRATIONS, CHECK_LINES_MIGRATION);
    let mut connection = harness.into_inner();
    connection.batch_execute(INSERT_CHECKS_IN_THREE_TABLES).await.unwrap();
    for _ in 0..2 {
        let mut harness = AsyncMigrationHarness::new(connection);
        harness.run_pending_migrations(POSTGRES_MIGRATIONS).unwrap();
        connection = harness.into_inner();
        let rows: Vec<PackedCheckRow> =
            diesel_async::RunQueryDsl::load(diesel::sql_query(SELECT_PACKED_CHECKS), &mut connection)
                .await
                .unwrap();
        assert_packed(&rows);
        let mut harness = AsyncMigrationHarness::new(connection);
        while harness
            .applied_migrations()
            .unwrap()
            .iter()
            .any(|done| done.to_string().as_str() >= CHECK_LINES_MIGRATION)
        {
            harness.revert_last_migration(POSTGRES_MIGRATIONS).unwrap();
        }
        connection = harness.into_inner();
    }
    drop(connection);
    administrator.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_database_file_is_private_to_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("payroll.db");
    migrate_sqlite_file(&path).await.unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}
