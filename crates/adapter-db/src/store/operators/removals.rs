//! Removes checks from an open period for an operator: a reversal, a single check, or all checks that
//! operators added. The module `checks::remove` removes checks for applications.

use futures_util::try_join;
use payroll_ports::periods::StateChange;
use payroll_ports::reversals::{OperatorCheckSelection, OperatorRemoval, ReversalOutcome};
use payroll_ports::write::AuditContext;

use super::super::checks::remove::{
    CheckToRemove, MAX_CHECKS_PER_STATEMENT, ORDER_BY_ORDINAL, RemovedCheckCounts, SELECT_CHECK_WHERE,
    SELECT_CHECKS_WHERE, create_audit_log, delete_checks, read_selected_checks, subtract_from_totals,
};
use super::super::periods::locked::lock_open_period;
use super::super::{Conn, idempotency};
use crate::error::Outcome;
use crate::seal::Sealer;
use crate::statement::{BindValue, binds, sql};

/// Removes the checks, if the period is open and the company is not locked.
pub(in super::super) async fn remove_checks_as_operator(
    conn: &Conn,
    removed: &OperatorRemoval,
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<ReversalOutcome> {
    let moved = StateChange {
        company_id: removed.company_id.clone(),
        pay_period_id: removed.pay_period_id.clone(),
        version: removed.version,
        expected_period: None,
        request: None,
    };
    let (_, found) = match lock_open_period(conn, &moved, audit).await? {
        Ok(held) => held,
        Err(refused) => return Ok(refused),
    };
    let checks = read_checks_to_remove(conn, removed).await?;
    if checks.is_empty() {
        return Ok(match removed.selection {
            OperatorCheckSelection::AddedByOperators => {
                idempotency::store_response(conn, audit.response_record.as_ref()).await?;
                ReversalOutcome::Done(found.version())
            }
            OperatorCheckSelection::Reversal(_) | OperatorCheckSelection::One(_) => ReversalOutcome::Unknown,
        });
    }
    let period_key = (removed.company_id.as_str(), removed.pay_period_id.as_str());
    let mut removed_totals = RemovedCheckCounts::default();
    for some in checks.chunks(MAX_CHECKS_PER_STATEMENT) {
        removed_totals.add(&delete_checks(conn, period_key, some).await?)?;
    }
    try_join!(
        subtract_from_totals(conn, period_key, &removed_totals, audit.now),
        idempotency::store_response(conn, audit.response_record.as_ref()),
        create_audit_log(period_key, &checks, audit, sealer).store_records(conn)
    )?;
    Ok(ReversalOutcome::Done(found.version() + 1))
}

async fn read_checks_to_remove(conn: &Conn, removed: &OperatorRemoval) -> Outcome<Vec<CheckToRemove>> {
    let (text, third) = match &removed.selection {
        OperatorCheckSelection::Reversal(id) => {
            (sql![SELECT_CHECK_WHERE, "reversal_of IS NOT NULL"], Some(id))
        }
        OperatorCheckSelection::One(id) => (sql![SELECT_CHECK_WHERE, "TRUE"], Some(id)),
        OperatorCheckSelection::AddedByOperators => {
            (sql![SELECT_CHECKS_WHERE, "application_id = '' AND reversal_of IS NULL", ORDER_BY_ORDINAL], None)
        }
    };
    let mut values: Vec<BindValue<'_>> =
        binds![removed.company_id.as_str(), removed.pay_period_id.as_str()].into();
    values.extend(third.map(|id| BindValue::from(id.as_str())));
    read_selected_checks(conn, text, values).await
}
