//! Tests the migration that adds up the checks of each pay period.

use diesel::sql_types::BigInt;

use super::*;

const TOTALS_MIGRATION: &str = "20261122400000";

/// Inserts three pay periods. The open period has lines of every kind and a staged check. One of its lines
/// has hours at a rate whose amount is rounded. The completed period has a line of hours without a stated
/// amount. The last period has no checks.
const INSERT_OLD_PERIODS: &str = r#"
    INSERT INTO pay_periods (company_id, pay_period_id, created, interval_code, status, start_date, end_date,
        check_date, check_count, version)
    VALUES ('C', 'OPEN', 1, 'WEEKLY', 'ENTRY', '2026-01-01', '2026-01-02', '2026-01-03', 3, 1),
        ('C', 'DONE', 2, 'WEEKLY', 'COMPLETED', '2026-01-01', '2026-01-02', '2026-01-03', 2, 1),
        ('D', 'OPEN', 3, 'WEEKLY', 'INITIAL', '2026-01-01', '2026-01-02', '2026-01-03', 0, 1);
    INSERT INTO checks (company_id, pay_period_id, ordinal, paycheck_id, worker_id, application_id,
        block_auto_distribution, net_pay, gross_earnings, lines, completion)
    VALUES
        ('C', 'OPEN', 1, 'A', 'W', 'X', FALSE, NULL, NULL,
            '[{"effectOnPay":"ADDITION","hours":75000,"rate":203333},{"effectOnPay":"REDUCTION","amount":100}]',
            NULL),
        ('C', 'OPEN', 2, 'B', 'W', 'X', FALSE, NULL, NULL,
            '[{"effectOnPay":"ADDITION_WITH_IN_OUT","units":10000,"rate":50},{"effectOnPay":"EMPLOYER_INFORMATIONAL","amount":900}]',
            NULL),
        ('C', 'OPEN', 3, 'E', 'V', 'X', FALSE, 1, 2, '[{"effectOnPay":"ADDITION","amount":300}]',
            '{"deductions":[{"effectOnPay":"REDUCTION","amount":7}],"taxes":[{"amount":8,"paidBy":"EMPLOYER_LIABILITY"}]}'),
        ('C', 'DONE', 1, 'F', 'W', 'X', FALSE, 700, 1000,
            '[{"effectOnPay":"ADDITION","hours":10000,"rate":1000},{"effectOnPay":"REDUCTION","amount":50}]',
            '{"deductions":[{"effectOnPay":"REDUCTION","amount":60}],"taxes":[{"amount":80,"paidBy":"EMPLOYER_LIABILITY"},{"amount":90,"paidBy":"EMPLOYEE_WITHHOLDING"}]}'),
        ('C', 'DONE', 2, 'G', 'W', '', FALSE, -5, 20, '[]', '{"deductions":[],"taxes":[]}')"#;

#[derive(QueryableByName)]
struct TotalsRow {
    #[diesel(sql_type = BigInt)]
    sum: i64,
}

/// The expected totals of each period, in the order of the added columns.
const SUMS: [(&str, [i64; 3]); 6] = [
    ("total_workers", [2, 1, 0]),
    ("total_gross_earnings", [1_525_000 + 100 + 300, 1_020, 0]),
    ("total_net_pay", [0, 695, 0]),
    ("total_employee_taxes", [0, 90, 0]),
    ("total_employer_taxes", [0, 80, 0]),
    ("total_deductions", [100, 110, 0]),
];

#[test]
fn totals_of_existing_checks_are_computed_on_sqlite() {
    let mut connection = SqliteConnection::establish(":memory:").unwrap();
    run_migrations_before(&mut connection, SQLITE_MIGRATIONS, TOTALS_MIGRATION);
    diesel::connection::SimpleConnection::batch_execute(&mut connection, INSERT_OLD_PERIODS).unwrap();
    for _ in 0..2 {
        connection.run_pending_migrations(SQLITE_MIGRATIONS).unwrap();
        for (column, expected) in SUMS {
            let query = format!("SELECT {column} AS sum FROM pay_periods ORDER BY created");
            let rows: Vec<TotalsRow> = diesel::sql_query(query).load(&mut connection).unwrap();
            assert_eq!(rows.iter().map(|row| row.sum).collect::<Vec<_>>(), expected, "{column}");
        }
        let newer =
            |done: &diesel::migration::MigrationVersion<'_>| done.to_string().as_str() >= TOTALS_MIGRATION;
        while connection.applied_migrations().unwrap().iter().any(newer) {
            connection.revert_last_migration(SQLITE_MIGRATIONS).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn totals_of_existing_checks_are_computed_on_postgresql() {
    let Ok(server) = std::env::var("TEST_DATABASE_URL") else { return };
    let name = format!("payroll_totals_{}", std::process::id());
    let mut administrator = AsyncPgConnection::establish(&server).await.unwrap();
    administrator.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    let (address, query) = server.split_once('?').unwrap_or((&server, ""));
    let url = format!("{}/{name}?{query}", address.rsplit_once('/').unwrap().0);
    let connection = AsyncPgConnection::establish(&url).await.unwrap();
    let mut harness = AsyncMigrationHarness::new(connection);
    run_migrations_before(&mut harness, POSTGRES_MIGRATIONS, TOTALS_MIGRATION);
    let mut connection = harness.into_inner();
    connection.batch_execute(INSERT_OLD_PERIODS).await.unwrap();
    for _ in 0..2 {
        let mut harness = AsyncMigrationHarness::new(connection);
        harness.run_pending_migrations(POSTGRES_MIGRATIONS).unwrap();
        connection = harness.into_inner();
        for (column, expected) in SUMS {
            let query = format!("SELECT {column} AS sum FROM pay_periods ORDER BY created");
            let rows: Vec<TotalsRow> =
                diesel_async::RunQueryDsl::load(diesel::sql_query(query), &mut connection).await.unwrap();
            assert_eq!(rows.iter().map(|row| row.sum).collect::<Vec<_>>(), expected, "{column}");
        }
        let mut harness = AsyncMigrationHarness::new(connection);
        let newer =
            |done: &diesel::migration::MigrationVersion<'_>| done.to_string().as_str() >= TOTALS_MIGRATION;
        while harness.applied_migrations().unwrap().iter().any(newer) {
            harness.revert_last_migration(POSTGRES_MIGRATIONS).unwrap();
        }
        connection = harness.into_inner();
    }
    drop(connection);
    administrator.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
}
