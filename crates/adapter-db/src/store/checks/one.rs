//! Reads one check of a worker by its id. The form of the check depends on the state of its period.

use futures_util::try_join;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::id::{CompanyId, PaycheckId, WorkerId};
use payroll_ports::checks::{AnyCheck, CheckKey, VersionedCheck};

use super::super::{Conn, access};
use crate::error::{Failure, Outcome};
use crate::rows::RowLocation;
use crate::rows::checks::CheckRow;
use crate::rows::pay_period::PayPeriodRow;
use crate::statement::{binds, query, sql};
use crate::table::TableDefinition;

/// Reads the check if the caller has access to it.
pub(in super::super) async fn read_check_with_access(
    conn: &Conn,
    caller: &Caller,
    key: &CheckKey,
) -> Outcome<Guarded<Option<VersionedCheck>>> {
    const SELECT_CHECK: &str = sql![
        "SELECT ",
        CheckRow::COLUMNS,
        " FROM checks WHERE paycheck_id = $1 AND company_id = $2 AND worker_id = $3"
    ];
    let values = binds![key.paycheck_id.as_str(), key.company_id.as_str(), key.worker_id.as_str()];
    let ((access, _), row) = try_join!(
        access::read_access(conn, caller, Some(key.company_id.as_str())),
        conn.query_row(query!(SELECT_CHECK, values)),
    )?;
    let found = match row {
        Some(row) => read_versioned_check(conn, row).await?,
        None => None,
    };
    Ok(Guarded::new(access, found))
}

/// Returns the company and the worker of a check. `None` if the check does not exist.
pub(in super::super) async fn find_owner_of_check(
    conn: &Conn,
    paycheck_id: &PaycheckId,
) -> Outcome<Option<(CompanyId, WorkerId)>> {
    const SELECT_CHECK_LOCATION: &str = "SELECT company_id, worker_id FROM checks WHERE paycheck_id = $1";
    let row: Option<(String, String)> =
        conn.query_row(query!(SELECT_CHECK_LOCATION, binds![paycheck_id.as_str()])).await?;
    let at = RowLocation { table: "checks", key: paycheck_id.as_str() };
    row.map(|(company_id, worker_id)| Ok((at.parse_id(&company_id)?, at.parse_id(&worker_id)?))).transpose()
}

/// Converts the row to an unprocessed or a processed check, depending on the state of the period. `None` if
/// the check is archived and its row is not deleted yet.
async fn read_versioned_check(conn: &Conn, row: CheckRow) -> Outcome<Option<VersionedCheck>> {
    const SELECT_PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2"
    ];
    let period = conn.query_row(query!(SELECT_PERIOD, binds![&row.company_id, &row.pay_period_id])).await?;
    let found: PayPeriodRow =
        period.ok_or_else(|| Failure::Bug(format!("check {} has no pay period", row.paycheck_id)))?;
    if found.is_archived() {
        return Ok(None);
    }
    let period = found.decode_value()?;
    let check = if period.status.is_processed() {
        AnyCheck::Processed(row.into_processed_check(&period.pay_period_id, period.check_date)?)
    } else {
        AnyCheck::Unprocessed(row.into_stored_check(&period.pay_period_id, period.check_date)?)
    };
    Ok(Some(VersionedCheck { version: found.version(), check }))
}
