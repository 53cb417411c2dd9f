//! The pay periods of all companies that operators work on: open or in processing. A partial index
//! (`pay_periods_not_processed`) contains only these periods, in this order. The size of the index does not
//! depend on the number of processed periods.

use futures_util::future::BoxFuture;
use payroll_ports::filters::{PayRunFilter, PayRunOrder};
use payroll_ports::periods::{PayRun, PayRunTotals};

use super::super::lists::to_unsigned_count;
use super::super::windows::{LimitAndOffset, ListSize, OffsetCollection, combine_versions};
use super::super::{Conn, dialect, filters};
use super::totals::to_summary;
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::pay_period::PayPeriodRow;
use crate::rows::period_totals::PeriodTotalsRow;
use crate::statement::{BindValue, binds, query, sql, window};
use crate::table::{TableDefinition, table};

/// The condition for the pay runs that a filter selects. The first line repeats the condition of the partial
/// index. Otherwise the planner could not use the index.
const FILTER_CONDITIONS: &str = concat!(
    "p.status IN ('INITIAL', 'ENTRY', 'PROCESSING') \
    AND (CAST($1 AS TEXT) IS NULL OR p.status = $1) \
    AND (CAST($2 AS TEXT) IS NULL OR p.company_id = $2) \
    AND (CAST($3 AS DATE) IS NULL OR p.check_date >= $3) \
    AND (CAST($4 AS DATE) IS NULL OR p.check_date <= $4) \
    AND (CAST($5 AS DATE) IS NULL OR (p.status <> 'PROCESSING' AND p.submit_by_date < $5))",
    filters::is_selected_company!("p.company_id", "$6", "$7")
);

/// Reads a pay run with the names of its company.
const SELECT_PAY_RUNS: &str = sql![
    "SELECT ",
    PayPeriodRow::COLUMNS,
    ", ",
    PeriodTotalsRow::COLUMNS,
    ", (SELECT c.display_id FROM companies c WHERE c.company_id = p.company_id), \
       (SELECT c.legal_name FROM companies c WHERE c.company_id = p.company_id) FROM pay_periods p WHERE "
];
/// The default order, which is the order of the index.
const DEFAULT_ORDER: &str = "p.check_date, p.company_id, p.pay_period_id";
/// The sort expression for the name of the company, in lower case.
const LOWER_COMPANY_NAME: &str =
    "(SELECT lower(c.legal_name) FROM companies c WHERE c.company_id = p.company_id)";

table! {
    /// The members of a company that are shown with its period.
    struct CompanyNamesRow in "companies" key "company_id" {
        display_id: text,
        legal_name: text,
    }
}

type PayRunRow = (PayPeriodRow, PeriodTotalsRow, CompanyNamesRow);

/// The pay runs that a filter selects.
#[derive(Clone)]
pub(in super::super) struct PayRuns {
    pub(in super::super) filter: PayRunFilter,
}

impl PayRuns {
    /// Returns the values for the parameters of [`FILTER_CONDITIONS`].
    fn bind_values(&self) -> Vec<BindValue<'_>> {
        let PayRunFilter {
            status,
            company_id,
            check_date_from,
            check_date_to,
            overdue_on,
            visible_companies: within,
            order: _,
        } = &self.filter;
        let (status, company_id) = (status.map(|it| it.as_str()), company_id.as_ref().map(|it| it.as_str()));
        let mut values: Vec<BindValue<'_>> =
            binds![status, company_id, *check_date_from, *check_date_to, *overdue_on].into();
        values.extend(filters::company_id_binds(within.as_deref()));
        values
    }
}

impl OffsetCollection for PayRuns {
    type Item = PayRun;

    fn read_size<'c>(&'c self, conn: &'c Conn) -> BoxFuture<'c, Outcome<Option<ListSize>>> {
        // The query adds the versions modulo 2^31, so that each sum fits into 64 bits. A new version of an
        // object has another remainder, so the sum changes too.
        const SELECT_SIZE: &str = sql![
            "SELECT count(*), CAST(coalesce(sum(p.version % 2147483648), 0) AS BIGINT), \
                CAST(coalesce(sum(c.version % 2147483648), 0) AS BIGINT) \
                FROM pay_periods p JOIN companies c ON c.company_id = p.company_id WHERE ",
            FILTER_CONDITIONS
        ];
        Box::pin(async move {
            let row: Option<(i64, i64, i64)> =
                conn.query_row(query!(SELECT_SIZE, self.bind_values())).await?;
            let size = |(total, periods, companies): (i64, i64, i64)| {
                let version = combine_versions(companies, periods);
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
        const SELECT_PAGE: &str =
            sql![SELECT_PAY_RUNS, FILTER_CONDITIONS, " ORDER BY ", DEFAULT_ORDER, window!("$8", "$9")];
        // $8 contains the requested order. The sort expressions of all other orders are constant and have no
        // effect.
        //
        // `~x` is `-1 - x`, which reverses the order and, unlike `-x`, never exceeds 64 bits.
        //
        // No index has these orders. This is acceptable, because the few unprocessed pay runs of thousands of
        // companies are sorted within milliseconds.
        const SELECT_SORTED_PAGE: &str = sql![
            SELECT_PAY_RUNS,
            FILTER_CONDITIONS,
            " ORDER BY CASE WHEN $8 = '-checkdate' THEN p.check_date END DESC, \
                CASE WHEN $8 = 'company' THEN ",
            LOWER_COMPANY_NAME,
            " END, CASE WHEN $8 = '-company' THEN ",
            LOWER_COMPANY_NAME,
            " END DESC, \
                CASE WHEN $8 IN ('submitby', '-submitby') AND p.submit_by_date IS NULL THEN 1 ELSE 0 END, \
                CASE WHEN $8 = 'submitby' THEN p.submit_by_date END, \
                CASE WHEN $8 = '-submitby' THEN p.submit_by_date END DESC, \
                CASE $8 WHEN 'checks' THEN p.check_count - p.removed_checks \
                    WHEN '-checks' THEN p.removed_checks - p.check_count \
                    WHEN 'gross' THEN p.total_gross_earnings \
                    WHEN '-gross' THEN ~p.total_gross_earnings END, ",
            DEFAULT_ORDER,
            window!("$9", "$10")
        ];
        Box::pin(async move {
            let mut values = self.bind_values();
            let order = self.filter.order;
            let rows: Vec<PayRunRow> = if order == PayRunOrder::default() {
                values.extend(binds![page.limit, page.offset]);
                conn.query_rows(query!(SELECT_PAGE, values)).await?
            } else {
                values.extend(binds![order.as_str(), page.limit, page.offset]);
                conn.query_rows(query!(SELECT_SORTED_PAGE, values)).await?
            };
            rows.into_iter().map(to_pay_run).collect()
        })
    }
}

impl PayRuns {
    /// Reads the totals over all selected pay runs.
    pub(in super::super) async fn read_totals(&self, conn: &Conn) -> Outcome<PayRunTotals> {
        // The total of one period fits into 64 bits, but a sum of many may not. Each amount is therefore
        // divided by 1,000,000, and the quotients and remainders are added up separately. Both sums fit into
        // 64 bits. They are exact, because SQLite and PostgreSQL truncate quotients towards zero.
        const SELECT_TOTALS: &str = sql![
            "SELECT count(*), CAST(coalesce(sum(p.check_count - p.removed_checks), 0) AS BIGINT), \
                CAST(coalesce(sum(p.total_gross_earnings / 1000000), 0) AS BIGINT), \
                CAST(coalesce(sum(p.total_gross_earnings % 1000000), 0) AS BIGINT), \
                CAST(coalesce(sum(p.total_deductions / 1000000), 0) AS BIGINT), \
                CAST(coalesce(sum(p.total_deductions % 1000000), 0) AS BIGINT) FROM pay_periods p WHERE ",
            FILTER_CONDITIONS
        ];
        let row: Option<(i64, i64, i64, i64, i64, i64)> =
            conn.query_row(query!(SELECT_TOTALS, self.bind_values())).await?;
        let (pay_runs, checks, gross, gross_rest, deductions, deductions_rest) = row.unwrap_or_default();
        let at = RowLocation { table: "pay_periods", key: "their sums" };
        Ok(PayRunTotals {
            pay_runs: to_unsigned_count(pay_runs)?,
            checks: to_unsigned_count(checks)?,
            gross_earnings: at.read_amount_of_sums(gross, gross_rest)?,
            deductions: at.read_amount_of_sums(deductions, deductions_rest)?,
        })
    }
}

fn to_pay_run((period, totals, names): PayRunRow) -> Outcome<PayRun> {
    let company_id =
        RowLocation { table: "pay_periods", key: period.id() }.parse_id(&period.state.company_id)?;
    let summary = to_summary(&period, &totals)?;
    Ok(PayRun { company_id, display_id: names.display_id, legal_name: names.legal_name, summary })
}
