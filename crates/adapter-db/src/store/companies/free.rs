//! Tests in a transaction whether the pay checks of a company may be changed.

use futures_util::join;
use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;

use super::super::checks::facts::to_lock_facts;
use super::super::{Conn, dialect};
use crate::error::Outcome;
use crate::statement::{binds, query};

/// The end date of a company, followed by its lock.
type CompanyRow = (Option<time::Date>, Option<String>, Option<i64>, Option<String>);

/// Returns whether the company is active and not locked. The result cannot change until the transaction ends.
pub(in super::super) async fn is_active_and_unlocked(
    conn: &Conn,
    company_id: &CompanyId,
    now: Timestamp,
) -> Outcome<bool> {
    const LOCK_COMPANY_SHARED: &str = concat!(
        "SELECT end_date, lock_holder, lock_expires, processing_pay_period_id \
         FROM companies WHERE company_id = $1",
        dialect::lock_rows!("FOR SHARE")
    );
    let (shared, row) = join!(
        dialect::lock_company_shared(conn, company_id.as_str()),
        conn.query_row(query!(LOCK_COMPANY_SHARED, binds![company_id.as_str()])),
    );
    shared?;
    let row: Option<CompanyRow> = row?;
    let Some((end_date, holder, expires, processing)) = row else { return Ok(false) };
    let ended = end_date.is_some_and(|end| end < now.date());
    Ok(!ended && to_lock_facts(&(holder, expires, processing), now).is_none())
}
