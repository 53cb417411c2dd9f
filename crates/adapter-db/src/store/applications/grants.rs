//! Changes the grants of an application.

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::application::Grant;
use payroll_domain::audit::AuditedKind;
use payroll_domain::document;
use payroll_domain::event::{EventDomain, FiredEvent, find_grant_event_action};
use payroll_domain::id::{ApplicationId, CompanyId};
use payroll_ports::applications::{ApplicationRefusal, ExpectedGrant, GrantUpdate};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::{Conn, dialect, idempotency, withdrawal};
use super::locking::{RefusalResult, lock_application, write_audit_log};
use super::read;
use crate::error::Outcome;
use crate::seal::Sealer;
use crate::statement::{binds, command, query};

type StoredGrant = Option<Versioned<Grant>>;

/// Changes the scopes of an application for a company. The application's row is locked first, so that the
/// second of two concurrent changes sees the result of the first.
pub(in super::super) async fn change_grant(
    conn: &Conn,
    call: &GrantUpdate,
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<StoredGrant>> {
    if lock_application(conn, &call.application_id).await?.is_none() {
        return Ok(Err(ApplicationRefusal::UnknownApplication));
    }
    if !company_exists(conn, &call.company_id).await? {
        return Ok(Err(ApplicationRefusal::UnknownCompany));
    }
    let stored_grant = read::read_grant(conn, call.application_id.as_str(), call.company_id.as_str()).await?;
    if let Err(refusal) = check_version(call.expected, stored_grant.as_ref()) {
        return Ok(Err(refusal));
    }
    let before = stored_grant.as_ref().map_or(Scopes::NONE, |held| held.value.scopes);
    let after = call.change.apply_to(before);
    if before == after {
        idempotency::store_response(conn, audit.response_record.as_ref()).await?;
        return Ok(Ok(stored_grant));
    }
    let version = stored_grant.map_or(audit.now.as_micros(), |held| held.version + 1);
    let granted = store_grant(conn, call, (before, after), version).await?;
    let mut audit_log = AuditLog::new(audit, sealer);
    let about = (&call.application_id, &call.company_id);
    audit_grant(&mut audit_log, about, before, after);
    if !before.difference(after).is_empty() {
        withdrawal::cancel_deliveries(conn, about, after, audit.now).await?;
    }
    write_audit_log(conn, audit_log, audit).await?;
    Ok(Ok(granted))
}

/// Records the audit row and the event for the change of a grant.
pub(super) fn audit_grant(
    audit_log: &mut AuditLog<'_>,
    (application_id, company_id): (&ApplicationId, &CompanyId),
    before: Scopes,
    after: Scopes,
) {
    let Some(action) = find_grant_event_action(before, after) else { return };
    let (application, company) = (application_id.as_str(), company_id.as_str());
    let written = |scopes: Scopes| {
        let grant = Grant { application_id: application_id.clone(), company_id: company_id.clone(), scopes };
        (!scopes.is_empty()).then(|| document::write_grant(&grant))
    };
    let about = AuditedObject { company_id: Some(company), kind: AuditedKind::Grant, id: application };
    audit_log.record_change(about, written(before), written(after));
    let fired =
        FiredEvent { domain: EventDomain::CompanyAccess, action, worker_id: None, pay_period_id: None };
    audit_log.add_event(company, Some(application), &fired);
}

const fn check_version(
    expected: ExpectedGrant,
    stored: Option<&Versioned<Grant>>,
) -> Result<(), ApplicationRefusal> {
    match (expected, stored) {
        (ExpectedGrant::Anything, _)
        | (ExpectedGrant::Nothing, None)
        | (ExpectedGrant::Grant(None), Some(_)) => Ok(()),
        (ExpectedGrant::Grant(_), None) => Err(ApplicationRefusal::UnknownGrant),
        (ExpectedGrant::Grant(Some(version)), Some(held)) if version == held.version => Ok(()),
        (ExpectedGrant::Nothing | ExpectedGrant::Grant(Some(_)), Some(_)) => Err(ApplicationRefusal::Stale),
    }
}

/// Returns whether the company exists. Its row is locked, so that the company remains until the transaction
/// ends.
async fn company_exists(conn: &Conn, company_id: &CompanyId) -> Outcome<bool> {
    const LOCK_COMPANY: &str = concat!(
        "SELECT company_id FROM companies WHERE company_id = $1",
        dialect::lock_rows!("FOR KEY SHARE")
    );
    let company: Option<(String,)> =
        conn.query_row(query!(LOCK_COMPANY, binds![company_id.as_str()])).await?;
    Ok(company.is_some())
}

async fn store_grant(
    conn: &Conn,
    call: &GrantUpdate,
    (before, scopes): (Scopes, Scopes),
    version: i64,
) -> Outcome<StoredGrant> {
    const INSERT_GRANT: &str = "INSERT INTO grants (application_id, company_id, scopes, version, company_created) \
        SELECT CAST($1 AS TEXT), company_id, CAST($2 AS TEXT), CAST($3 AS BIGINT), created \
        FROM companies WHERE company_id = $4 ON CONFLICT (application_id, company_id) \
        DO UPDATE SET scopes = excluded.scopes, version = excluded.version, \
            company_created = excluded.company_created";
    const DELETE_GRANT: &str = "DELETE FROM grants WHERE application_id = $1 AND company_id = $2";
    const INCREMENT_ACCESS_VERSION: &str = "UPDATE applications SET access_version = access_version + 1, \
            readable_companies = readable_companies + $1 WHERE application_id = $2";
    let GrantUpdate { application_id, company_id, .. } = call.clone();
    let (application, company) = (application_id.as_str(), company_id.as_str());
    let readable = |scopes: Scopes| i64::from(scopes.contains(Scope::ReadCompanies));
    conn.execute(command!(
        INCREMENT_ACCESS_VERSION,
        binds![readable(scopes) - readable(before), application]
    ))
    .await?;
    if scopes.is_empty() {
        conn.execute(command!(DELETE_GRANT, binds![application, company])).await?;
        return Ok(None);
    }
    let values = binds![application, scopes.to_string(), version, company];
    conn.execute(command!(INSERT_GRANT, values)).await?;
    Ok(Some(Versioned { value: Grant { application_id, company_id, scopes }, version }))
}
