//! Changes the lines of a check in an open period.
//!
//! The transaction locks the same data as a transaction that adds checks. The check is only changed if it is
//! the same as when it was read for the validation. The period's totals change by the difference between the
//! old and the new lines.

use futures_util::join;
use payroll_domain::audit::AuditedKind;
use payroll_domain::check::StoredCheck;
use payroll_domain::money::Amount;
use payroll_ports::StoreError;
use payroll_ports::checks::{CheckChange, CheckChangeOutcome};
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::companies::free::is_active_and_unlocked;
use super::super::periods::totals::{add_to_total, require_total, sum_entered_pay};
use super::super::{Conn, idempotency};
use super::remove::lock_period_if_open;
use crate::error::{Failure, Outcome};
use crate::rows::checks::{CheckRow, CheckRowKey};
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql};
use crate::table::TableDefinition;

/// Converts the outcome of a change. A rejection by the transaction becomes a result and not an error.
pub(in super::super) fn to_change_outcome(outcome: Outcome<i64>) -> Result<CheckChangeOutcome, StoreError> {
    match outcome {
        Ok(version) => Ok(CheckChangeOutcome::Stored(version)),
        Err(Failure::FactsChanged) => Ok(CheckChangeOutcome::FactsChanged),
        Err(Failure::RecordLost) => Ok(CheckChangeOutcome::RecordLost),
        Err(failure) => Err(failure.into()),
    }
}

/// Changes the check and returns the version of its period. If the lines are the same, only the response for
/// the idempotency key is stored.
pub(in super::super) async fn change_check(
    conn: &Conn,
    change: &CheckChange,
    sealer: &Sealer,
) -> Outcome<i64> {
    const SELECT_CHECK: &str =
        sql!["SELECT ", CheckRow::COLUMNS, " FROM checks WHERE paycheck_id = $1 AND company_id = $2"];
    const UPDATE_LINES: &str = "UPDATE checks SET lines = $1 \
        WHERE company_id = $2 AND pay_period_id = $3 AND ordinal = $4";
    let (company_id, before) = (change.company_id.as_str(), &change.before);
    let period_id = &before.check.pay_period_id;
    let (company, period, response_stored) = join!(
        is_active_and_unlocked(conn, &change.company_id, change.now),
        lock_period_if_open(conn, (company_id, period_id.as_str())),
        idempotency::store_response(conn, change.response_record.as_ref()),
    );
    let (company, period) = (company?, period?);
    response_stored?;
    let row: Option<CheckRow> =
        conn.query_row(query!(SELECT_CHECK, binds![before.paycheck_id.as_str(), company_id])).await?;
    let Some(row) = row.filter(|row| company && period && row.pay_period_id == period_id.as_str()) else {
        return Err(Failure::FactsChanged);
    };
    let (ordinal, application_id) = (row.ordinal, row.application_id.clone());
    if row.into_stored_check(period_id, before.check.check_date)? != *before {
        return Err(Failure::FactsChanged);
    }
    if change.after == *before {
        return read_period_version(conn, company_id, period_id.as_str()).await;
    }
    let key = CheckRowKey { company_id, pay_period_id: period_id.as_str(), ordinal };
    let lines = CheckRow::new(key, &application_id, &change.after)?.lines;
    let values = binds![lines.as_str(), company_id, period_id.as_str(), ordinal];
    conn.execute(command!(UPDATE_LINES, values)).await?;
    let version = add_difference_to_totals(conn, change).await?;
    let audit = AuditContext::for_application(&change.application_id, change.now, None);
    create_audit_log(change, &audit, sealer).store_records(conn).await?;
    Ok(version)
}

/// Returns the version of a period whose check does not change.
async fn read_period_version(conn: &Conn, company_id: &str, period_id: &str) -> Outcome<i64> {
    const SELECT_VERSION: &str =
        "SELECT version FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2";
    let row: Option<(i64,)> = conn.query_row(query!(SELECT_VERSION, binds![company_id, period_id])).await?;
    row.map(|(version,)| version).ok_or_else(|| Failure::Bug("the locked pay period is gone".to_owned()))
}

/// Adds the difference between the old and the new lines to the period's totals. Increases the period's
/// version and returns it.
async fn add_difference_to_totals(conn: &Conn, change: &CheckChange) -> Outcome<i64> {
    const UPDATE_PERIOD_TOTALS: &str = concat!(
        "UPDATE pay_periods SET version = version + 1, ",
        add_to_total!("total_gross_earnings", "$1"),
        ", ",
        add_to_total!("total_deductions", "$2"),
        ", modified = $3 WHERE company_id = $4 AND pay_period_id = $5 RETURNING version"
    );
    let (before, after) = (sum_entered_pay([&change.before])?, sum_entered_pay([&change.after])?);
    let difference = |before: Amount, after: Amount| {
        after.checked_sub(before).ok_or(Failure::TotalTooLarge).and_then(require_total)
    };
    let values = binds![
        difference(before.gross_earnings, after.gross_earnings)?,
        difference(before.deductions, after.deductions)?,
        change.now.as_micros(),
        change.company_id.as_str(),
        change.before.check.pay_period_id.as_str()
    ];
    let row: Option<(i64,)> = conn.query_row(query!(UPDATE_PERIOD_TOTALS, values)).await?;
    row.map(|(version,)| version).ok_or_else(|| Failure::Bug("the locked pay period is gone".to_owned()))
}

/// Creates the audit log of the change: one row, which contains the id of the check and the changed lines.
fn create_audit_log<'a>(
    change: &'a CheckChange,
    audit: &'a AuditContext,
    sealer: &'a Sealer,
) -> AuditLog<'a> {
    let about = AuditedObject {
        company_id: Some(change.company_id.as_str()),
        kind: AuditedKind::Checks,
        id: change.before.check.pay_period_id.as_str(),
    };
    let document = |check: &StoredCheck, other: &StoredCheck| {
        let numbered = || check.check_component_ids.iter().zip(&check.check.lines);
        let same =
            |id, line| other.check_component_ids.iter().zip(&other.check.lines).any(|it| it == (id, line));
        // The ids are inserted into the JSON text without escaping, because ids contain no characters that
        // JSON escapes.
        let lines = numbered().filter(|(id, line)| !same(id, line)).map(|(id, line)| {
            let component = &line.component.component_id;
            let amount = line.amount().map(|amount| amount.to_string()).unwrap_or_default();
            format!(
                "{{\"checkComponentId\":\"{id}\",\"componentId\":\"{component}\",\"amount\":\"{amount}\"}}"
            )
        });
        let lines = lines.collect::<Vec<_>>().join(",");
        format!("{{\"paycheckIds\":[\"{}\"],\"lines\":[{lines}]}}", check.paycheck_id)
    };
    let (before, after) = (&change.before, &change.after);
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_log.record_change(about, Some(document(before, after)), Some(document(after, before)));
    audit_log
}
