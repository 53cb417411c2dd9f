//! Tests the migration that creates the status history of workers.

use super::*;

const STATUS_HISTORY_MIGRATION: &str = "20261205000000";

/// Inserts a worker with a current status and a worker without a status.
const INSERT_OLD_WORKERS: &str = "\
    INSERT INTO workers (company_id, worker_id, created, worker_type, family_name, given_name, version, \
        worker_status_id, status_type, status_reason, status_effective_date) \
    VALUES ('C', 'ANN', 1, 'EMPLOYEE', 'Sample', 'Ann', 1, 'S1', 'ACTIVE', 'HIRED', '2026-01-01'), \
        ('C', 'BO', 2, 'EMPLOYEE', 'Sample', 'Bo', 1, NULL, NULL, NULL, NULL)";

#[derive(QueryableByName)]
struct StatusRow {
    #[diesel(sql_type = Text)]
    entry: String,
}

#[test]
fn the_migration_makes_each_current_status_the_first_entry_of_its_history() {
    let mut connection = SqliteConnection::establish(":memory:").unwrap();
    run_migrations_before(&mut connection, SQLITE_MIGRATIONS, STATUS_HISTORY_MIGRATION);
    diesel::connection::SimpleConnection::batch_execute(&mut connection, INSERT_OLD_WORKERS).unwrap();
    connection.run_pending_migrations(SQLITE_MIGRATIONS).unwrap();
    let query = "SELECT worker_id || ' ' || position || ' ' || worker_status_id || ' ' || status_type || ' ' || \
        status_reason || ' ' || effective_date || ' ' || status_order AS entry FROM status_history";
    let rows: Vec<StatusRow> = diesel::sql_query(query).load(&mut connection).unwrap();
    let entries: Vec<_> = rows.iter().map(|row| row.entry.as_str()).collect();
    assert_eq!(entries, ["ANN 0 S1 ACTIVE HIRED 2026-01-01 0"]);
}
