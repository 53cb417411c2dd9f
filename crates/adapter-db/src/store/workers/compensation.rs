//! Computes the pay of a worker from processed checks.

use payroll_domain::money::Amount;
use payroll_ports::workers::CheckDateRange;

use super::super::Conn;
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::statement::{binds, query};

/// Returns the worker's gross earnings in paid periods with a check date in the given range, and the sum of
/// the versions of these periods. The sum changes with every change of such a period.
pub(super) async fn read_gross_earnings(
    conn: &Conn,
    company_id: &str,
    worker_id: &str,
    days: CheckDateRange,
) -> Outcome<(Option<Amount>, i64)> {
    // The earnings of one check fit into 64 bits, but their sum may not. Therefore, the query adds the
    // millions and the remainders separately.
    const SELECT_PAID: &str = "SELECT CAST(sum(c.gross_earnings / 1000000) AS BIGINT), \
            CAST(coalesce(sum(c.gross_earnings % 1000000), 0) AS BIGINT), \
            CAST(coalesce(sum(p.version % 2147483648), 0) AS BIGINT) \
        FROM checks c \
        JOIN pay_periods p ON p.company_id = c.company_id AND p.pay_period_id = c.pay_period_id \
        WHERE c.company_id = $1 AND c.worker_id = $2 AND p.company_id = $1 \
            AND p.status IN ('RELEASED', 'COMPLETED', 'COMPLETED_BY_MEC', 'REISSUED') \
            AND p.check_date >= $3 AND p.check_date <= $4";
    let values = binds![company_id, worker_id, days.first, days.last];
    let row: Option<(Option<i64>, i64, i64)> = conn.query_row(query!(SELECT_PAID, values)).await?;
    let (millions, remainders, version) = row.unwrap_or_default();
    let at = RowLocation { table: "checks", key: worker_id };
    Ok((millions.map(|millions| at.read_amount_of_sums(millions, remainders)).transpose()?, version))
}
