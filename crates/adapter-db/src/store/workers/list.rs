//! A company's workers, as partners list them.

use futures_util::future::BoxFuture;
use payroll_ports::workers::WorkerView;

use super::super::filters::WorkerCondition;
use super::super::lists::{ListFilter, ListQuery, PagedList, WorkerSelection};
use super::super::objects::{group_by_owner, take_children};
use super::super::parts::{ChildrenQuery, ListStatements};
use super::super::{Conn, dialect, filters};
use super::named::{WorkerWithNamesRow, select_workers_with_names};
use super::tax_ids::require_hashed_tax_ids;
use crate::error::{Failure, Outcome};
use crate::rows::company::CommunicationRow;
use crate::rows::workers::WorkerRow;
use crate::statement::{BindValue, sql, window};
use crate::table::TableDefinition;

/// The workers that match the filter.
pub(super) struct FilteredWorkers;

/// The order and the page for the workers of the company $1: limit $2, offset $3.
const PAGE_OF_ALL: &str = concat!(" ORDER BY created, worker_id", window!("$2", "$3"));

/// The order and page of the filtered workers of the company $1: limit $16, offset $17.
const PAGE_OF_FILTERED: &str =
    sql![filters::WORKER_CONDITIONS, " ORDER BY created, worker_id", window!("$16", "$17")];

/// The order and page of the workers whose tax ID ends with some digits: limit $18, offset $19. The `+` sign
/// prevents SQLite from using the index of this order, because SQLite would then read all workers of the
/// company. Instead, SQLite finds the few matches by their own index and sorts them.
const PAGE_OF_LAST_FOUR_MATCHES: &str =
    sql![filters::LAST_FOUR_DIGITS_CONDITIONS, " ORDER BY +created, worker_id", window!("$18", "$19")];

/// The order and page of the changed workers: limit $17, offset $18, sorted like the workers of
/// [`PAGE_OF_LAST_FOUR_MATCHES`].
const PAGE_OF_CHANGED: &str =
    sql![filters::CHANGED_WORKER_CONDITIONS, " ORDER BY +created, worker_id", window!("$17", "$18")];

/// The order and page of the workers with a family name: limit $19, offset $20, sorted like the workers of
/// [`PAGE_OF_LAST_FOUR_MATCHES`].
const PAGE_OF_NAMED: &str =
    sql![filters::NAMED_WORKER_CONDITIONS, " ORDER BY +created, worker_id", window!("$19", "$20")];

/// Reads the communications of the workers on a page. The company is compared with the column of the listed
/// workers and not with `$1`. With `$1`, SQLite would read all communications of the company.
const SELECT_COMMUNICATIONS: &str = sql![
    "SELECT ",
    CommunicationRow::COLUMNS,
    " FROM (SELECT company_id AS listed_company, worker_id AS listed_id FROM listed) l \
     JOIN communications ON company_id = listed_company AND owner_id = listed_id",
    dialect::same_company_condition!("$1")
];

/// The statements for the workers that match a condition.
macro_rules! list_statements {
    ($condition:expr, $listed:expr, $children:expr) => {
        &ListStatements {
            size: sql![
                "SELECT count(*), CAST(NULL AS BIGINT) FROM workers WHERE company_id = $1",
                $condition
            ],
            page: select_workers_with_names![$listed],
            children: $children,
        }
    };
}

/// The query for the communications of the workers on a page.
const COMMUNICATIONS_OF_WORKERS: ChildrenQuery =
    ChildrenQuery { id: "worker_id", text: SELECT_COMMUNICATIONS };

/// The statements for workers whose tax ID ends with some digits.
const LAST_FOUR_TEXTS: &ListStatements =
    list_statements!(filters::LAST_FOUR_DIGITS_CONDITIONS, PAGE_OF_LAST_FOUR_MATCHES, None);
/// The statements for changed workers.
const CHANGED_WORKERS_TEXTS: &ListStatements =
    list_statements!(filters::CHANGED_WORKER_CONDITIONS, PAGE_OF_CHANGED, None);

/// The statements for workers with a family name.
const NAMED_WORKERS_TEXTS: &ListStatements =
    list_statements!(filters::NAMED_WORKER_CONDITIONS, PAGE_OF_NAMED, None);

/// Statements whose query plans are tested.
#[cfg(test)]
pub(crate) const STATEMENTS_OF_LAST_FOUR: [&str; 2] = [LAST_FOUR_TEXTS.size, LAST_FOUR_TEXTS.page];
#[cfg(test)]
pub(crate) const STATEMENTS_OF_CHANGED: [&str; 2] = [CHANGED_WORKERS_TEXTS.size, CHANGED_WORKERS_TEXTS.page];
#[cfg(test)]
pub(crate) const STATEMENTS_OF_FAMILY_NAME: [&str; 2] = [NAMED_WORKERS_TEXTS.size, NAMED_WORKERS_TEXTS.page];

impl PagedList for FilteredWorkers {
    type Item = WorkerView;
    type Row = WorkerWithNamesRow;
    type Child = CommunicationRow;

    /// Returns the statements for a query. Without a filter, the statements have no condition. With a
    /// condition, PostgreSQL would expect only a few matches, and would sort all workers of the company for
    /// each page.
    fn statements(query: &ListQuery) -> Outcome<&'static ListStatements> {
        let selection = worker_selection(query)?;
        let has_communications = selection.detail.has_communications();
        Ok(match (WorkerCondition::for_filter(&selection.filter), has_communications) {
            (WorkerCondition::None, true) => {
                list_statements!("", PAGE_OF_ALL, Some(COMMUNICATIONS_OF_WORKERS))
            }
            (WorkerCondition::None, false) => list_statements!("", PAGE_OF_ALL, None),
            (WorkerCondition::Filter, true) => {
                list_statements!(
                    filters::WORKER_CONDITIONS,
                    PAGE_OF_FILTERED,
                    Some(COMMUNICATIONS_OF_WORKERS)
                )
            }
            (WorkerCondition::Filter, false) => {
                list_statements!(filters::WORKER_CONDITIONS, PAGE_OF_FILTERED, None)
            }
            (WorkerCondition::LastFour, true) => {
                list_statements!(
                    filters::LAST_FOUR_DIGITS_CONDITIONS,
                    PAGE_OF_LAST_FOUR_MATCHES,
                    Some(COMMUNICATIONS_OF_WORKERS)
                )
            }
            (WorkerCondition::LastFour, false) => LAST_FOUR_TEXTS,
            (WorkerCondition::ModifiedSince, true) => {
                list_statements!(
                    filters::CHANGED_WORKER_CONDITIONS,
                    PAGE_OF_CHANGED,
                    Some(COMMUNICATIONS_OF_WORKERS)
                )
            }
            (WorkerCondition::ModifiedSince, false) => CHANGED_WORKERS_TEXTS,
            (WorkerCondition::FamilyName, true) => {
                list_statements!(
                    filters::NAMED_WORKER_CONDITIONS,
                    PAGE_OF_NAMED,
                    Some(COMMUNICATIONS_OF_WORKERS)
                )
            }
            (WorkerCondition::FamilyName, false) => NAMED_WORKERS_TEXTS,
        })
    }

    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
        let WorkerSelection { filter, last_four_hashes, .. } = worker_selection(query)?;
        Ok(filters::worker_filter_binds(query.company_id(), filter, last_four_hashes))
    }

    fn check_readable<'c>(conn: &'c Conn, query: &'c ListQuery) -> BoxFuture<'c, Outcome<()>> {
        Box::pin(async move {
            match worker_selection(query)?.filter.last_four {
                Some(_) => require_hashed_tax_ids(conn, query.company_id()).await,
                None => Ok(()),
            }
        })
    }

    fn row_id(row: &Self::Row) -> &str {
        row.worker_id()
    }

    fn items_from_rows(
        rows: Vec<Self::Row>,
        mut children: Vec<Self::Child>,
        query: &ListQuery,
    ) -> Outcome<Vec<Self::Item>> {
        let detail = worker_selection(query)?.detail;
        children.sort_by_key(|child| child.position);
        let mut owned = group_by_owner(children);
        let view = |row: WorkerWithNamesRow| {
            let id = row.worker_id().to_owned();
            let mut view = row.into_worker_view(detail, &query.sealer)?;
            view.worker.communications = take_children(&mut owned, &id, CommunicationRow::decode_value)?;
            Ok(view)
        };
        rows.into_iter().map(view).collect()
    }
}

/// Returns the filter of a query for workers.
fn worker_selection(query: &ListQuery) -> Outcome<&WorkerSelection> {
    match &query.filter {
        ListFilter::Workers(selection) => Ok(selection),
        ListFilter::All
        | ListFilter::PageOfCompanies
        | ListFilter::Periods(_)
        | ListFilter::PageOfPeriods
        | ListFilter::Components(_)
        | ListFilter::Lookup(_) => Err(Failure::Bug("workers are listed without their filter".to_owned())),
    }
}
