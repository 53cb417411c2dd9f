//! Reads the audit log, newest first. The module `audit_log` writes the rows.

use async_trait::async_trait;
use payroll_domain::audit::AuditedKind;
use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::audit::{AuditPage, AuditQuery, AuditStore};

use super::filters::LogCompanySelection;
use super::{Conn, Store, dialect, remove_nul};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::rows::audit_log::StoredAuditRow;
use crate::statement::{self, BindValue, binds, command, sql};
use crate::table::TableDefinition;

/// Selects the rows that follow the row at position $1 when rows are sorted newest first. Only rows from the
/// instant $2 on and before the instant $3 are selected. The caller appends an indexed condition on $4.
///
/// If no row has the position $1, the comparison uses $1 as the instant. For the first page, $1 is greater
/// than every instant, so all rows are selected. If the row at $1 was deleted, $1 is less than every instant,
/// so no row is selected.
const FROM_AUDIT_BEFORE: &str = " FROM audit WHERE (at, position) < \
    (coalesce((SELECT at FROM audit WHERE position = $1), $1), $1) AND at >= $2 AND at < $3";

/// Orders the rows newest first, and limits the number of rows that one request scans. The limit includes
/// rows that the filter of the request omits.
const NEWEST_FIRST_WITH_LIMIT: &str = " ORDER BY at DESC, position DESC LIMIT 10000";
/// Selects the last of the rows that one request scans. The next page starts after this row.
const LAST_SCANNED_ROW_SQL: &str = " ORDER BY at DESC, position DESC LIMIT 1 OFFSET 9999";

/// Returns two statements for a condition. The first reads at most $8 rows, filtered by the company $5, the
/// kind $6 and the resource $7. If the log has more rows than one request scans, the second reads the
/// position of the last scanned row.
macro_rules! audit_statements {
    ($condition:expr) => {
        [
            sql![
                "SELECT ",
                StoredAuditRow::COLUMNS,
                " FROM (SELECT *",
                FROM_AUDIT_BEFORE,
                $condition,
                NEWEST_FIRST_WITH_LIMIT,
                ") looked WHERE (CAST($5 AS TEXT) IS NULL OR company_id = $5) \
                    AND (CAST($6 AS TEXT) IS NULL OR kind = $6) \
                    AND (CAST($7 AS TEXT) IS NULL OR resource_id = $7) \
                ORDER BY at DESC, position DESC LIMIT CAST($8 AS BIGINT)"
            ],
            sql!["SELECT position", FROM_AUDIT_BEFORE, $condition, LAST_SCANNED_ROW_SQL],
        ]
    };
}

#[async_trait]
impl AuditStore for Store {
    async fn read_audit_log(&self, query: &AuditQuery) -> Result<AuditPage, StoreError> {
        let mut query = query.clone();
        query.resource_id = query.resource_id.as_deref().map(remove_nul);
        Ok(run_on_connection!(self.read, |conn| read_audit_page(conn, &query))?)
    }

    async fn delete_audit_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        Ok(run_on_connection!(self.write, |conn| delete_audit_rows_before(conn, before, limit))?)
    }
}

async fn read_audit_page(conn: &Conn, query: &AuditQuery) -> Outcome<AuditPage> {
    let company_id = query.company_id.as_ref().map(|id| id.as_str());
    let resource_id = query.resource_id.as_deref();
    let companies = LogCompanySelection::new(query.company_id.as_ref(), query.visible_companies.as_deref());
    // A condition on the resource is preferred over a condition on the company, because a resource has fewer
    // rows. If the caller may only see some companies, the condition is the list of these companies. Rows of
    // other companies are then not scanned.
    let ([rows, last], leads): (_, BindValue<'_>) = match (companies, resource_id) {
        (LogCompanySelection::Among(ids), _) => {
            let texts = audit_statements!(concat!(" AND company_id", dialect::equals_any!("$4")));
            (texts, dialect::bind_list(ids.iter().map(|id| id.as_str())))
        }
        (_, Some(id)) => (audit_statements!(" AND resource_id = $4"), BindValue::from(id)),
        (LogCompanySelection::One(id), None) => {
            (audit_statements!(" AND company_id = $4"), BindValue::from(id.as_str()))
        }
        (LogCompanySelection::All, None) => {
            (audit_statements!(" AND CAST($4 AS TEXT) IS NULL"), BindValue::from(None::<String>))
        }
    };
    let from = query.from.map_or(i64::MIN, Timestamp::as_micros);
    let until = query.until.map_or(i64::MAX, Timestamp::as_micros);
    let [before, from, until] = binds![query.before.unwrap_or(i64::MAX), from, until];
    let where_from: [BindValue<'_>; 4] = [before, from, until, leads];
    let kind = query.kind.map(AuditedKind::as_str);
    let filter_values = binds![company_id, kind, resource_id, i64::from(query.limit.get())];
    let rows: Vec<StoredAuditRow> =
        conn.query_rows(statement::query(rows, where_from.clone().into_iter().chain(filter_values))).await?;
    let limit = usize::try_from(query.limit.get()).unwrap_or(usize::MAX);
    let next = match rows.last() {
        Some(last) if rows.len() >= limit => Some(last.position),
        // This query runs in the snapshot of the page. It scans all rows that one request may read, so it is
        // omitted if the page is full.
        _ => conn.query_row::<(i64,)>(statement::query(last, where_from)).await?.map(|(position,)| position),
    };
    let rows = rows.into_iter().map(StoredAuditRow::into_audit_row).collect::<Outcome<Vec<_>>>()?;
    Ok(AuditPage { rows, next_cursor: next })
}

async fn delete_audit_rows_before(conn: &Conn, before: Timestamp, limit: u32) -> Outcome<u64> {
    const DELETE_OLD_ROWS: &str = "DELETE FROM audit WHERE position IN (\
        SELECT position FROM audit WHERE at < $1 ORDER BY at, position LIMIT CAST($2 AS BIGINT))";
    let forgotten =
        conn.execute(command!(DELETE_OLD_ROWS, binds![before.as_micros(), i64::from(limit)])).await?;
    Ok(u64::try_from(forgotten).unwrap_or(u64::MAX))
}
