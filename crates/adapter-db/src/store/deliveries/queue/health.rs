//! Updates the health of hooks after attempts.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use payroll_domain::delivery::{AttemptCause, HealthStep, NextStep};
use payroll_domain::hook::Hook;
use payroll_ports::deliveries::{AttemptRecord, HookHealthChange, HookNumber};
use payroll_ports::write::AuditContext;

use super::super::super::audit_log::AuditLog;
use super::super::super::{Conn, hooks};
use crate::error::Outcome;
use crate::rows::hooks::HookRow;
use crate::seal::Sealer;
use crate::statement::{Statement, binds, command, query, sql};
use crate::table::TableDefinition;

/// The name under which the audit log shows the server's own actions.
const AUDIT_ACTOR: &str = "webhooks";

/// Stores the changed health of hooks, and counts the notifications that expire.
pub(super) async fn record_hook_health(
    conn: &Conn,
    outcomes: &[HookHealthChange],
    attempts: &[&AttemptRecord],
    sealer: &Sealer,
) -> Outcome<()> {
    let changes = outcomes.iter().filter_map(update_statement).chain(count_expired_statements(attempts));
    try_join_all(changes.map(|change| conn.execute(change))).await?;
    for outcome in outcomes.iter().filter(|outcome| outcome.step == HealthStep::Disable) {
        disable_hook(conn, outcome, sealer).await?;
    }
    Ok(())
}

fn update_statement(outcome: &HookHealthChange) -> Option<Statement<'static>> {
    const ADD_FAILURES: &str = "UPDATE hooks SET failures = failures + $1 WHERE hook = $2";
    const MARK_AS_RECOVERED: &str =
        "UPDATE hooks SET failing_since = NULL, failures = 0, warned = FALSE WHERE hook = $1";
    const MARK_AS_FAILING: &str = "UPDATE hooks SET failing_since = coalesce(failing_since, $1), \
        failures = failures + $2 WHERE hook = $3";
    // Another process may have recorded a success in the meantime. The hook is then no longer failing, and
    // `warned` stays false.
    const MARK_AS_WARNED: &str = "UPDATE hooks SET warned = (failing_since IS NOT NULL), \
        failures = failures + $1 WHERE hook = $2";
    let (hook, failures) = (outcome.hook.0, i64::from(outcome.failures));
    match outcome.step {
        HealthStep::Same | HealthStep::Disable if failures == 0 => None,
        HealthStep::Same | HealthStep::Disable => Some(command!(ADD_FAILURES, binds![failures, hook])),
        HealthStep::Recovered => Some(command!(MARK_AS_RECOVERED, binds![hook])),
        HealthStep::Failing => {
            Some(command!(MARK_AS_FAILING, binds![outcome.changed_at.as_micros(), failures, hook]))
        }
        HealthStep::Warn => Some(command!(MARK_AS_WARNED, binds![failures, hook])),
    }
}

/// Returns the statements that count, for each hook, the notifications that expire after these attempts.
/// Test calls do not count.
fn count_expired_statements(attempts: &[&AttemptRecord]) -> impl Iterator<Item = Statement<'static>> {
    const ADD_EXPIRED: &str = "UPDATE hooks SET expired = expired + $1 WHERE hook = $2";
    let mut by_hook: BTreeMap<HookNumber, i64> = BTreeMap::new();
    for attempted in attempts {
        if attempted.next_step == NextStep::GivenUp && attempted.attempt.cause != AttemptCause::Test {
            *by_hook.entry(attempted.id.hook).or_default() += 1;
        }
    }
    by_hook.into_iter().map(|(hook, count)| command!(ADD_EXPIRED, binds![count, hook.0]))
}

/// Disables a hook, unless an attempt succeeded or the hook was enabled in the meantime. For a disabled hook,
/// deliveries are still queued but not sent.
async fn disable_hook(conn: &Conn, outcome: &HookHealthChange, sealer: &Sealer) -> Outcome<()> {
    const DISABLE_HOOK: &str = sql![
        "UPDATE hooks SET active = FALSE, disabled = $1, version = version + 1 \
            WHERE hook = $2 AND active AND failing_since IS NOT NULL RETURNING ",
        HookRow::COLUMNS
    ];
    let values = binds![outcome.changed_at.as_micros(), outcome.hook.0];
    let row: Option<HookRow> = conn.query_row(query!(DISABLE_HOOK, values)).await?;
    let Some(row) = row else { return Ok(()) };
    let after = row.to_hook()?;
    let before = Hook { active: true, version: after.version - 1, ..after.clone() };
    let audit = AuditContext::for_server_component(AUDIT_ACTOR, outcome.changed_at);
    let mut audit_log = AuditLog::new(&audit, sealer);
    hooks::record_hook_change(&mut audit_log, Some(&before), Some(&after));
    audit_log.store_records(conn).await
}
