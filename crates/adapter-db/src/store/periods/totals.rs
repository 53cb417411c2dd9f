//! The totals of a pay period's checks, which are stored in the period's row. Every change of checks updates
//! the totals in the same transaction. The totals can therefore be read without reading the checks.

use std::collections::HashSet;

use futures_util::future::BoxFuture;
use payroll_domain::check::{EnteredPay, StoredCheck};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{CompanyId, PayPeriodId};
use payroll_domain::money::Amount;
use payroll_ports::filters::PeriodFilter;
use payroll_ports::periods::PeriodSummary;
use payroll_ports::resources::Versioned;

use super::super::lists::to_unsigned_count;
use super::super::windows::{LimitAndOffset, ListSize, OffsetCollection, combine_versions};
use super::super::{Conn, dialect, filters};
use crate::error::{Failure, Outcome};
use crate::one_or_many::{IdStatement, id_statement, select_from_ids};
use crate::rows::pay_period::PayPeriodRow;
use crate::rows::period_totals::PeriodTotalsRow;
use crate::statement::{BindValue, binds, query, sql, window};
use crate::table::TableDefinition;

/// Counts the workers of the list `$1` who have no check in the period `$3` of the company `$2`.
///
/// For each worker the query reads the first entry of `checks_by_worker` at or after the period. The
/// condition is a range on purpose. With an equality, a planner without statistics might choose the index
/// `checks_by_application`. It would then read all checks of the period for each worker.
const COUNT_WORKERS_WITHOUT_CHECKS: IdStatement = select_from_ids![
    "SELECT count(*) FROM ",
    "$1",
    " requested WHERE (SELECT c.pay_period_id FROM checks c WHERE c.company_id = $2 \
            AND c.worker_id = requested.value AND c.pay_period_id >= $3 \
            ORDER BY c.pay_period_id, c.ordinal LIMIT 1) IS DISTINCT FROM $3"
];

/// Returns the SQL assignment that adds the value of a parameter to a total of a pay period. The statement
/// fails with [`Failure::TotalTooLarge`] if the result exceeds 64 bits. With the operator `+`, SQLite would
/// store an inexact floating-point number.
macro_rules! add_to_total {
    ($column:literal, $parameter:literal) => {
        concat!(
            $column,
            " = (SELECT CAST(sum(value) AS BIGINT) FROM (SELECT ",
            $column,
            " AS value UNION ALL SELECT ",
            $parameter,
            ") both_values)"
        )
    };
}
pub(in super::super) use add_to_total;

/// Checks of an open period that the transaction is about to store, or has just removed.
pub(in super::super) struct UnprocessedChecks<'c> {
    pub(in super::super) company_id: &'c str,
    pub(in super::super) pay_period_id: &'c str,
    pub(in super::super) workers: HashSet<&'c str>,
}

impl<'c> UnprocessedChecks<'c> {
    /// Adds new checks to the totals before the checks are stored. The transaction must hold the lock of the
    /// period's row.
    pub(in super::super) async fn add_checks_to_period(
        &self,
        conn: &Conn,
        checks: i64,
        pay: EnteredPay,
        now: Timestamp,
    ) -> Outcome<()> {
        const UPDATE_PERIOD_START: &str = "UPDATE pay_periods SET total_workers = total_workers + (";
        const UPDATE_PERIOD_END: &str = concat!(
            "), check_count = check_count + $4, version = version + 1, status = 'ENTRY', ",
            add_to_total!("total_gross_earnings", "$5"),
            ", ",
            add_to_total!("total_deductions", "$6"),
            ", modified = $7 WHERE company_id = $2 AND pay_period_id = $3"
        );
        const ADD_CHECKS_TO_PERIOD: IdStatement = id_statement!(
            sql![UPDATE_PERIOD_START, COUNT_WORKERS_WITHOUT_CHECKS.one, UPDATE_PERIOD_END],
            sql![UPDATE_PERIOD_START, COUNT_WORKERS_WITHOUT_CHECKS.many, UPDATE_PERIOD_END]
        );
        let [checks, gross, deductions, modified] = binds![
            checks,
            require_total(pay.gross_earnings)?,
            require_total(pay.deductions)?,
            now.as_micros()
        ];
        let values = |workers| {
            let [company, period] = binds![self.company_id, self.pay_period_id];
            [workers, company, period, checks, gross, deductions, modified]
        };
        conn.execute(ADD_CHECKS_TO_PERIOD.to_statement(&self.worker_ids(), values)).await?;
        Ok(())
    }

    /// Returns the number of these workers who have no check in the period.
    pub(in super::super) async fn count_workers_without_checks(&self, conn: &Conn) -> Outcome<i64> {
        let values = |workers| {
            let [company, period] = binds![self.company_id, self.pay_period_id];
            [workers, company, period]
        };
        let row: Option<(i64,)> =
            conn.query_row(COUNT_WORKERS_WITHOUT_CHECKS.to_statement(&self.worker_ids(), values)).await?;
        Ok(row.map_or(0, |(count,)| count))
    }

    fn worker_ids(&self) -> Vec<&'c str> {
        self.workers.iter().copied().collect()
    }
}

/// Adds up the lines of checks.
pub(in super::super) fn sum_entered_pay<'c>(
    checks: impl IntoIterator<Item = &'c StoredCheck>,
) -> Outcome<EnteredPay> {
    let mut checks = checks.into_iter();
    let sum = checks.try_fold(EnteredPay::default(), |sum, stored| {
        sum.checked_add(EnteredPay::from_lines(&stored.check.lines)?)
    });
    sum.ok_or(Failure::TotalTooLarge)
}

/// Returns a total in ten-thousandths.
pub(in super::super) fn require_total(amount: Amount) -> Outcome<i64> {
    amount.to_ten_thousandths().ok_or(Failure::TotalTooLarge)
}

type SummaryRow = (PayPeriodRow, PeriodTotalsRow);

/// Reads the totals of one pay period.
pub(in super::super) async fn read_period_summary(
    conn: &Conn,
    company_id: &CompanyId,
    pay_period_id: &PayPeriodId,
) -> Outcome<Option<Versioned<PeriodSummary>>> {
    const SELECT_PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        ", ",
        PeriodTotalsRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2"
    ];
    let values = binds![company_id.as_str(), pay_period_id.as_str()];
    let row: Option<SummaryRow> = conn.query_row(query!(SELECT_PERIOD, values)).await?;
    row.map(to_versioned_summary).transpose()
}

/// The selected periods of a company.
#[derive(Clone)]
pub(in super::super) struct PeriodSummaries {
    pub(in super::super) company_id: CompanyId,
    pub(in super::super) filter: PeriodFilter,
}

impl PeriodSummaries {
    fn bind_values(&self) -> Vec<BindValue<'_>> {
        filters::period_filter_binds(self.company_id.as_str(), &self.filter)
    }
}

impl OffsetCollection for PeriodSummaries {
    type Item = Versioned<PeriodSummary>;

    fn read_size<'c>(&'c self, conn: &'c Conn) -> BoxFuture<'c, Outcome<Option<ListSize>>> {
        // The version includes all periods, since any of them may match the filter later. The sum uses
        // remainders of the versions, so that it fits into 64 bits.
        const SELECT_SIZE: &str = sql![
            "SELECT total, version, periods FROM companies CROSS JOIN (SELECT count(*) FILTER (WHERE \
                company_id = $1 AND ",
            filters::PERIOD_CONDITIONS,
            ") AS total, CAST(coalesce(sum(version % 2147483648), 0) AS BIGINT) AS periods \
                FROM pay_periods WHERE company_id = $1) size WHERE company_id = $1"
        ];
        Box::pin(async move {
            let row: Option<(i64, i64, i64)> =
                conn.query_row(query!(SELECT_SIZE, self.bind_values())).await?;
            let size = |(total, company, periods): (i64, i64, i64)| {
                let version = combine_versions(company, periods);
                Ok(ListSize { total: to_unsigned_count(total)?, version: Some(version) })
            };
            row.map(size).transpose()
        })
    }

    fn read_page<'c>(
        &'c self,
        conn: &'c Conn,
        page: LimitAndOffset,
    ) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        const SELECT_PAGE: &str = sql![
            "SELECT ",
            PayPeriodRow::COLUMNS,
            ", ",
            PeriodTotalsRow::COLUMNS,
            " FROM pay_periods WHERE company_id = $1 AND ",
            filters::PERIOD_CONDITIONS,
            " ORDER BY created, pay_period_id",
            window!("$6", "$7")
        ];
        Box::pin(async move {
            let mut values = self.bind_values();
            values.extend(binds![page.limit, page.offset]);
            let rows: Vec<SummaryRow> = conn.query_rows(query!(SELECT_PAGE, values)).await?;
            rows.into_iter().map(to_versioned_summary).collect()
        })
    }
}

fn to_versioned_summary((period, totals): SummaryRow) -> Outcome<Versioned<PeriodSummary>> {
    Ok(Versioned { value: to_summary(&period, &totals)?, version: period.version() })
}

/// Combines a period with the totals of its checks.
pub(in super::super) fn to_summary(row: &PayPeriodRow, totals: &PeriodTotalsRow) -> Outcome<PeriodSummary> {
    let period = row.decode_value()?;
    let totals = totals.to_period_totals(row, period.status)?;
    Ok(PeriodSummary { period, totals })
}
