//! Registers, changes and deletes hooks.
//!
//! A registration locks the application's row, and a change locks the hook's row. These locks serialize
//! concurrent calls. A call is rejected before anything is written, so the commit of its transaction changes
//! nothing.

use futures_util::try_join;
use payroll_domain::audit::AuditedKind;
use payroll_domain::date::Timestamp;
use payroll_domain::document;
use payroll_domain::hook::{DeliveryOptions, Hook, HookChange, HookKey, SigningSecret};
use payroll_ports::hooks::{HookRefusal, MAX_ORDERED_DELIVERIES, NewHook};
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::{Conn, dialect, idempotency};
use crate::error::Outcome;
use crate::rows::hooks::{
    EncryptedColumn, HookRow, NewHookRow, seal_authentication, seal_secret, to_stored_domains,
};
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql};
use crate::table::{OnConflict, TableDefinition};

/// The result of a change, or the reason for rejecting it.
pub(super) type RefusalResult<T> = Result<T, HookRefusal>;

/// Stores a new hook.
pub(super) async fn add_hook(
    conn: &Conn,
    (new, max_hooks): (&NewHook, u32),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<()>> {
    if let Err(refusal) = check_registration(conn, &new.hook, max_hooks).await? {
        return Ok(Err(refusal));
    }
    let Hook { key, company_id, address, domains, auth_type, active, delivery, created, version } = &new.hook;
    let row = NewHookRow {
        application_id: key.application_id.to_string(),
        hook_id: key.hook_id.to_string(),
        company_id: company_id.as_ref().map(ToString::to_string),
        uri: address.as_str().to_owned(),
        domains: to_stored_domains(domains),
        auth_type: auth_type.as_str().to_owned(),
        authentication: seal_authentication(&new.authentication, key, sealer),
        signing_secret: seal_secret(&new.signing_secret, EncryptedColumn::SigningSecret, key, sealer),
        created: created.as_micros(),
        active: *active,
        ordered: delivery.ordered,
        max_attempts: delivery.max_attempts.map(i64::from),
        max_per_second: delivery.max_per_second.map(i64::from),
        disabled: (!active).then_some(audit.now.as_micros()),
        version: *version,
    };
    dialect::bulk_insert(conn, OnConflict::Fail, &[row]).await?;
    audit_hook(conn, None, Some(&new.hook), audit, sealer).await?;
    Ok(Ok(()))
}

/// Validates a registration. The application's row is locked until the transaction ends. The grants and the
/// number of hooks of the application cannot change until then, because these changes lock the same row.
async fn check_registration(conn: &Conn, hook: &Hook, max_hooks: u32) -> Outcome<RefusalResult<()>> {
    const LOCK_APPLICATION: &str = concat!(
        "SELECT application_id FROM applications WHERE application_id = $1",
        dialect::lock_rows!("FOR NO KEY UPDATE")
    );
    const COUNT_HOOKS: &str =
        "SELECT count(*), count(CASE WHEN hook_id = $1 THEN 1 END) FROM hooks WHERE application_id = $2";
    const SELECT_GRANTED_SCOPES: &str =
        "SELECT scopes FROM grants WHERE application_id = $1 AND company_id = $2";
    let application_id = hook.key.application_id.as_str();
    let company_id = hook.company_id.as_ref().map(|id| id.as_str());
    let (held, hooks, granted) = try_join!(
        conn.query_row::<(String,)>(query!(LOCK_APPLICATION, binds![application_id])),
        conn.query_row::<(i64, i64)>(query!(COUNT_HOOKS, binds![hook.key.hook_id.as_str(), application_id])),
        conn.query_row::<(String,)>(query!(SELECT_GRANTED_SCOPES, binds![application_id, company_id])),
    )?;
    let (hooks, of_that_id) = hooks.unwrap_or_default();
    Ok(if held.is_none() {
        Err(HookRefusal::UnknownApplication)
    } else if company_id.is_some() && granted.is_none() {
        Err(HookRefusal::NoGrant)
    } else if of_that_id > 0 {
        Err(HookRefusal::Taken)
    } else if hooks >= i64::from(max_hooks) {
        Err(HookRefusal::TooMany)
    } else {
        Ok(())
    })
}

/// Changes the settings of a hook.
pub(super) async fn change_hook(
    conn: &Conn,
    (key, change, version): (&HookKey, &HookChange, Option<i64>),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<Hook>> {
    const UPDATE_HOOK: &str = "UPDATE hooks SET uri = $1, domains = $2, auth_type = $3, authentication = $4, \
        ordered = $5, max_attempts = $6, max_per_second = $7, version = version + 1 WHERE hook = $8";
    let Some(row) = lock_hook(conn, key).await? else { return Ok(Err(HookRefusal::UnknownHook)) };
    let before = row.to_hook()?;
    if version.is_some_and(|version| version != before.version) {
        return Ok(Err(HookRefusal::Stale));
    }
    let stored = row.decrypt_authentication(sealer)?;
    let authentication = change.authentication.as_ref().unwrap_or(&stored);
    let mut after = Hook {
        address: change.address.clone().unwrap_or_else(|| before.address.clone()),
        domains: change.domains.clone().unwrap_or_else(|| before.domains.clone()),
        auth_type: authentication.auth_type(),
        delivery: change.delivery.iter().copied().fold(before.delivery, DeliveryOptions::with_option),
        ..before.clone()
    };
    if after == before && *authentication == stored {
        idempotency::store_response(conn, audit.response_record.as_ref()).await?;
        return Ok(Ok(before));
    }
    if after.delivery.ordered
        && !before.delivery.ordered
        && !mark_deliveries_as_ordered(conn, row.hook).await?
    {
        return Ok(Err(HookRefusal::Backlog));
    }
    after.version += 1;
    let values = binds![
        after.address.as_str(),
        to_stored_domains(&after.domains),
        after.auth_type.as_str(),
        seal_authentication(authentication, key, sealer),
        after.delivery.ordered,
        after.delivery.max_attempts.map(i64::from),
        after.delivery.max_per_second.map(i64::from),
        row.hook,
    ];
    conn.execute(command!(UPDATE_HOOK, values)).await?;
    audit_hook(conn, Some(&before), Some(&after), audit, sealer).await?;
    Ok(Ok(after))
}

/// Marks the pending deliveries of a hook, so that they are sent in order. Returns `false` if the hook has
/// too many deliveries for one request. Deliveries that another transaction is claiming or recording are
/// locked and are not marked.
async fn mark_deliveries_as_ordered(conn: &Conn, hook: i64) -> Outcome<bool> {
    const COUNT_PENDING_DELIVERIES: &str = "SELECT count(*) FROM (SELECT 1 AS one FROM deliveries \
        WHERE hook = $1 AND due IS NOT NULL ORDER BY due, position LIMIT CAST($2 AS BIGINT)) pending";
    const MARK_DELIVERIES_AS_ORDERED: &str = concat!(
        "UPDATE deliveries SET ordered = TRUE WHERE (hook, position) IN (\
            SELECT hook, position FROM deliveries WHERE hook = $1 AND due IS NOT NULL \
            ORDER BY due, position LIMIT CAST($2 AS BIGINT)",
        dialect::lock_rows!("FOR UPDATE SKIP LOCKED"),
        ")"
    );
    let most = i64::from(MAX_ORDERED_DELIVERIES);
    dialect::prefer_index_scans(conn).await?;
    let pending: Option<(i64,)> =
        conn.query_row(query!(COUNT_PENDING_DELIVERIES, binds![hook, most + 1])).await?;
    if pending.is_some_and(|(pending,)| pending > most) {
        return Ok(false);
    }
    conn.execute(command!(MARK_DELIVERIES_AS_ORDERED, binds![hook, most])).await?;
    Ok(true)
}

/// Removes a hook. From then on, the queued deliveries and log entries of the hook are hidden. Housekeeping
/// deletes these rows in batches.
pub(super) async fn remove_hook(
    conn: &Conn,
    (key, version): (&HookKey, Option<i64>),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<()>> {
    const DELETE_HOOK: &str = "DELETE FROM hooks WHERE hook = $1";
    let Some(row) = lock_hook(conn, key).await? else { return Ok(Err(HookRefusal::UnknownHook)) };
    let before = row.to_hook()?;
    if version.is_some_and(|version| version != before.version) {
        return Ok(Err(HookRefusal::Stale));
    }
    conn.execute(command!(DELETE_HOOK, binds![row.hook])).await?;
    audit_hook(conn, Some(&before), None, audit, sealer).await?;
    Ok(Ok(()))
}

/// Enables or disables a hook. For a disabled hook, deliveries are queued but not sent.
pub(super) async fn set_hook_active(
    conn: &Conn,
    (key, active): (&HookKey, bool),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<Hook>> {
    // Processes that send notifications cache the health of a hook. The new version makes these processes
    // read the health again.
    const ENABLE_HOOK: &str = "UPDATE hooks SET active = TRUE, disabled = NULL, failing_since = NULL, \
        failures = 0, warned = FALSE, version = version + 1 WHERE hook = $1";
    const DISABLE_HOOK: &str =
        "UPDATE hooks SET active = FALSE, disabled = $1, version = version + 1 WHERE hook = $2";
    let Some(row) = lock_hook(conn, key).await? else { return Ok(Err(HookRefusal::UnknownHook)) };
    let before = row.to_hook()?;
    let mut after = Hook { active, ..before.clone() };
    let failing = row.failing_since.is_some() || row.failures > 0 || row.warned;
    if active && (!before.active || failing) {
        after.version += 1;
        conn.execute(command!(ENABLE_HOOK, binds![row.hook])).await?;
    } else if !active && before.active {
        after.version += 1;
        conn.execute(command!(DISABLE_HOOK, binds![audit.now.as_micros(), row.hook])).await?;
    }
    if active {
        make_deliveries_due(conn, row.hook, audit.now).await?;
    }
    if after == before {
        idempotency::store_response(conn, audit.response_record.as_ref()).await?;
    } else {
        audit_hook(conn, Some(&before), Some(&after), audit, sealer).await?;
    }
    Ok(Ok(after))
}

/// Makes deliveries that wait for a retry due immediately. A failing hook usually has only a few such
/// deliveries, because one or two deliveries are tried at a time. The number is limited, so that a request
/// never updates a million rows. The remaining deliveries become due after the retry interval at the latest.
async fn make_deliveries_due(conn: &Conn, hook: i64, now: Timestamp) -> Outcome<()> {
    const MAKE_DELIVERIES_DUE: &str = concat!(
        "UPDATE deliveries SET due = $1 WHERE (hook, position) IN (\
            SELECT hook, position FROM deliveries WHERE hook = $2 AND due > $1 \
            ORDER BY due, position LIMIT 10000",
        // A delivery whose attempt is being recorded is locked and skipped. The process that records the
        // attempt decides when the delivery is due.
        dialect::lock_rows!("FOR UPDATE SKIP LOCKED"),
        ")"
    );
    let values = binds![now.as_micros(), hook];
    try_join!(dialect::prefer_index_scans(conn), conn.execute(command!(MAKE_DELIVERIES_DUE, values)))?;
    conn.wake_sender_on_commit();
    Ok(())
}

/// Gives a hook a new signing secret. The previous secret also signs until it expires.
pub(super) async fn rotate_signing_secret(
    conn: &Conn,
    (key, secret, old_expires_at): (&HookKey, &SigningSecret, Timestamp),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<RefusalResult<Hook>> {
    const ROTATE_SIGNING_SECRET: &str = "UPDATE hooks SET signing_secret = $1, old_signing_secret = $2, \
        old_signing_secret_until = $3, version = version + 1 WHERE hook = $4";
    let Some(row) = lock_hook(conn, key).await? else { return Ok(Err(HookRefusal::UnknownHook)) };
    let values = binds![
        seal_secret(secret, EncryptedColumn::SigningSecret, key, sealer),
        seal_secret(&row.decrypt_current_secret(sealer)?, EncryptedColumn::OldSigningSecret, key, sealer),
        old_expires_at.as_micros(),
        row.hook,
    ];
    conn.execute(command!(ROTATE_SIGNING_SECRET, values)).await?;
    let before = row.to_hook()?;
    let after = Hook { version: before.version + 1, ..before.clone() };
    audit_hook(conn, Some(&before), Some(&after), audit, sealer).await?;
    Ok(Ok(after))
}

/// Locks a hook's row for this transaction. `None` if the hook does not exist.
async fn lock_hook(conn: &Conn, key: &HookKey) -> Outcome<Option<HookRow>> {
    const LOCK_HOOK: &str = sql![
        "SELECT ",
        HookRow::COLUMNS,
        " FROM hooks WHERE application_id = $1 AND hook_id = $2",
        dialect::lock_rows!("FOR UPDATE")
    ];
    conn.query_row(query!(LOCK_HOOK, binds![key.application_id.as_str(), key.hook_id.as_str()])).await
}

/// Removes all hooks of an application that is being deleted, and creates their audit rows.
pub(in super::super) async fn remove_hooks_of_application(
    conn: &Conn,
    application_id: &payroll_domain::id::ApplicationId,
    audit_log: &mut AuditLog<'_>,
) -> Outcome<()> {
    const DELETE_HOOKS_OF_APPLICATION: &str =
        sql!["DELETE FROM hooks WHERE application_id = $1 RETURNING ", HookRow::COLUMNS];
    let mut rows: Vec<HookRow> =
        conn.query_rows(query!(DELETE_HOOKS_OF_APPLICATION, binds![application_id.as_str()])).await?;
    rows.sort_by_key(|row| row.hook);
    for row in rows {
        record_hook_change(audit_log, Some(&row.to_hook()?), None);
    }
    Ok(())
}

/// Ends a change: stores its audit rows, and the response under the request's idempotency key.
async fn audit_hook(
    conn: &Conn,
    before: Option<&Hook>,
    after: Option<&Hook>,
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<()> {
    let mut audit_log = AuditLog::new(audit, sealer);
    record_hook_change(&mut audit_log, before, after);
    audit_log.store_records(conn).await?;
    idempotency::store_response(conn, audit.response_record.as_ref()).await
}

/// Records a change of a hook in the audit log. The id of a hook is only unique together with its
/// application.
pub(in super::super) fn record_hook_change(
    audit_log: &mut AuditLog<'_>,
    before: Option<&Hook>,
    after: Option<&Hook>,
) {
    let Some(hook) = after.or(before) else { return };
    let id = format!("{}/{}", hook.key.application_id, hook.key.hook_id);
    let company_id = hook.company_id.as_ref().map(|id| id.as_str());
    let about = AuditedObject { company_id, kind: AuditedKind::Hook, id: &id };
    audit_log.record_change(
        about,
        before.map(document::write_hook_settings),
        after.map(document::write_hook_settings),
    );
}
