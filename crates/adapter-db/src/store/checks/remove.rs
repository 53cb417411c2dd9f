//! Removes checks from an open period: one check, or all that an application has added.
//!
//! The transaction acquires the same locks as a transaction that adds checks: first a shared lock of the
//! company's row, then an exclusive lock of the period's row. Additions, removals and changes of the period's
//! state are therefore serialized.
//!
//! Ordinals are not reused, so a removed check leaves a gap. When the last check of a period is removed, the
//! ordinals of the period start again from 1. Pages of the period are then ranges of ordinals again.

use std::collections::HashSet;

use futures_util::{join, try_join};
use payroll_domain::access::{Access, Caller, Guarded, Scope};
use payroll_domain::audit::AuditedKind;
use payroll_domain::check::EnteredPay;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{CompanyId, PayPeriodId};
use payroll_domain::money::Amount;
use payroll_ports::StoreError;
use payroll_ports::checks::{CheckSelection, ChecksToRemove, RemovalOutcome};
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::companies::free::is_active_and_unlocked;
use super::super::periods::totals::{UnprocessedChecks, add_to_total, require_total};
use super::super::{Conn, access, dialect};
use crate::error::{Failure, Outcome};
use crate::rows::RowLocation;
use crate::rows::access::parse_scopes;
use crate::rows::checks::sum_entered_pay;
use crate::seal::Sealer;
use crate::statement::{BindValue, binds, command, query, sql};

/// The number of checks that one statement deletes. Smaller numbers would be less efficient. With larger
/// numbers, comparing each check in the range with the complete list would cost too much.
pub(in super::super) const MAX_CHECKS_PER_STATEMENT: usize = 250;
/// The maximum number of checks in one audit row, so that the row does not become too large.
const CHECKS_PER_AUDIT_ROW: usize = 1_000;

/// Converts the outcome of a removal. A rejection by the transaction becomes a result and not an error.
pub(in super::super) fn to_removal_outcome(outcome: Outcome<u64>) -> Result<RemovalOutcome, StoreError> {
    match outcome {
        Ok(count) => Ok(RemovalOutcome::Done(count)),
        Err(Failure::FactsChanged) => Ok(RemovalOutcome::FactsChanged),
        Err(failure) => Err(failure.into()),
    }
}

/// Removes the checks and returns their number.
pub(in super::super) async fn remove_checks(
    conn: &Conn,
    removed: &ChecksToRemove,
    sealer: &Sealer,
) -> Outcome<u64> {
    let (company, period) = join!(
        is_active_and_unlocked(conn, &removed.company_id, removed.now),
        lock_period_if_open(conn, (removed.company_id.as_str(), removed.pay_period_id.as_str()))
    );
    if !(company? && period?) {
        return Err(Failure::FactsChanged);
    }
    let checks = read_checks_to_remove(conn, removed).await?;
    if checks.is_empty() {
        return match removed.selection {
            CheckSelection::One(_) => Err(Failure::FactsChanged),
            CheckSelection::OfTheApplication => Ok(0),
        };
    }
    let period_key = (removed.company_id.as_str(), removed.pay_period_id.as_str());
    let mut removed_totals = RemovedCheckCounts::default();
    for some in checks.chunks(MAX_CHECKS_PER_STATEMENT) {
        removed_totals.add(&delete_checks(conn, period_key, some).await?)?;
    }
    let audit = AuditContext::for_application(&removed.application_id, removed.now, None);
    try_join!(
        subtract_from_totals(conn, period_key, &removed_totals, removed.now),
        create_audit_log(period_key, &checks, &audit, sealer).store_records(conn)
    )?;
    Ok(u64::try_from(checks.len()).unwrap_or(u64::MAX))
}

/// Returns whether the period is open. The row of the period is locked, so the period stays open until this
/// transaction ends.
pub(in super::super) async fn lock_period_if_open(
    conn: &Conn,
    (company_id, pay_period_id): (&str, &str),
) -> Outcome<bool> {
    const LOCK_OPEN_PERIOD: &str = concat!(
        "SELECT pay_period_id FROM pay_periods \
         WHERE company_id = $1 AND pay_period_id = $2 AND status IN ('INITIAL', 'ENTRY')",
        dialect::lock_rows!("FOR UPDATE")
    );
    let values = binds![company_id, pay_period_id];
    let row: Option<(String,)> = conn.query_row(query!(LOCK_OPEN_PERIOD, values)).await?;
    Ok(row.is_some())
}

/// A check that will be removed.
pub(in super::super) struct CheckToRemove {
    pub(in super::super) ordinal: i64,
    pub(in super::super) paycheck_id: String,
    /// The id of the reversed check, if this check is a reversal.
    pub(in super::super) reversal_of: Option<String>,
}

/// The start of a statement that selects checks of a period. Append a condition and then
/// [`ORDER_BY_ORDINAL`].
pub(in super::super) const SELECT_CHECKS_WHERE: &str = "SELECT ordinal, paycheck_id, reversal_of FROM checks \
    WHERE company_id = $1 AND pay_period_id = $2 AND ";
pub(in super::super) const ORDER_BY_ORDINAL: &str = " ORDER BY ordinal";

/// The start of a statement that selects the check `$3` of a period. Append only a condition.
///
/// The check is found by its id alone. If the inner condition also contained the period, a planner without
/// statistics might use the primary key and read all checks of the period.
pub(in super::super) const SELECT_CHECK_WHERE: &str = "SELECT ordinal, paycheck_id, reversal_of FROM (\
        SELECT ordinal, paycheck_id, reversal_of, \
            company_id = $1 AND pay_period_id = $2 AS is_in_the_period FROM checks \
        WHERE company_id = $1 AND paycheck_id = $3 LIMIT 1) one WHERE is_in_the_period AND ";

/// Reads the checks that a statement such as [`SELECT_CHECK_WHERE`] selects.
pub(in super::super) async fn read_selected_checks(
    conn: &Conn,
    text: &'static str,
    values: impl Into<Vec<BindValue<'_>>>,
) -> Outcome<Vec<CheckToRemove>> {
    let values: Vec<BindValue<'_>> = values.into();
    let rows: Vec<(i64, String, Option<String>)> = conn.query_rows(query(text, values)).await?;
    let meant = |(ordinal, paycheck_id, reversal_of)| CheckToRemove { ordinal, paycheck_id, reversal_of };
    Ok(rows.into_iter().map(meant).collect())
}

async fn read_checks_to_remove(conn: &Conn, removed: &ChecksToRemove) -> Outcome<Vec<CheckToRemove>> {
    let (text, third) = match &removed.selection {
        CheckSelection::One(paycheck_id) => (sql![SELECT_CHECK_WHERE, "TRUE"], paycheck_id.as_str()),
        CheckSelection::OfTheApplication => (
            sql![SELECT_CHECKS_WHERE, "application_id = $3", ORDER_BY_ORDINAL],
            removed.application_id.as_str(),
        ),
    };
    let values = binds![removed.company_id.as_str(), removed.pay_period_id.as_str(), third];
    read_selected_checks(conn, text, values).await
}

/// Counts the checks that were removed from a period.
#[derive(Default)]
pub(in super::super) struct RemovedCheckCounts {
    checks: usize,
    /// The number of workers who no longer have a check in the period.
    workers: i64,
    pay: EnteredPay,
}

impl RemovedCheckCounts {
    pub(in super::super) fn add(&mut self, other: &Self) -> Outcome<()> {
        let pay = self.pay.checked_add(other.pay);
        self.pay = pay.ok_or(Failure::TotalTooLarge)?;
        self.checks += other.checks;
        self.workers += other.workers;
        Ok(())
    }
}

/// Deletes checks by their ids within a range of ordinals. With the range, PostgreSQL finds the rows quickly
/// even if its estimate of the period's size is wrong. With the ids alone, the deletion took many minutes for
/// a period without statistics.
pub(in super::super) async fn delete_checks(
    conn: &Conn,
    (company_id, pay_period_id): (&str, &str),
    checks_to_remove: &[CheckToRemove],
) -> Outcome<RemovedCheckCounts> {
    const DELETE_CHECKS: &str = concat!(
        "DELETE FROM checks \
         WHERE company_id = $1 AND pay_period_id = $2 AND ordinal >= $3 AND ordinal <= $4 AND ordinal",
        dialect::equals_any!("$5"),
        " RETURNING worker_id, paycheck_id, lines"
    );
    let (Some(first), Some(last)) = (checks_to_remove.first(), checks_to_remove.last()) else {
        return Ok(RemovedCheckCounts::default());
    };
    let mut values: Vec<BindValue<'_>> =
        binds![company_id, pay_period_id, first.ordinal, last.ordinal].into();
    values.push(dialect::bind_numbers(checks_to_remove.iter().map(|check| check.ordinal)));
    let rows: Vec<(String, String, String)> = conn.query_rows(query!(DELETE_CHECKS, values)).await?;
    let mut removed_totals = RemovedCheckCounts::default();
    for (_, paycheck_id, lines) in &rows {
        let pay = sum_entered_pay(RowLocation { table: "checks", key: paycheck_id }, lines)?;
        removed_totals.add(&RemovedCheckCounts { checks: 1, workers: 0, pay })?;
    }
    let workers: HashSet<&str> = rows.iter().map(|(worker_id, ..)| worker_id.as_str()).collect();
    let left = UnprocessedChecks { company_id, pay_period_id, workers };
    removed_totals.workers = left.count_workers_without_checks(conn).await?;
    Ok(removed_totals)
}

/// Updates the totals of the period after a removal, and increases its version.
pub(in super::super) async fn subtract_from_totals(
    conn: &Conn,
    (company_id, pay_period_id): (&str, &str),
    removed_checks: &RemovedCheckCounts,
    now: Timestamp,
) -> Outcome<()> {
    const UPDATE_PERIOD: &str = concat!(
        "UPDATE pay_periods SET version = version + 1, \
            removed_checks = CASE WHEN check_count - removed_checks = $1 THEN 0 ELSE removed_checks + $1 END, \
            check_count = CASE WHEN check_count - removed_checks = $1 THEN 0 ELSE check_count END, \
            total_workers = total_workers - $2, ",
        add_to_total!("total_gross_earnings", "$3"),
        ", ",
        add_to_total!("total_deductions", "$4"),
        ", modified = $5 WHERE company_id = $6 AND pay_period_id = $7"
    );
    let negated =
        |amount| Amount::ZERO.checked_sub(amount).ok_or(Failure::TotalTooLarge).and_then(require_total);
    let values = binds![
        i64::try_from(removed_checks.checks).map_err(|error| Failure::Bug(error.to_string()))?,
        removed_checks.workers,
        negated(removed_checks.pay.gross_earnings)?,
        negated(removed_checks.pay.deductions)?,
        now.as_micros(),
        company_id,
        pay_period_id
    ];
    conn.execute(command!(UPDATE_PERIOD, values)).await?;
    Ok(())
}

/// Returns the audit rows of a removal. Each removed reversal has its own audit row, which contains the id of
/// the reversed check.
pub(in super::super) fn create_audit_log<'a>(
    (company_id, pay_period_id): (&'a str, &'a str),
    checks: &[CheckToRemove],
    audit: &'a AuditContext,
    sealer: &'a Sealer,
) -> AuditLog<'a> {
    let about = AuditedObject { company_id: Some(company_id), kind: AuditedKind::Checks, id: pay_period_id };
    let mut audit_log = AuditLog::new(audit, sealer);
    let (reversals, others): (Vec<&CheckToRemove>, Vec<&CheckToRemove>) =
        checks.iter().partition(|check| check.reversal_of.is_some());
    // The ids are inserted into the JSON text without escaping, because ids contain no characters that JSON
    // escapes.
    for CheckToRemove { paycheck_id, reversal_of, .. } in reversals {
        let original = reversal_of.as_deref().unwrap_or_default();
        let document = format!("{{\"paycheckIds\":[\"{paycheck_id}\"],\"reversalOf\":\"{original}\"}}");
        audit_log.record_change(about, Some(document), None);
    }
    for some in others.chunks(CHECKS_PER_AUDIT_ROW) {
        let ids: Vec<&str> = some.iter().map(|check| check.paycheck_id.as_str()).collect();
        audit_log.record_change(
            about,
            Some(format!("{{\"paycheckIds\":[\"{}\"]}}", ids.join("\",\""))),
            None,
        );
    }
    audit_log
}

/// Returns the companies that have a pay period with this id and for which the caller may write payroll.
pub(in super::super) async fn read_companies_with_grant(
    conn: &Conn,
    caller: &Caller,
    pay_period_id: &PayPeriodId,
) -> Outcome<Guarded<Vec<CompanyId>>> {
    const SELECT_COMPANIES_WITH_GRANT: &str = "SELECT g.company_id, g.scopes FROM grants g \
        JOIN pay_periods p ON p.company_id = g.company_id AND p.pay_period_id = $1 \
        WHERE g.application_id = $2 ORDER BY g.company_id";
    let application_id = caller.application_id.as_str();
    let query = query!(SELECT_COMPANIES_WITH_GRANT, binds![pay_period_id.as_str(), application_id]);
    let (access, rows) = try_join!(access::read_access(conn, caller, None), conn.query_rows(query))?;
    let (access, rows): (Access, Vec<(String, String)>) = (access.0, rows);
    let mut companies = Vec::new();
    for (company_id, words) in rows {
        if parse_scopes(&words, application_id)?.intersection(caller.scopes).contains(Scope::WritePayroll) {
            companies.push(RowLocation { table: "grants", key: &company_id }.parse_id(&company_id)?);
        }
    }
    Ok(Guarded::new(access, companies))
}
