//! One check of a worker, by its id, in the representation of its period's state.

use futures_util::try_join;
use payroll_domain::access::{Caller, Guarded};
use payroll_ports::checks::{CheckKey, FoundCheck, OneCheck};

use super::check_pages::{Found, processed, unprocessed};
use super::{Conn, access};
use crate::error::{Failure, Outcome};
use crate::fixed::{binds, query, sql};
use crate::rows::checks::{CheckRow, LineRow, TaxRow};
use crate::rows::lists::PayPeriodRow;
use crate::table::Table;

/// The check, guarded by the caller's access.
pub(super) async fn guarded(
    conn: &Conn,
    caller: &Caller,
    key: &CheckKey,
) -> Outcome<Guarded<Option<FoundCheck>>> {
    const CHECK: &str = sql![
        "SELECT ",
        CheckRow::COLUMNS,
        " FROM checks WHERE paycheck_id = $1 AND company_id = $2 AND worker_id = $3"
    ];
    let values = binds![key.paycheck_id.as_str(), key.company_id.as_str(), key.worker_id.as_str()];
    let ((access, _), row) = try_join!(
        access::read(conn, caller, Some(key.company_id.as_str())),
        conn.row(query(CHECK, values)),
    )?;
    let found = match row {
        Some(row) => Some(whole(conn, row).await?),
        None => None,
    };
    Ok(Guarded::new(access, found))
}

/// The check with its period and all that belongs to it.
async fn whole(conn: &Conn, row: CheckRow) -> Outcome<FoundCheck> {
    macro_rules! of_check {
        ($row:ty) => {
            sql![
                "SELECT ",
                <$row>::COLUMNS,
                " FROM ",
                <$row>::NAME,
                " WHERE company_id = $1 AND pay_period_id = $2 AND ordinal = $3 ORDER BY line"
            ]
        };
    }
    const PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2"
    ];
    const LINES: &str = of_check!(LineRow);
    const TAXES: &str = of_check!(TaxRow);
    let place = || binds![&row.company_id, &row.pay_period_id, row.ordinal];
    let (period, lines, taxes) = try_join!(
        conn.row(query(PERIOD, binds![&row.company_id, &row.pay_period_id])),
        conn.rows(query(LINES, place())),
        conn.rows(query(TAXES, place())),
    )?;
    let period: PayPeriodRow =
        period.ok_or_else(|| Failure::Bug(format!("check {} has no pay period", row.paycheck_id)))?;
    let id = period.value()?.pay_period_id;
    let found = Found { checks: vec![row], lines, taxes };
    let check = if period.status()?.is_processed() {
        processed(&period, &id, found)?.pop().map(OneCheck::Processed)
    } else {
        unprocessed(&period, &id, found)?.pop().map(OneCheck::Unprocessed)
    };
    let check = check.ok_or_else(|| Failure::Bug("a check came to nothing".to_owned()))?;
    Ok(FoundCheck { version: period.version, check })
}
