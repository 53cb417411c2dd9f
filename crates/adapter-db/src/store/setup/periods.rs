//! A company's pay periods, as partners list them.

use payroll_ports::filters::PeriodFilter;
use payroll_ports::resources::Versioned;
use payroll_ports::setup::CountedPeriod;

use super::super::filters;
use super::super::lists::{Filter, List, ListQuery, unsigned};
use super::super::objects::{self, StoredObject};
use super::super::parts::Texts;
use super::super::windows::version_of_both;
use crate::error::{Failure, Outcome};
use crate::fixed::{Bind, sql, window};
use crate::rows::pay_period::PayPeriodRow;
use crate::table::Table;

/// Pay periods, those that the filter wants.
pub(super) struct PayPeriods;

/// The version of periods. Their remainders show each step as well, and their sum stays within 64 bits.
const VERSION: &str = "CAST(coalesce(sum(CAST(version % 2147483648 AS INTEGER)), 0) AS BIGINT)";

const PERIODS: Texts = Texts {
    // All periods count for the version, since those that are not wanted may come to be.
    size: sql![
        "SELECT count(*) FILTER (WHERE ",
        filters::WANTED_PERIODS,
        "), ",
        VERSION,
        " FROM pay_periods WHERE company_id = $1"
    ],
    page: sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND ",
        filters::WANTED_PERIODS,
        " ORDER BY created, pay_period_id",
        window!("$6", "$7")
    ],
    children: None,
};

/// A page of all periods. The columns of a SELECT precede it.
const FROM_PAGE: &str =
    concat!(" FROM pay_periods WHERE company_id = $1 ORDER BY created, pay_period_id", window!("$2", "$3"));

/// The same where all are wanted: those before and behind the page are counted, and not read otherwise.
const ALL_PERIODS: Texts = Texts {
    size: sql!["SELECT count(*), ", VERSION, " FROM pay_periods WHERE company_id = $1"],
    page: sql!["SELECT ", PayPeriodRow::COLUMNS, FROM_PAGE],
    children: None,
};

/// One page of all, in a version of its own. Which of them are on it changes with the company's version.
const PAGE: Texts = Texts {
    size: sql![
        "SELECT counted.periods, page.version \
         FROM (SELECT count(*) AS periods FROM pay_periods WHERE company_id = $1) counted \
         CROSS JOIN (SELECT ",
        VERSION,
        " AS version FROM (SELECT version",
        FROM_PAGE,
        ") periods) page"
    ],
    ..ALL_PERIODS
};

impl List for PayPeriods {
    type Item = CountedPeriod;
    type Row = PayPeriodRow;
    type Child = ();

    fn texts(query: &ListQuery) -> Outcome<&'static Texts> {
        Ok(match wanted(query)? {
            None => &PAGE,
            Some(filter) if filter.is_empty() => &ALL_PERIODS,
            Some(_) => &PERIODS,
        })
    }

    fn values(query: &ListQuery) -> Outcome<Vec<Bind<'_>>> {
        values(query)
    }

    fn items(rows: Vec<Self::Row>, _: Vec<()>, _: &ListQuery) -> Outcome<Vec<Self::Item>> {
        rows.iter().map(counted_row).collect()
    }

    /// A check raises its period's version and not the company's, which shows that periods come
    /// and go.
    fn version(periods: Option<i64>, company: Option<i64>) -> i64 {
        version_of_both(company.unwrap_or(0), periods.unwrap_or(0))
    }
}

/// The company, and what the filter wants of it.
fn values(query: &ListQuery) -> Outcome<Vec<Bind<'_>>> {
    Ok(match wanted(query)? {
        Some(filter) if !filter.is_empty() => filters::periods(query.company_id(), filter),
        _ => vec![Bind::from(query.company_id())],
    })
}

/// What is wanted of the periods; nothing where it is a page of all.
fn wanted(query: &ListQuery) -> Outcome<Option<&PeriodFilter>> {
    match &query.filter {
        Filter::Periods(filter) => Ok(Some(filter)),
        Filter::PageOfPeriods => Ok(None),
        _ => Err(Failure::Bug("pay periods are listed without their filter".to_owned())),
    }
}

/// One period, in its version.
pub(super) fn counted(found: StoredObject<objects::PayPeriods>) -> Outcome<Versioned<CountedPeriod>> {
    let check_count = unsigned(found.row.checks())?;
    let version = found.version();
    Ok(Versioned { value: CountedPeriod { period: found.object, check_count }, version })
}

fn counted_row(row: &PayPeriodRow) -> Outcome<CountedPeriod> {
    Ok(CountedPeriod { period: row.value()?, check_count: unsigned(row.checks())? })
}
