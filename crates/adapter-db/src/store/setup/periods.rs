//! A company's pay periods, as partners list them.

use payroll_ports::filters::PeriodFilter;
use payroll_ports::resources::Versioned;
use payroll_ports::setup::PeriodWithCheckCount;

use super::super::filters;
use super::super::lists::{ListFilter, ListQuery, PagedList, to_unsigned_count};
use super::super::objects;
use super::super::objects::StoredObject;
use super::super::parts::ListStatements;
use super::super::windows::combine_versions;
use crate::error::{Failure, Outcome};
use crate::rows::pay_period::PayPeriodRow;
use crate::statement::{BindValue, sql, window};
use crate::table::TableDefinition;

/// The pay periods that match the filter.
pub(super) struct PayPeriods;

/// The version of a list of periods: the sum of the periods' versions. Remainders of the versions are added,
/// so that the sum fits into 64 bits.
const PERIODS_VERSION_SQL: &str = "CAST(coalesce(sum(CAST(version % 2147483648 AS INTEGER)), 0) AS BIGINT)";

const FILTERED_PERIODS_TEXTS: ListStatements = ListStatements {
    // The version includes all periods, since any of them may match the filter later.
    size: sql![
        "SELECT count(*) FILTER (WHERE ",
        filters::PERIOD_CONDITIONS,
        "), ",
        PERIODS_VERSION_SQL,
        " FROM pay_periods WHERE company_id = $1"
    ],
    page: sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND ",
        filters::PERIOD_CONDITIONS,
        " ORDER BY created, pay_period_id",
        window!("$6", "$7")
    ],
    children: None,
};

/// Selects a page of all periods. This text is the end of the statement and follows the columns of its
/// SELECT.
const FROM_PAGE_OF_PERIODS_SQL: &str =
    concat!(" FROM pay_periods WHERE company_id = $1 ORDER BY created, pay_period_id", window!("$2", "$3"));

/// The statements without a filter. Of the periods outside the page, only the number and the versions are
/// read.
const ALL_PERIODS_TEXTS: ListStatements = ListStatements {
    size: sql!["SELECT count(*), ", PERIODS_VERSION_SQL, " FROM pay_periods WHERE company_id = $1"],
    page: sql!["SELECT ", PayPeriodRow::COLUMNS, FROM_PAGE_OF_PERIODS_SQL],
    children: None,
};

/// The statements for one page of all periods. The version only covers the periods on the page. An added or
/// removed period can move other periods between pages, but it also increases the company's version.
const PAGE: ListStatements = ListStatements {
    size: sql![
        "SELECT counted.periods, page.version \
         FROM (SELECT count(*) AS periods FROM pay_periods WHERE company_id = $1) counted \
         CROSS JOIN (SELECT ",
        PERIODS_VERSION_SQL,
        " AS version FROM (SELECT version",
        FROM_PAGE_OF_PERIODS_SQL,
        ") periods) page"
    ],
    ..ALL_PERIODS_TEXTS
};

impl PagedList for PayPeriods {
    type Item = PeriodWithCheckCount;
    type Row = PayPeriodRow;
    type Child = ();

    fn statements(query: &ListQuery) -> Outcome<&'static ListStatements> {
        Ok(match period_filter(query)? {
            None => &PAGE,
            Some(filter) if filter.is_empty() => &ALL_PERIODS_TEXTS,
            Some(_) => &FILTERED_PERIODS_TEXTS,
        })
    }

    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
        period_bind_values(query)
    }

    fn items_from_rows(rows: Vec<Self::Row>, _: Vec<()>, _: &ListQuery) -> Outcome<Vec<Self::Item>> {
        rows.iter().map(to_period_with_check_count).collect()
    }

    /// Combines the version of the periods and the version of the company. A change of checks increases the
    /// period's version. An added or removed period increases the company's version.
    fn choose_version(periods: Option<i64>, company: Option<i64>) -> i64 {
        combine_versions(company.unwrap_or(0), periods.unwrap_or(0))
    }
}

/// Returns the company and the values of the filter.
fn period_bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
    Ok(match period_filter(query)? {
        Some(filter) if !filter.is_empty() => filters::period_filter_binds(query.company_id(), filter),
        _ => vec![BindValue::from(query.company_id())],
    })
}

/// Returns the filter of the periods. `None` for a page of all periods.
fn period_filter(query: &ListQuery) -> Outcome<Option<&PeriodFilter>> {
    match &query.filter {
        ListFilter::Periods(filter) => Ok(Some(filter)),
        ListFilter::PageOfPeriods => Ok(None),
        _ => Err(Failure::Bug("pay periods are listed without their filter".to_owned())),
    }
}

/// Returns one period with its version.
pub(super) fn to_versioned_period(
    found: StoredObject<objects::PayPeriods>,
) -> Outcome<Versioned<PeriodWithCheckCount>> {
    let check_count = to_unsigned_count(found.row.checks())?;
    let version = found.version();
    Ok(Versioned { value: PeriodWithCheckCount { period: found.object, check_count }, version })
}

fn to_period_with_check_count(row: &PayPeriodRow) -> Outcome<PeriodWithCheckCount> {
    Ok(PeriodWithCheckCount { period: row.decode_value()?, check_count: to_unsigned_count(row.checks())? })
}
