//! The log of requests. Requests are logged without waiting for the disk and read newest first. Housekeeping
//! deletes old and excess rows.

use std::ops::RangeInclusive;

use async_trait::async_trait;
use futures_util::try_join;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::id::ApplicationId;
use payroll_ports::StoreError;
use payroll_ports::requests::{
    FailedRequest, LoggedRequest, RequestLogSection, RequestPage, RequestQuery, RequestStore,
};

use super::{Conn, Store, access, dialect, remove_nul};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::rows::requests::{RequestDetailsRow, RequestLogRow};
use crate::statement::{binds, command, query, sql};
use crate::table::{OnConflict, TableDefinition};

#[async_trait]
impl RequestStore for Store {
    async fn log_requests(&self, requests: &[LoggedRequest]) -> Result<(), StoreError> {
        if requests.is_empty() {
            return Ok(());
        }
        let rows: Vec<_> = requests.iter().map(RequestLogRow::new).collect();
        let details = requests.iter().filter_map(|request| RequestDetailsRow::new(request, &self.sealer));
        let details: Vec<_> = details.collect();
        run_on_connection!(self.write_without_sync, |conn| insert_requests(conn, &rows, &details))?;
        Ok(())
    }

    async fn requests(
        &self,
        application_id: &ApplicationId,
        query: &RequestQuery,
    ) -> Result<RequestPage, StoreError> {
        let id = application_id.clone();
        Ok(run_on_connection!(self.read, |conn, query| read_request_page(conn, id.as_str(), &query))?)
    }

    async fn requests_of_caller(
        &self,
        caller: &Caller,
        query: &RequestQuery,
    ) -> Result<Guarded<RequestPage>, StoreError> {
        let (caller, query) = (caller.clone(), query.clone());
        let read = self.db.read(move |conn| {
            Box::pin(async move {
                let page = read_request_page(conn, caller.application_id.as_str(), &query);
                let ((access, _), page) = try_join!(access::read_access(conn, &caller, None), page)?;
                Ok(Guarded::new(access, page))
            })
        });
        Ok(read.await?)
    }

    async fn read_failed_request(
        &self,
        application_id: &ApplicationId,
        request_id: &str,
    ) -> Result<Option<FailedRequest>, StoreError> {
        let (id, request_id) = (application_id.clone(), remove_nul(request_id));
        let row = run_on_connection!(self.read, |conn, request_id| read_request_details(
            conn,
            id.as_str(),
            &request_id
        ))?;
        Ok(self.decrypt_details(row)?)
    }

    async fn failed_request_of_caller(
        &self,
        caller: &Caller,
        request_id: &str,
    ) -> Result<Guarded<Option<FailedRequest>>, StoreError> {
        let (caller, request_id) = (caller.clone(), remove_nul(request_id));
        let read = self.db.read(move |conn| {
            Box::pin(async move {
                let row = read_request_details(conn, caller.application_id.as_str(), &request_id).await?;
                let company_id = row.as_ref().and_then(|row| row.company_id.as_deref());
                let (access, _) = access::read_access(conn, &caller, company_id).await?;
                Ok((access, row))
            })
        });
        let (access, row) = read.await?;
        Ok(Guarded::new(access, self.decrypt_details(row)?))
    }

    async fn delete_requests_before(
        &self,
        part: RequestLogSection,
        before: Timestamp,
        keep: u32,
        limit: u32,
    ) -> Result<u64, StoreError> {
        let part = match part {
            RequestLogSection::Requests => &REQUEST_RETENTION,
            RequestLogSection::Details => &DETAIL_RETENTION,
        };
        // The rows are counted in a read transaction, so that the counting does not block writers.
        let crowded =
            self.db.read(move |conn| Box::pin(find_applications_over_limit(conn, part, keep.into()))).await?;
        Ok(u64::try_from(run_on_connection!(self.write_in_series, |conn| delete_requests_before(
            conn,
            part,
            before,
            &crowded,
            limit.into()
        ))?)
        .unwrap_or(0))
    }
}

impl Store {
    /// Decrypts the details of a request. `None` if the row does not exist, or if no key can decrypt its
    /// details.
    fn decrypt_details(&self, row: Option<RequestDetailsRow>) -> Outcome<Option<FailedRequest>> {
        row.map_or(Ok(None), |row| row.decrypt_failed_request(&self.sealer))
    }
}

/// Adds requests to the request log. Some of the requests have details.
async fn insert_requests(conn: &Conn, rows: &[RequestLogRow], details: &[RequestDetailsRow]) -> Outcome<()> {
    try_join!(
        dialect::bulk_insert(conn, OnConflict::Fail, rows),
        dialect::bulk_insert(conn, OnConflict::Fail, details)
    )?;
    Ok(())
}

/// Reads the details of an application's request. Details from before this application was created belong to
/// a deleted application with the same id, and are skipped.
async fn read_request_details(
    conn: &Conn,
    application_id: &str,
    request_id: &str,
) -> Outcome<Option<RequestDetailsRow>> {
    const SELECT_DETAILS: &str = sql![
        "SELECT ",
        RequestDetailsRow::COLUMNS,
        " FROM request_details WHERE request_id = $1 AND application_id = $2 \
            AND at >= (SELECT created FROM applications WHERE application_id = $2) \
        ORDER BY position DESC LIMIT 1"
    ];
    conn.query_row(query!(SELECT_DETAILS, binds![request_id, application_id])).await
}

/// Reads a page of an application's requests. Housekeeping limits the number of rows of each application, so
/// a filter may scan all of them. Rows from before this application was created belong to a deleted
/// application with the same id, and are skipped.
async fn read_request_page(conn: &Conn, application_id: &str, query: &RequestQuery) -> Outcome<RequestPage> {
    const SELECT_REQUESTS: &str = sql![
        "SELECT position, ",
        RequestLogRow::COLUMNS,
        " FROM requests WHERE application_id = $1 AND position < $2 AND status >= $3 AND status <= $4 \
            AND at >= $5 AND at < $6 \
            AND at >= (SELECT created FROM applications WHERE application_id = $1) \
        ORDER BY position DESC LIMIT CAST($7 AS BIGINT)"
    ];
    let (lowest, highest) = query.status.clone().map_or((0, u16::MAX), RangeInclusive::into_inner);
    let values = binds![
        application_id,
        query.before.unwrap_or(i64::MAX),
        i64::from(lowest),
        i64::from(highest),
        query.from.map_or(i64::MIN, Timestamp::as_micros),
        query.to.map_or(i64::MAX, Timestamp::as_micros),
        i64::from(query.limit.get()),
    ];
    let rows = query!(SELECT_REQUESTS, values);
    let ((), rows): ((), Vec<(i64, RequestLogRow)>) =
        try_join!(dialect::prefer_index_scans(conn), conn.query_rows(rows))?;
    let full = rows.len() >= usize::try_from(query.limit.get()).unwrap_or(usize::MAX);
    let next = rows.last().filter(|_| full).map(|(position, _)| *position);
    let requests = rows.into_iter().map(|(_, row)| row.into_request()).collect::<Outcome<_>>()?;
    Ok(RequestPage { requests, next_cursor: next })
}

/// The statements that delete old and excess rows of one table of the log.
struct RetentionRule {
    /// Finds the applications with more rows than the limit, each with the newest row to delete. The query
    /// steps through the index from application to application.
    find_over_limit: &'static str,
    /// Deletes the rows that are older than a given instant.
    delete_expired: &'static str,
    /// Deletes the oldest rows of one application that exceed the limit.
    delete_over_limit: &'static str,
}

macro_rules! retention_rule {
    ($table:literal) => {
        RetentionRule {
            find_over_limit: concat!(
                "WITH RECURSIVE found (id) AS (SELECT min(application_id) FROM ",
                $table,
                " UNION ALL SELECT (SELECT min(r.application_id) FROM ",
                $table,
                " r WHERE r.application_id > found.id) FROM found WHERE found.id IS NOT NULL) \
                SELECT id, last FROM (SELECT id, (SELECT r.position FROM ",
                $table,
                " r WHERE r.application_id = id ORDER BY r.position DESC LIMIT 1 OFFSET CAST($1 AS BIGINT)) \
                AS last FROM found WHERE id IS NOT NULL) each WHERE last IS NOT NULL LIMIT 100"
            ),
            delete_expired: concat!(
                "DELETE FROM ",
                $table,
                " WHERE position IN (SELECT position FROM ",
                $table,
                " WHERE at < $1 ORDER BY at LIMIT CAST($2 AS BIGINT))"
            ),
            delete_over_limit: concat!(
                "DELETE FROM ",
                $table,
                " WHERE position IN (SELECT position FROM ",
                $table,
                " WHERE application_id = $1 AND position <= $2 ORDER BY position LIMIT CAST($3 AS BIGINT))"
            ),
        }
    };
}

const REQUEST_RETENTION: RetentionRule = retention_rule!("requests");
const DETAIL_RETENTION: RetentionRule = retention_rule!("request_details");

/// Finds the applications with more rows than the limit, each with the newest row to delete.
async fn find_applications_over_limit(
    conn: &Conn,
    part: &RetentionRule,
    keep: i64,
) -> Outcome<Vec<(String, i64)>> {
    let ((), crowded) = try_join!(
        dialect::prefer_index_scans(conn),
        conn.query_rows(query(part.find_over_limit, binds![keep]))
    )?;
    Ok(crowded)
}

/// Deletes rows that are too old, then rows that exceed the limit.
async fn delete_requests_before(
    conn: &Conn,
    part: &RetentionRule,
    before: Timestamp,
    crowded: &[(String, i64)],
    limit: i64,
) -> Outcome<i64> {
    dialect::prefer_index_scans(conn).await?;
    let mut forgotten =
        to_i64(conn.execute(command(part.delete_expired, binds![before.as_micros(), limit])).await?);
    for (application_id, last) in crowded {
        if forgotten >= limit {
            break;
        }
        let values = binds![application_id, *last, limit - forgotten];
        forgotten += to_i64(conn.execute(command(part.delete_over_limit, values)).await?);
    }
    Ok(forgotten)
}

fn to_i64(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
