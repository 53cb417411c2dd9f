//! Reversals of completed checks: the port and its transactions.
//!
//! The transaction first locks the company's row exclusively, as a change of a period's state does. If one
//! check is reversed several times concurrently, the first reversal is stored. All other reversals are
//! rejected, because their transactions find the stored reversal.

use std::collections::HashSet;

use async_trait::async_trait;
use futures_util::try_join;
use payroll_domain::audit::AuditedKind;
use payroll_domain::id::{CompanyId, PayPeriodId, PaycheckId};
use payroll_domain::pay_period::PayPeriod;
use payroll_ports::StoreError;
use payroll_ports::periods::StateChange;
use payroll_ports::reversals::{
    NewReversal, OperatorRemoval, OriginalCheck, ReversalFacts, ReversalOutcome, ReversalStore,
};
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::operators::removals;
use super::super::periods::archive_blocks;
use super::super::periods::locked::lock_open_period;
use super::super::periods::totals;
use super::super::periods::totals::UnprocessedChecks;
use super::super::{Conn, Store, dialect, idempotency};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::RowLocation;
use crate::rows::checks::{CheckRow, CheckRowKey};
use crate::rows::pay_period::PayPeriodRow;
use crate::seal::Sealer;
use crate::statement::{binds, query, sql};
use crate::table::{OnConflict, TableDefinition};

#[async_trait]
impl ReversalStore for Store {
    async fn reversal_validation_data(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<ReversalFacts>, StoreError> {
        Ok(run_on_connection!(self.read, |conn, company_id, pay_period_id, paycheck_id| {
            read_reversal_validation_data(conn, &company_id, &pay_period_id, &paycheck_id)
        })?)
    }

    async fn add_reversal(
        &self,
        new: &NewReversal,
        audit: &AuditContext,
    ) -> Result<ReversalOutcome, StoreError> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, new, audit, sealer| insert_reversal(
            conn, &new, &audit, &sealer
        )))
    }

    async fn remove_checks_as_operator(
        &self,
        removed: &OperatorRemoval,
        audit: &AuditContext,
    ) -> Result<ReversalOutcome, StoreError> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, removed, audit, sealer| {
            removals::remove_checks_as_operator(conn, &removed, &audit, &sealer)
        }))
    }
}

fn to_port_result(outcome: Outcome<ReversalOutcome>) -> Result<ReversalOutcome, StoreError> {
    match outcome {
        Err(Failure::RecordLost) => Ok(ReversalOutcome::RecordLost),
        Err(Failure::FactsChanged) => Ok(ReversalOutcome::FactsChanged),
        outcome => Ok(outcome?),
    }
}

async fn read_reversal_validation_data(
    conn: &Conn,
    company_id: &CompanyId,
    pay_period_id: &PayPeriodId,
    paycheck_id: &PaycheckId,
) -> Outcome<Option<ReversalFacts>> {
    let (period, original) = try_join!(
        read_period(conn, company_id.as_str(), pay_period_id.as_str()),
        read_original(conn, company_id.as_str(), paycheck_id.as_str()),
    )?;
    Ok(period.map(|(period, version)| ReversalFacts { period, version, original }))
}

async fn read_period(
    conn: &Conn,
    company_id: &str,
    pay_period_id: &str,
) -> Outcome<Option<(PayPeriod, i64)>> {
    const SELECT_PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2"
    ];
    let row: Option<PayPeriodRow> =
        conn.query_row(query!(SELECT_PERIOD, binds![company_id, pay_period_id])).await?;
    row.map(|row| Ok((row.decode_value()?, row.version()))).transpose()
}

/// Returns whether a check of the company with this id is archived. The ids of archived checks remain stored,
/// so the id suffices.
async fn is_archived(conn: &Conn, company_id: &str, paycheck_id: &str) -> Outcome<bool> {
    const SELECT_COMPANY_OF_CHECK: &str = "SELECT company_id FROM paycheck_ids WHERE paycheck_id = $1";
    let row: Option<(String,)> = conn.query_row(query!(SELECT_COMPANY_OF_CHECK, binds![paycheck_id])).await?;
    Ok(row.is_some_and(|(found,)| found == company_id))
}

/// Reads the check to reverse, with its existing reversal if there is one.
async fn read_original(conn: &Conn, company_id: &str, paycheck_id: &str) -> Outcome<Option<OriginalCheck>> {
    const SELECT_CHECK: &str =
        sql!["SELECT ", CheckRow::COLUMNS, " FROM checks WHERE paycheck_id = $1 AND company_id = $2"];
    const SELECT_REVERSAL: &str =
        "SELECT paycheck_id FROM checks WHERE company_id = $1 AND reversal_of = $2 LIMIT 1";
    let (check, reversal) = try_join!(
        conn.query_row(query!(SELECT_CHECK, binds![paycheck_id, company_id])),
        conn.query_row(query!(SELECT_REVERSAL, binds![company_id, paycheck_id])),
    )?;
    let (check, reversal): (Option<CheckRow>, Option<(String,)>) = (check, reversal);
    let Some(row) = check else {
        let was_archived = is_archived(conn, company_id, paycheck_id).await?;
        return Ok(was_archived.then_some(OriginalCheck::Archived));
    };
    if archive_blocks::is_archived(conn, company_id, &row.pay_period_id).await? {
        return Ok(Some(OriginalCheck::Archived));
    }
    let (period, _) = read_period(conn, company_id, &row.pay_period_id)
        .await?
        .ok_or_else(|| Failure::Bug(format!("check {paycheck_id} has no pay period")))?;
    if !period.status.is_paid() {
        return Ok(Some(OriginalCheck::NotPaid(period.status)));
    }
    let at = RowLocation { table: "checks", key: paycheck_id };
    Ok(Some(OriginalCheck::Paid {
        check: Box::new(row.into_processed_check(&period.pay_period_id, period.check_date)?),
        reversed_by: reversal.map(|(id,)| at.parse_id(&id)).transpose()?,
    }))
}

async fn insert_reversal(
    conn: &Conn,
    new: &NewReversal,
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<ReversalOutcome> {
    let check = &new.check.check;
    let moved = StateChange {
        company_id: new.company_id.clone(),
        pay_period_id: check.pay_period_id.clone(),
        version: new.version,
        expected_period: None,
        request: None,
    };
    let (_, found) = match lock_open_period(conn, &moved, audit).await? {
        Ok(held) => held,
        Err(refused) => return Ok(refused),
    };
    let company_id = new.company_id.as_str();
    let (original, is_there) = try_join!(
        read_original(conn, company_id, new.original.paycheck_id.as_str()),
        worker_exists(conn, company_id, check.worker_id.as_str()),
    )?;
    let as_it_was = OriginalCheck::Paid { check: Box::new(new.original.clone()), reversed_by: None };
    if !is_there || original != Some(as_it_was) || found.row.decode_value()?.check_date != check.check_date {
        return Ok(ReversalOutcome::FactsChanged);
    }
    let pay = totals::sum_entered_pay([&new.check])?;
    let pay_period_id = check.pay_period_id.as_str();
    let key = CheckRowKey { company_id, pay_period_id, ordinal: found.row.state.check_count + 1 };
    // The application id is empty, because an operator adds the check.
    let row = CheckRow::new(key, "", &new.check)?;
    let entered =
        UnprocessedChecks { company_id, pay_period_id, workers: HashSet::from([check.worker_id.as_str()]) };
    let about = AuditedObject { company_id: Some(company_id), kind: AuditedKind::Checks, id: pay_period_id };
    let mut audit_log = AuditLog::new(audit, sealer);
    // The ids are inserted into the JSON text without escaping, because ids contain no characters that JSON
    // escapes.
    let document = format!(
        "{{\"paycheckIds\":[\"{}\"],\"reversalOf\":\"{}\"}}",
        new.check.paycheck_id, new.original.paycheck_id
    );
    audit_log.record_change(about, None, Some(document));
    // The worker must be counted before the check is stored. Afterwards, the query could not detect whether
    // the worker is new in the period.
    entered.add_checks_to_period(conn, 1, pay, audit.now).await?;
    try_join!(
        dialect::bulk_insert(conn, OnConflict::Fail, std::slice::from_ref(&row)),
        idempotency::store_response(conn, audit.response_record.as_ref()),
        audit_log.store_records(conn),
    )?;
    Ok(ReversalOutcome::Done(found.version() + 1))
}

async fn worker_exists(conn: &Conn, company_id: &str, worker_id: &str) -> Outcome<bool> {
    const LOCK_WORKER: &str = concat!(
        "SELECT worker_id FROM workers WHERE company_id = $1 AND worker_id = $2",
        dialect::lock_rows!("FOR KEY SHARE")
    );
    let row: Option<(String,)> = conn.query_row(query!(LOCK_WORKER, binds![company_id, worker_id])).await?;
    Ok(row.is_some())
}
