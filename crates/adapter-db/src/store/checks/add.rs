//! Adds the checks of a request.
//!
//! The data that the validation has read may have changed in the meantime. The transaction therefore locks
//! the data and compares it with the data of the validation.
//!
//! The company's row is locked in shared mode. A concurrent change that locks or ends the company then runs
//! either completely before or completely after this transaction. The workers are locked in the same way.
//!
//! The period's row is only updated if the period is open. This update serializes writers of the period,
//! assigns the ordinals and keeps the totals correct.

use std::collections::HashSet;

use futures_util::join;
use payroll_domain::audit::AuditedKind;
use payroll_ports::StoreError;
use payroll_ports::checks::{AdditionOutcome, NewChecks};
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::companies::free::is_active_and_unlocked;
use super::super::periods::totals;
use super::super::periods::totals::UnprocessedChecks;
use super::super::{Conn, dialect, idempotency};
use crate::error::{Failure, Outcome};
use crate::one_or_many::{IdStatement, select_from_ids, where_id_matches};
use crate::rows::checks::{CheckRow, CheckRowKey};
use crate::seal::Sealer;
use crate::statement::{BindValue, binds, query};
use crate::table::OnConflict;

/// Converts the outcome of an addition. A rejection by the transaction becomes a result and not an error.
pub(in super::super) fn to_addition_outcome(outcome: Outcome<()>) -> Result<AdditionOutcome, StoreError> {
    match outcome {
        Ok(()) => Ok(AdditionOutcome::Stored),
        Err(Failure::FactsChanged | Failure::Taken(_)) => Ok(AdditionOutcome::FactsChanged),
        Err(Failure::RecordLost) => Ok(AdditionOutcome::RecordLost),
        Err(failure) => Err(failure.into()),
    }
}

pub(in super::super) async fn add_checks(conn: &Conn, new: &NewChecks, sealer: &Sealer) -> Outcome<()> {
    // The outcomes are evaluated in the order of the statements. After a failed statement, all later
    // statements fail too, and only the first error contains the reason.
    let (company, workers, last, response_stored) = join!(
        is_active_and_unlocked(conn, &new.company_id, new.now),
        lock_workers_if_they_exist(conn, new),
        lock_open_period(conn, new),
        idempotency::store_response(conn, new.response_record.as_ref()),
    );
    let (company, workers, last) = (company?, workers?, last?);
    response_stored?;
    let Some(last) = last.filter(|_| company && workers) else { return Err(Failure::FactsChanged) };
    // This transaction now holds the lock of the period's row, so no other transaction adds checks to the
    // period.
    if !are_correlation_ids_unused(conn, new).await? {
        return Err(Failure::FactsChanged);
    }
    let count = i64::try_from(new.checks.len()).map_err(|error| Failure::Bug(error.to_string()))?;
    let (checks, pay) = (create_check_rows(new, last + count)?, totals::sum_entered_pay(&new.checks)?);
    let entered = UnprocessedChecks {
        company_id: new.company_id.as_str(),
        pay_period_id: new.pay_period_id.as_str(),
        workers: collect_worker_ids(new),
    };
    let audit = new.added_by.audit_context(new.now);
    let (counted, checks, noted) = join!(
        entered.add_checks_to_period(conn, count, pay, new.now),
        dialect::bulk_insert(conn, OnConflict::Fail, &checks),
        create_audit_log(new, &audit, sealer).store_records(conn),
    );
    counted?;
    checks?;
    noted
}

/// Creates one audit row for the complete request. A row for each check would cost as much as storing the
/// check.
fn create_audit_log<'a>(new: &NewChecks, audit: &'a AuditContext, sealer: &'a Sealer) -> AuditLog<'a> {
    let about = AuditedObject {
        company_id: Some(new.company_id.as_str()),
        kind: AuditedKind::Checks,
        id: new.pay_period_id.as_str(),
    };
    // The ids are inserted into the JSON text without escaping, because ids contain no characters that JSON
    // escapes.
    let ids: Vec<_> = new.checks.iter().map(|stored| format!("\"{}\"", stored.paycheck_id)).collect();
    let ids = ids.join(",");
    let document = match new.added_by.application_id() {
        "" => format!("{{\"paycheckIds\":[{ids}]}}"),
        application_id => format!("{{\"paycheckIds\":[{ids}],\"applicationId\":\"{application_id}\"}}"),
    };
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_log.record_change(about, None, Some(document));
    audit_log
}

async fn lock_workers_if_they_exist(conn: &Conn, new: &NewChecks) -> Outcome<bool> {
    const LOCK_WORKERS: IdStatement = where_id_matches![
        "SELECT worker_id FROM workers WHERE company_id = $1 AND worker_id",
        "$2",
        dialect::lock_rows!("ORDER BY worker_id FOR KEY SHARE")
    ];
    let worker_ids: Vec<_> = collect_worker_ids(new).into_iter().collect();
    let values = |id_list| [BindValue::from(new.company_id.as_str()), id_list];
    let found: Vec<(String,)> = conn.query_rows(LOCK_WORKERS.to_statement(&worker_ids, values)).await?;
    Ok(found.len() == worker_ids.len())
}

fn collect_worker_ids(new: &NewChecks) -> HashSet<&str> {
    new.checks.iter().map(|stored| stored.check.worker_id.as_str()).collect()
}

/// Locks the period for this transaction and returns the last assigned ordinal. `None` if the period is not
/// open. While the lock is held, no other transaction adds checks to the period. The workers who are new in
/// the period can therefore be counted.
async fn lock_open_period(conn: &Conn, new: &NewChecks) -> Outcome<Option<i64>> {
    const LOCK_OPEN_PERIOD: &str = concat!(
        "SELECT check_count FROM pay_periods \
         WHERE company_id = $1 AND pay_period_id = $2 AND status IN ('INITIAL', 'ENTRY')",
        dialect::lock_rows!("FOR NO KEY UPDATE")
    );
    let values = binds![new.company_id.as_str(), new.pay_period_id.as_str()];
    let row: Option<(i64,)> = conn.query_row(query!(LOCK_OPEN_PERIOD, values)).await?;
    Ok(row.map(|(last,)| last))
}

async fn are_correlation_ids_unused(conn: &Conn, new: &NewChecks) -> Outcome<bool> {
    // Each id is looked up individually, for the reason in the module `facts`.
    const SELECT_USED_CORRELATION_IDS: IdStatement = select_from_ids![
        "SELECT wanted.value FROM ",
        "$1",
        " wanted \
         WHERE (SELECT TRUE FROM checks c WHERE c.company_id = $2 AND c.pay_period_id = $3 \
            AND c.application_id = $4 AND c.correlation_id = wanted.value \
            AND c.reversal_of IS NULL LIMIT 1) LIMIT 1"
    ];
    if !new.correlation_ids_last_for_the_pay_period {
        return Ok(true);
    }
    let ids: Vec<_> = new.checks.iter().map(|stored| stored.check.correlation_id.as_str()).collect();
    let values = |ids| {
        let [company, period] = binds![new.company_id.as_str(), new.pay_period_id.as_str()];
        [ids, company, period, BindValue::from(new.added_by.application_id())]
    };
    let used: Vec<(String,)> =
        conn.query_rows(SELECT_USED_CORRELATION_IDS.to_statement(&ids, values)).await?;
    Ok(used.is_empty())
}

fn create_check_rows(new: &NewChecks, last: i64) -> Outcome<Vec<CheckRow>> {
    let (company_id, pay_period_id) = (new.company_id.as_str(), new.pay_period_id.as_str());
    let placed = new.checks.iter().rev().zip((1..=last).rev());
    let row = |(stored, ordinal)| {
        CheckRow::new(
            CheckRowKey { company_id, pay_period_id, ordinal },
            new.added_by.application_id(),
            stored,
        )
    };
    placed.map(row).collect()
}
