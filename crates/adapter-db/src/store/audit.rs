//! Reading the audit trail, newest first; its rows are written by `trail.rs`.

use async_trait::async_trait;
use payroll_domain::audit::AuditedKind;
use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::audit::{AuditPage, AuditQuery, AuditStore};

use super::{Conn, Store, findable};
use crate::connections::on_connection;
use crate::error::Outcome;
use crate::fixed::{self, Bind, binds, command, sql};
use crate::rows::trail::StoredAuditRow;
use crate::table::Table;

/// Rows that one request looks at, whether they are given or not.
macro_rules! looked_at {
    () => {
        "10000"
    };
    (all but one) => {
        "9999"
    };
}

/// The rows before the position $1, from the instant $2 on and before $3, with $4 in what an index leads to.
/// Where the trail is read from its newest row, $1 is greater than every position, and there is no row to
/// look up. After a row that is not there, nothing is found: $1 as an instant is long ago.
macro_rules! older {
    (of all) => {
        older!(" AND CAST($4 AS TEXT) IS NULL")
    };
    (of company) => {
        older!(" AND company_id = $4")
    };
    (of resource) => {
        older!(" AND resource_id = $4")
    };
    ($whose:expr) => {
        concat!(
            " FROM audit WHERE (at, position) < \
                (coalesce((SELECT at FROM audit WHERE position = $1), $1), $1) AND at >= $2 AND at < $3",
            $whose,
            " ORDER BY at DESC, position DESC"
        )
    };
}

/// Of the rows that are looked at those of the company $5, the kind $6 and the resource $7, at
/// most $8.
macro_rules! rows {
    ($of:tt $whom:tt) => {
        sql![
            "SELECT ",
            StoredAuditRow::COLUMNS,
            " FROM (SELECT *",
            older!($of $whom),
            " LIMIT ",
            looked_at!(),
            ") looked WHERE (CAST($5 AS TEXT) IS NULL OR company_id = $5) \
                AND (CAST($6 AS TEXT) IS NULL OR kind = $6) \
                AND (CAST($7 AS TEXT) IS NULL OR resource_id = $7) \
            ORDER BY at DESC, position DESC LIMIT CAST($8 AS BIGINT)"
        ]
    };
}

/// The last row that is looked at, when there are more than one request looks at.
macro_rules! last_looked_at {
    ($of:tt $whom:tt) => {
        concat!("SELECT position", older!($of $whom), " LIMIT 1 OFFSET ", looked_at!(all but one))
    };
}

#[async_trait]
impl AuditStore for Store {
    async fn audit(&self, query: &AuditQuery) -> Result<AuditPage, StoreError> {
        let mut query = query.clone();
        query.resource_id = query.resource_id.as_deref().map(findable);
        Ok(on_connection!(self.read, |conn| page(conn, &query))?)
    }

    async fn forget_audit(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        Ok(on_connection!(self.write, |conn| forget(conn, before, limit))?)
    }
}

async fn page(conn: &Conn, query: &AuditQuery) -> Outcome<AuditPage> {
    let company_id = query.company_id.as_ref().map(|id| id.as_str());
    let resource_id = query.resource_id.as_deref();
    // The most selective filter leads: a resource has few rows, a company many.
    let (rows, last, leads) = match (resource_id, company_id) {
        (Some(_), _) => (rows!(of resource), last_looked_at!(of resource), resource_id),
        (None, Some(_)) => (rows!(of company), last_looked_at!(of company), company_id),
        (None, None) => (rows!(of all), last_looked_at!(of all), None),
    };
    let from = query.from.map_or(i64::MIN, Timestamp::as_micros);
    let until = query.until.map_or(i64::MAX, Timestamp::as_micros);
    let where_from: [Bind<'_>; 4] = binds![query.before.unwrap_or(i64::MAX), from, until, leads];
    let kind = query.kind.map(AuditedKind::as_str);
    let wanted = binds![company_id, kind, resource_id, i64::from(query.limit.get())];
    let rows: Vec<StoredAuditRow> =
        conn.rows(fixed::query(rows, where_from.clone().into_iter().chain(wanted))).await?;
    let limit = usize::try_from(query.limit.get()).unwrap_or(usize::MAX);
    let next = match rows.last() {
        Some(last) if rows.len() >= limit => Some(last.position),
        // In the same snapshot. A full page needs no such walk over all that one request may look at.
        _ => conn.row::<(i64,)>(fixed::query(last, where_from)).await?.map(|(position,)| position),
    };
    let rows = rows.into_iter().map(StoredAuditRow::audit_row).collect::<Outcome<Vec<_>>>()?;
    Ok(AuditPage { rows, next })
}

async fn forget(conn: &Conn, before: Timestamp, limit: u32) -> Outcome<u64> {
    const FORGET: &str = "DELETE FROM audit WHERE position IN (\
        SELECT position FROM audit WHERE at < $1 ORDER BY at, position LIMIT CAST($2 AS BIGINT))";
    let forgotten = conn.execute(command!(FORGET, binds![before.as_micros(), i64::from(limit)])).await?;
    Ok(u64::try_from(forgotten).unwrap_or(u64::MAX))
}
