//! Invariants that every database of the application must fulfil at any time, regardless of earlier events.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::world::{DATABASE_FILE_NAME, OLD};

/// Queries that return one row for each violation, with the description of the invariant.
const VIOLATION_QUERIES: &[(&str, &str)] = &[
    (
        "a page or an index is spoilt",
        "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    ),
    ("a row has no parent", "SELECT \"table\" FROM pragma_foreign_key_check"),
    (
        "the feed has a gap",
        "SELECT max(position) FROM events HAVING count(*) <> coalesce(max(position) - min(position) + 1, 0)",
    ),
    ("an event is there twice", "SELECT event_id FROM events GROUP BY event_id HAVING count(*) > 1"),
    (
        "an event has no delivery or several",
        "SELECT e.event_id FROM events e JOIN hooks h ON h.active WHERE e.company_id = 'ACME' AND \
            (SELECT count(*) FROM deliveries d WHERE d.event_id = e.event_id AND d.hook = h.hook) <> 1",
    ),
    (
        "a delivery has no event",
        "SELECT event_id FROM deliveries d WHERE NOT test AND NOT EXISTS \
            (SELECT 1 FROM events e WHERE e.event_id = d.event_id)",
    ),
    (
        "a delivery is neither pending nor ended",
        "SELECT position FROM deliveries WHERE (due IS NULL) = (ended IS NULL)",
    ),
    (
        "a period counts checks that are not there",
        "SELECT pay_period_id FROM pay_periods p WHERE check_count - removed_checks <> \
            (SELECT count(*) FROM checks c WHERE c.company_id = p.company_id AND c.pay_period_id = p.pay_period_id) \
            AND checks_archived IS NULL",
    ),
    (
        "the totals of a period are not the sums of its checks",
        "SELECT p.pay_period_id FROM pay_periods p WHERE checks_archived IS NULL AND status = 'COMPLETED' AND \
            (total_gross_earnings, total_net_pay) <> (SELECT coalesce(sum(c.gross_earnings), 0), \
                coalesce(sum(c.net_pay), 0) FROM checks c \
                WHERE c.company_id = p.company_id AND c.pay_period_id = p.pay_period_id)",
    ),
    (
        "a check is there twice",
        "SELECT correlation_id FROM checks WHERE application_id <> '' \
        GROUP BY company_id, pay_period_id, correlation_id HAVING count(*) > 1",
    ),
];

/// Returns the violations in the database of a folder.
pub(crate) fn find_violations(folder: &Path) -> Vec<String> {
    let connection = open_database(folder);
    let mut faults = Vec::new();
    for (what, query) in VIOLATION_QUERIES {
        let mut statement = connection.prepare(query).unwrap_or_else(|error| panic!("{query}: {error}"));
        let rows = statement.query_map([], |row| row.get::<_, rusqlite::types::Value>(0)).expect("rows");
        for row in rows {
            match row {
                Ok(row) => faults.push(format!("{what}: {row:?}")),
                Err(error) => faults.push(format!("{what}: {error}")),
            }
        }
    }
    faults
}

/// Returns the single number in the result of a query.
pub(crate) fn query_number(folder: &Path, query: &str) -> i64 {
    open_database(folder)
        .query_row(query, [], |row| row.get(0))
        .unwrap_or_else(|error| panic!("{query}: {error}"))
}

/// Returns the texts in the first column of a query.
pub(crate) fn query_texts(folder: &Path, query: &str) -> Vec<String> {
    let connection = open_database(folder);
    let mut statement = connection.prepare(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a text")).collect()
}

fn open_database(folder: &Path) -> Connection {
    let connection =
        Connection::open_with_flags(folder.join(DATABASE_FILE_NAME), OpenFlags::SQLITE_OPEN_READ_WRITE);
    connection.expect("the database")
}

/// Counts the checks of the completed pay period [`OLD`] in the database.
pub(crate) fn count_old_checks(folder: &Path) -> i64 {
    query_number(folder, &format!("SELECT count(*) FROM checks WHERE pay_period_id = '{OLD}'"))
}
