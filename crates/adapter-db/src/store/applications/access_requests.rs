//! Access requests of applications, and the decisions about them.
//!
//! A change first locks the row of the application, as a change of grants does. Since all changes acquire
//! their locks in the same order, deadlocks are impossible.

use async_trait::async_trait;
use futures_util::try_join;
use payroll_domain::access::{Caller, Guarded, Scopes};
use payroll_domain::application::{AccessRequest, Grant, GrantChange};
use payroll_domain::audit::AuditedKind;
use payroll_domain::date::Timestamp;
use payroll_domain::document;
use payroll_ports::StoreError;
use payroll_ports::access_requests::{
    AccessRefusal, AccessRequestKey, AccessRequestStore, NamedCompany, NewAccessRequest,
};
use payroll_ports::applications::{ExpectedGrant, GrantUpdate};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::{Conn, Store, access, dialect, idempotency, remove_nul};
use super::{change_grant, lock_application};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::RowLocation;
use crate::rows::access::{parse_scopes, to_hex};
use crate::rows::access_requests::{AccessRequestRow, NamedAccessRequestRow};
use crate::seal::Sealer;
use crate::statement::{BindValue, binds, command, query, sql};
use crate::table::OnConflict;

type RefusalResult<T> = Result<T, AccessRefusal>;

/// Reads the requests that have not expired at the instant $1, with the names of their applications and
/// companies.
const SELECT_NAMED_REQUESTS: &str = "SELECT r.access_request_id, r.application_id, a.name, r.company_id, c.display_id, c.legal_name, \
        r.scopes, r.created, r.expires FROM access_requests r \
    JOIN applications a ON a.application_id = r.application_id \
    JOIN companies c ON c.company_id = r.company_id WHERE r.expires > $1";

#[async_trait]
impl AccessRequestStore for Store {
    async fn find_named_companies(
        &self,
        caller: &Caller,
        display_key: &str,
    ) -> Result<Guarded<Vec<NamedCompany>>, StoreError> {
        let (caller, key) = (caller.clone(), remove_nul(display_key));
        let read = self.db.read(move |conn| {
            Box::pin(async move {
                let named = find_companies_by_display_key(conn, caller.application_id.as_str(), &key);
                let ((access, _), named) = try_join!(access::read_access(conn, &caller, None), named)?;
                Ok(Guarded::new(access, named))
            })
        });
        Ok(read.await?)
    }

    async fn request_access(
        &self,
        new: &NewAccessRequest,
        max_pending: u32,
        audit: &AuditContext,
    ) -> Result<RefusalResult<()>, StoreError> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, new, audit, sealer| store_request(
            conn,
            &new,
            max_pending,
            (&audit, &sealer)
        )))
    }

    async fn access_requests(&self, now: Timestamp) -> Result<Vec<AccessRequest>, StoreError> {
        const SELECT_ALL_REQUESTS: &str =
            sql![SELECT_NAMED_REQUESTS, " ORDER BY r.created, r.access_request_id"];
        let read = self.db.read(move |conn| {
            Box::pin(async move {
                conn.query_rows::<NamedAccessRequestRow>(query!(SELECT_ALL_REQUESTS, binds![now.as_micros()]))
                    .await
            })
        });
        Ok(read.await?.into_iter().map(NamedAccessRequestRow::into_request).collect::<Outcome<_>>()?)
    }

    async fn access_request(
        &self,
        key: &AccessRequestKey,
        now: Timestamp,
    ) -> Result<Option<AccessRequest>, StoreError> {
        Ok(run_on_connection!(self.query_once, |conn, key| read_request(conn, &key, now))?)
    }

    async fn approve_access(
        &self,
        key: &AccessRequestKey,
        scopes: Scopes,
        audit: &AuditContext,
    ) -> Result<RefusalResult<Versioned<Grant>>, StoreError> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, key, audit, sealer| approve_request(
            conn,
            &key,
            scopes,
            (&audit, &sealer)
        )))
    }

    async fn reject_access(
        &self,
        key: &AccessRequestKey,
        audit: &AuditContext,
    ) -> Result<RefusalResult<()>, StoreError> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, key, audit, sealer| reject_request(
            conn,
            &key,
            (&audit, &sealer)
        )))
    }

    async fn delete_expired_access_requests(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        const DELETE_EXPIRED_REQUESTS: &str = "DELETE FROM access_requests WHERE access_request_id IN (\
            SELECT access_request_id FROM access_requests WHERE expires <= $1 \
            ORDER BY expires LIMIT CAST($2 AS BIGINT))";
        Ok(u64::try_from(run_on_connection!(self.write, |conn| conn
            .execute(command!(DELETE_EXPIRED_REQUESTS, binds![now.as_micros(), i64::from(limit)])))?)
        .unwrap_or(u64::MAX))
    }
}

/// Converts the failure for a lost idempotency record to a refusal, which the caller can handle.
fn to_port_result<T>(written: Outcome<RefusalResult<T>>) -> Result<RefusalResult<T>, StoreError> {
    match written {
        Err(Failure::RecordLost) => Ok(Err(AccessRefusal::RecordLost)),
        other => Ok(other?),
    }
}

/// Returns the companies with this display key, at most two.
async fn find_companies_by_display_key(
    conn: &Conn,
    application_id: &str,
    key: &str,
) -> Outcome<Vec<NamedCompany>> {
    const SELECT_NAMED_COMPANIES: &str = "SELECT c.company_id, c.end_date, g.scopes FROM companies c \
        LEFT JOIN grants g ON g.company_id = c.company_id AND g.application_id = $1 \
        WHERE c.display_key = $2 ORDER BY c.company_id LIMIT 2";
    let rows: Vec<(String, Option<time::Date>, Option<String>)> =
        conn.query_rows(query!(SELECT_NAMED_COMPANIES, binds![application_id, key])).await?;
    let named = |(company_id, end_date, granted): (String, _, Option<String>)| {
        Ok(NamedCompany {
            company_id: RowLocation { table: "companies", key: &company_id }.parse_id(&company_id)?,
            end_date,
            granted_scopes: parse_scopes(granted.as_deref().unwrap_or_default(), application_id)?,
        })
    };
    rows.into_iter().map(named).collect()
}

/// Reads one access request, unless it has expired.
async fn read_request(conn: &Conn, key: &AccessRequestKey, now: Timestamp) -> Outcome<Option<AccessRequest>> {
    const SELECT_REQUEST_BY_LINK: &str = sql![SELECT_NAMED_REQUESTS, " AND r.hash = $2"];
    const SELECT_REQUEST_BY_ID: &str = sql![SELECT_NAMED_REQUESTS, " AND r.access_request_id = $2"];
    let (sql, value): (_, BindValue<'_>) = match key {
        AccessRequestKey::Link(hash) => (SELECT_REQUEST_BY_LINK, to_hex(&hash.0).into()),
        AccessRequestKey::Id(id) => (SELECT_REQUEST_BY_ID, id.as_str().into()),
    };
    let row = query(sql, [now.as_micros().into(), value]);
    conn.query_row::<NamedAccessRequestRow>(row).await?.map(NamedAccessRequestRow::into_request).transpose()
}

/// Stores a request, which replaces the previous request of the application for the same company.
async fn store_request(
    conn: &Conn,
    new: &NewAccessRequest,
    max_pending: u32,
    (audit, sealer): (&AuditContext, &Sealer),
) -> Outcome<RefusalResult<()>> {
    const COUNT_OTHER_REQUESTS: &str = "SELECT count(*) FROM access_requests WHERE application_id = $1 AND company_id <> $2 AND expires > $3";
    const SELECT_GRANTED_SCOPES: &str =
        "SELECT scopes FROM grants WHERE application_id = $1 AND company_id = $2";
    const SELECT_PREVIOUS_REQUEST: &str =
        sql![SELECT_NAMED_REQUESTS, " AND r.application_id = $2 AND r.company_id = $3"];
    const DELETE_PREVIOUS_REQUEST: &str =
        "DELETE FROM access_requests WHERE application_id = $1 AND company_id = $2";
    if lock_application(conn, &new.application_id).await?.is_none() {
        return Ok(Err(AccessRefusal::Unknown));
    }
    let (application, company) = (new.application_id.as_str(), new.company_id.as_str());
    let granted: Option<(String,)> =
        conn.query_row(query!(SELECT_GRANTED_SCOPES, binds![application, company])).await?;
    let granted = parse_scopes(granted.map(|(words,)| words).as_deref().unwrap_or_default(), application)?;
    if new.scopes.difference(granted).is_empty() {
        return Ok(Err(AccessRefusal::Granted));
    }
    let values = binds![application, company, audit.now.as_micros()];
    let others: Option<(i64,)> = conn.query_row(query!(COUNT_OTHER_REQUESTS, values)).await?;
    if others.is_some_and(|(others,)| others >= i64::from(max_pending)) {
        return Ok(Err(AccessRefusal::TooMany));
    }
    let before: Option<NamedAccessRequestRow> = conn
        .query_row(query!(SELECT_PREVIOUS_REQUEST, binds![audit.now.as_micros(), application, company]))
        .await?;
    let before = before.map(NamedAccessRequestRow::into_request).transpose()?;
    conn.execute(command!(DELETE_PREVIOUS_REQUEST, binds![application, company])).await?;
    dialect::bulk_insert(conn, OnConflict::Fail, &[AccessRequestRow::new(new, audit.now)]).await?;
    let key = AccessRequestKey::Id(new.access_request_id.clone());
    let Some(stored) = read_request(conn, &key, audit.now).await? else {
        return Err(Failure::Bug("a request that was stored is not there".to_owned()));
    };
    let mut audit_log = AuditLog::new(audit, sealer);
    if let Some(before) = &before {
        audit_request(&mut audit_log, before, RequestDecision::Gone);
    }
    audit_request(&mut audit_log, &stored, RequestDecision::New);
    audit_log.store_records(conn).await?;
    idempotency::store_response(conn, audit.response_record.as_ref()).await?;
    Ok(Ok(()))
}

/// Removes an access request that was approved or rejected. If two operators decide at the same time, the
/// second decision finds no request.
async fn delete_decided_request(
    conn: &Conn,
    key: &AccessRequestKey,
    now: Timestamp,
) -> Outcome<Option<AccessRequest>> {
    const DELETE_REQUEST: &str = "DELETE FROM access_requests WHERE access_request_id = $1";
    let Some(seen) = read_request(conn, key, now).await? else { return Ok(None) };
    if lock_application(conn, &seen.application_id).await?.is_none() {
        return Ok(None);
    }
    let deleted_rows =
        conn.execute(command!(DELETE_REQUEST, binds![seen.access_request_id.as_str()])).await?;
    Ok((deleted_rows > 0).then_some(seen))
}

async fn approve_request(
    conn: &Conn,
    key: &AccessRequestKey,
    scopes: Scopes,
    (audit, sealer): (&AuditContext, &Sealer),
) -> Outcome<RefusalResult<Versioned<Grant>>> {
    let Some(request) = delete_decided_request(conn, key, audit.now).await? else {
        return Ok(Err(AccessRefusal::Unknown));
    };
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_request(&mut audit_log, &request, RequestDecision::Gone);
    audit_log.store_records(conn).await?;
    let call = GrantUpdate {
        application_id: request.application_id,
        company_id: request.company_id,
        change: GrantChange::Add(scopes),
        expected: ExpectedGrant::Anything,
    };
    match change_grant(conn, &call, audit, sealer).await? {
        Ok(Some(granted)) => Ok(Ok(granted)),
        Ok(None) => Err(Failure::Bug("scopes make a grant".to_owned())),
        // The complete decision is rolled back. If the caller retries, the server reports that the access
        // request no longer exists.
        Err(refusal) => Err(Failure::Unavailable(format!("it was removed in the meantime: {refusal:?}"))),
    }
}

async fn reject_request(
    conn: &Conn,
    key: &AccessRequestKey,
    (audit, sealer): (&AuditContext, &Sealer),
) -> Outcome<RefusalResult<()>> {
    let Some(deleted_request) = delete_decided_request(conn, key, audit.now).await? else {
        return Ok(Err(AccessRefusal::Unknown));
    };
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_request(&mut audit_log, &deleted_request, RequestDecision::Gone);
    audit_log.store_records(conn).await?;
    idempotency::store_response(conn, audit.response_record.as_ref()).await?;
    Ok(Ok(()))
}

/// The decision about an access request.
#[derive(Clone, Copy)]
enum RequestDecision {
    New,
    Gone,
}

fn audit_request(audit_log: &mut AuditLog<'_>, request: &AccessRequest, decision: RequestDecision) {
    let about = AuditedObject {
        company_id: Some(request.company_id.as_str()),
        kind: AuditedKind::AccessRequest,
        id: request.access_request_id.as_str(),
    };
    let written = document::write_access_request(request);
    let (before, after) = match decision {
        RequestDecision::New => (None, Some(written)),
        RequestDecision::Gone => (Some(written), None),
    };
    audit_log.record_change(about, before, after);
}
