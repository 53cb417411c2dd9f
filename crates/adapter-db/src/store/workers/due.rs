//! Reads the future statuses of workers of all companies that are due now.

use payroll_domain::date::Date;
use payroll_ports::workers::DueStatus;

use super::super::Conn;
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::workers::DueStatusRow;
use crate::statement::{binds, query, sql};
use crate::table::TableDefinition;

/// Selects the future statuses that begin on the day $1 or earlier. The result starts after the cursor: the
/// status with the day $2, the company $3 and the worker $4.
pub(crate) const SELECT_DUE_STATUSES: &str = sql![
    "SELECT ",
    DueStatusRow::COLUMNS,
    " FROM due_statuses WHERE due_date <= $1 AND (due_date, company_id, worker_id) > ($2, $3, $4) \
        ORDER BY due_date, company_id, worker_id LIMIT CAST($5 AS BIGINT)"
];

/// Reads the statuses that are due on the given day. Starts with the first status, or after the given status.
pub(super) async fn read_due_statuses(
    conn: &Conn,
    day: Date,
    after: Option<&DueStatus>,
    limit: i64,
) -> Outcome<Vec<DueStatus>> {
    let (from, company_id, worker_id) = match after {
        Some(after) => (after.day, after.company_id.as_str(), after.worker_id.as_str()),
        // No id is empty, so this cursor is before all statuses.
        None => (earliest_storable_day(), "", ""),
    };
    let rows: Vec<DueStatusRow> =
        conn.query_rows(query!(SELECT_DUE_STATUSES, binds![day, from, company_id, worker_id, limit])).await?;
    let due = rows.into_iter().map(|row| {
        let at = RowLocation { table: "due_statuses", key: &row.worker_id };
        Ok(DueStatus {
            day: row.due_date,
            company_id: at.parse_id(&row.company_id)?,
            worker_id: at.parse_id(&row.worker_id)?,
        })
    });
    due.collect()
}

/// Returns a day that is earlier than the day of any status.
fn earliest_storable_day() -> Date {
    payroll_domain::date::Timestamp::from_micros(0).date()
}
