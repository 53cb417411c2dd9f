//! Changes applications and their secrets.
//!
//! Each change first locks the application's row, which serializes concurrent changes. A change is rejected
//! before anything is written. The transaction of a rejected change is therefore committed without changes.

use payroll_domain::application::{Application, ApplicationSettings, Grant};
use payroll_domain::audit::AuditedKind;
use payroll_domain::document;
use payroll_domain::id::{ApplicationId, SecretId};
use payroll_ports::applications::{ApplicationRefusal, MAX_SECRETS, NewApplication, NewSecret};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::{Conn, dialect, hooks, idempotency};
use super::locking::{RefusalResult, lock_application, write_audit_log};
use super::{grants, read};
use crate::error::Outcome;
use crate::rows::access::{ApplicationRow, SecretRow};
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql};
use crate::table::{OnConflict, TableDefinition};

/// Stores a new application with its first secret.
pub(super) async fn create_application(
    conn: &Conn,
    new: &NewApplication,
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<i64>> {
    let application = new.to_application();
    let row = ApplicationRow::new(&application, new.secret.created);
    let version = row.record_version;
    let secret = SecretRow::new(&new.application_id, &new.secret);
    dialect::bulk_insert(conn, OnConflict::Fail, &[row]).await?;
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_log.record_change(
        audited_application(&new.application_id),
        None,
        Some(document::write_application_settings(&application)),
    );
    audit_secret(&mut audit_log, &new.application_id, &secret, SecretChange::New)?;
    dialect::bulk_insert(conn, OnConflict::Fail, &[secret]).await?;
    write_audit_log(conn, audit_log, audit).await?;
    Ok(Ok(version))
}

/// Sets the settings of an application.
pub(super) async fn change_application(
    conn: &Conn,
    (id, settings, version): (&ApplicationId, &ApplicationSettings, Option<i64>),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<i64>> {
    const UPDATE_APPLICATION: &str = "UPDATE applications SET name = $1, enabled = $2, correlation_ids_last = $3, \
        rate_limit_per_minute = $4, webhook_scopes = $5, \
        record_version = record_version + 1, access_version = access_version + 1 WHERE application_id = $6";
    let stored = match lock_expected_version(conn, id, version).await? {
        Ok(stored) => stored,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if stored.value.settings == *settings {
        idempotency::store_response(conn, audit.response_record.as_ref()).await?;
        return Ok(Ok(stored.version));
    }
    let values = binds![
        &settings.name,
        settings.enabled,
        settings.correlation_ids_last_for_the_pay_period,
        settings.rate_limit_per_minute.map(i64::from),
        settings.webhook_scopes.to_string(),
        id.as_str(),
    ];
    conn.execute(command!(UPDATE_APPLICATION, values)).await?;
    let before = document::write_application_settings(&stored.value);
    let after =
        document::write_application_settings(&Application { settings: settings.clone(), ..stored.value });
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_log.record_change(audited_application(id), Some(before), Some(after));
    write_audit_log(conn, audit_log, audit).await?;
    Ok(Ok(stored.version + 1))
}

/// Deletes an application with its grants, secrets, hooks and stored responses.
pub(super) async fn delete_application(
    conn: &Conn,
    (id, version): (&ApplicationId, Option<i64>),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<()>> {
    const DELETE_APPLICATION: [&str; 5] = [
        "DELETE FROM access_requests WHERE application_id = $1",
        "DELETE FROM grants WHERE application_id = $1",
        "DELETE FROM secrets WHERE application_id = $1",
        // A later application with the same id must not get these stored responses.
        "DELETE FROM idempotency_keys WHERE owner = $1",
        "DELETE FROM applications WHERE application_id = $1",
    ];
    let stored = match lock_expected_version(conn, id, version).await? {
        Ok(stored) => stored,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut audit_log = AuditLog::new(audit, sealer);
    for Versioned { value: Grant { company_id, scopes, .. }, .. } in
        read::read_all_grants(conn, id.as_str()).await?
    {
        grants::audit_grant(&mut audit_log, (id, &company_id), scopes, payroll_domain::access::Scopes::NONE);
    }
    for secret in read::read_secrets(conn, id.as_str()).await? {
        audit_secret(&mut audit_log, id, &secret, SecretChange::Gone)?;
    }
    hooks::remove_hooks_of_application(conn, id, &mut audit_log).await?;
    audit_log.record_change(
        audited_application(id),
        Some(document::write_application_settings(&stored.value)),
        None,
    );
    for statement in DELETE_APPLICATION {
        conn.execute(command(statement, binds![id.as_str()])).await?;
    }
    write_audit_log(conn, audit_log, audit).await?;
    Ok(Ok(()))
}

/// Adds a secret. If the application then has too many secrets, the oldest is deleted.
pub(super) async fn add_secret(
    conn: &Conn,
    (id, secret): (&ApplicationId, &NewSecret),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<()>> {
    // The new secret is excluded from the deletion, because the creation instants of other secrets may be
    // later.
    const DELETE_OLDEST_SECRETS: &str = sql![
        "DELETE FROM secrets WHERE application_id = $1 AND secret_id IN (\
            SELECT secret_id FROM secrets WHERE application_id = $1 AND secret_id <> $2 \
            ORDER BY created DESC, secret_id DESC LIMIT 1000 OFFSET $3) RETURNING ",
        SecretRow::COLUMNS
    ];
    if lock_application(conn, id).await?.is_none() {
        return Ok(Err(ApplicationRefusal::UnknownApplication));
    }
    const SELECT_SAME_SECRET: &str = "SELECT secret_id FROM secrets WHERE application_id = $1 AND hash = $2";
    let row = SecretRow::new(id, secret);
    // Secrets are random, so only a public key can be added twice.
    let same: Option<(String,)> = match row.public_key {
        Some(_) => conn.query_row(query!(SELECT_SAME_SECRET, binds![id.as_str(), row.hash.as_str()])).await?,
        None => None,
    };
    if same.is_some() {
        return Ok(Err(ApplicationRefusal::Taken));
    }
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_secret(&mut audit_log, id, &row, SecretChange::New)?;
    dialect::bulk_insert(conn, OnConflict::Fail, &[row]).await?;
    let max_older_secrets = i64::try_from(MAX_SECRETS - 1).unwrap_or(i64::MAX);
    let values = binds![id.as_str(), secret.secret_id.as_str(), max_older_secrets];
    let dropped: Vec<SecretRow> = conn.query_rows(query!(DELETE_OLDEST_SECRETS, values)).await?;
    for secret in dropped {
        audit_secret(&mut audit_log, id, &secret, SecretChange::Gone)?;
    }
    increment_versions(conn, id).await?;
    write_audit_log(conn, audit_log, audit).await?;
    Ok(Ok(()))
}

/// Deletes a secret of an application.
pub(super) async fn revoke_secret(
    conn: &Conn,
    (id, secret_id): (&ApplicationId, &SecretId),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<()>> {
    const DELETE_SECRET: &str = sql![
        "DELETE FROM secrets WHERE application_id = $1 AND secret_id = $2 RETURNING ",
        SecretRow::COLUMNS
    ];
    if lock_application(conn, id).await?.is_none() {
        return Ok(Err(ApplicationRefusal::UnknownApplication));
    }
    let values = binds![id.as_str(), secret_id.as_str()];
    let dropped: Option<SecretRow> = conn.query_row(query!(DELETE_SECRET, values)).await?;
    let Some(dropped) = dropped else { return Ok(Err(ApplicationRefusal::UnknownSecret)) };
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_secret(&mut audit_log, id, &dropped, SecretChange::Gone)?;
    increment_versions(conn, id).await?;
    write_audit_log(conn, audit_log, audit).await?;
    Ok(Ok(()))
}

async fn lock_expected_version(
    conn: &Conn,
    id: &ApplicationId,
    version: Option<i64>,
) -> Outcome<RefusalResult<Versioned<Application>>> {
    let Some(stored) = lock_application(conn, id).await? else {
        return Ok(Err(ApplicationRefusal::UnknownApplication));
    };
    let stale = version.is_some_and(|version| version != stored.version);
    Ok(if stale { Err(ApplicationRefusal::Stale) } else { Ok(stored) })
}

async fn increment_versions(conn: &Conn, id: &ApplicationId) -> Outcome<()> {
    const INCREMENT_VERSIONS: &str = "UPDATE applications \
        SET record_version = record_version + 1, access_version = access_version + 1 \
        WHERE application_id = $1";
    conn.execute(command!(INCREMENT_VERSIONS, binds![id.as_str()])).await?;
    Ok(())
}

/// The kind of change of a secret, for the audit row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SecretChange {
    New,
    Gone,
}

fn audit_secret(
    audit_log: &mut AuditLog<'_>,
    id: &ApplicationId,
    row: &SecretRow,
    note: SecretChange,
) -> Outcome<()> {
    let secret = row.to_secret()?;
    let document = document::write_secret(id, &secret, None);
    let about = AuditedObject { company_id: None, kind: AuditedKind::Secret, id: secret.secret_id.as_str() };
    match note {
        SecretChange::New => audit_log.record_change(about, None, Some(document)),
        SecretChange::Gone => audit_log.record_change(about, Some(document), None),
    }
    Ok(())
}

fn audited_application(id: &ApplicationId) -> AuditedObject<'_> {
    AuditedObject { company_id: None, kind: AuditedKind::Application, id: id.as_str() }
}
