//! A company's workers, as partners list them.

use futures_util::future::BoxFuture;
use payroll_ports::workers::WorkerView;

use super::super::filters::WorkerCondition;
use super::super::lists::{Filter, List, ListQuery, WorkerSelection};
use super::super::objects::{by_owner, take_children};
use super::super::parts::{Children, Texts};
use super::super::{Conn, dialect, filters};
use super::named::{WorkerWithNamesRow, with_names};
use super::tax_ids::all_are_hashed;
use crate::error::{Failure, Outcome};
use crate::rows::company::CommunicationRow;
use crate::rows::workers::WorkerRow;
use crate::statement::{Bind, sql, window};
use crate::table::Table;

/// The workers that match the filter.
pub(super) struct Workers;

/// The order and the page for the workers of the company $1: limit $2, offset $3.
const ALL_LISTED: &str = concat!(" ORDER BY created, worker_id", window!("$2", "$3"));

/// The order and page of the filtered workers of the company $1: limit $16, offset $17.
const WANTED_LISTED: &str =
    sql![filters::WANTED_WORKERS, " ORDER BY created, worker_id", window!("$16", "$17")];

/// The order and page of the workers whose tax ID ends with some digits: limit $18, offset $19. The `+` sign
/// keeps SQLite from using the index of this order, which would read all workers of the company. The few
/// matches are sorted instead.
const WITH_LAST_FOUR_LISTED: &str =
    sql![filters::WITH_LAST_FOUR, " ORDER BY +created, worker_id", window!("$18", "$19")];

/// The order and page of the changed workers: limit $17, offset $18, sorted in the same way.
const CHANGED_LISTED: &str =
    sql![filters::CHANGED_WORKERS, " ORDER BY +created, worker_id", window!("$17", "$18")];

/// The order and page of the workers with a family name: limit $19, offset $20, sorted in the same way.
const NAMED_LISTED: &str =
    sql![filters::NAMED_WORKERS, " ORDER BY +created, worker_id", window!("$19", "$20")];

/// The communications of the workers on a page. The company is joined by its column. If both places had `=
/// $1`, SQLite would read all communications of the company and look each up in the list.
const COMMUNICATIONS: &str = sql![
    "SELECT ",
    CommunicationRow::COLUMNS,
    " FROM (SELECT company_id AS listed_company, worker_id AS listed_id FROM listed) l \
     JOIN communications ON company_id = listed_company AND owner_id = listed_id",
    dialect::in_company!("$1")
];

/// The statements for the workers that match a condition.
macro_rules! texts {
    ($condition:expr, $listed:expr, $children:expr) => {
        &Texts {
            size: sql![
                "SELECT count(*), CAST(NULL AS BIGINT) FROM workers WHERE company_id = $1",
                $condition
            ],
            page: with_names![$listed],
            children: $children,
        }
    };
}

/// The children of the workers on a page.
const CHILDREN: Children = Children { id: "worker_id", text: COMMUNICATIONS };

/// The statements for workers whose tax ID ends with some digits.
const OF_LAST_FOUR: &Texts = texts!(filters::WITH_LAST_FOUR, WITH_LAST_FOUR_LISTED, None);
/// The statements for changed workers.
const CHANGED: &Texts = texts!(filters::CHANGED_WORKERS, CHANGED_LISTED, None);

/// The statements for workers with a family name.
const NAMED: &Texts = texts!(filters::NAMED_WORKERS, NAMED_LISTED, None);

/// Statements whose query plans are tested.
#[cfg(test)]
pub(crate) const STATEMENTS_OF_LAST_FOUR: [&str; 2] = [OF_LAST_FOUR.size, OF_LAST_FOUR.page];
#[cfg(test)]
pub(crate) const STATEMENTS_OF_CHANGED: [&str; 2] = [CHANGED.size, CHANGED.page];
#[cfg(test)]
pub(crate) const STATEMENTS_OF_FAMILY_NAME: [&str; 2] = [NAMED.size, NAMED.page];

impl List for Workers {
    type Item = WorkerView;
    type Row = WorkerWithNamesRow;
    type Child = CommunicationRow;

    /// Returns the statements for a query. Without a filter they have no condition. With one, PostgreSQL
    /// would expect few matches and sort all workers of the company for a page.
    fn texts(query: &ListQuery) -> Outcome<&'static Texts> {
        let wanted = wanted_workers(query)?;
        let has_communications = wanted.detail.has_communications();
        Ok(match (WorkerCondition::for_filter(&wanted.filter), has_communications) {
            (WorkerCondition::None, true) => texts!("", ALL_LISTED, Some(CHILDREN)),
            (WorkerCondition::None, false) => texts!("", ALL_LISTED, None),
            (WorkerCondition::Filter, true) => {
                texts!(filters::WANTED_WORKERS, WANTED_LISTED, Some(CHILDREN))
            }
            (WorkerCondition::Filter, false) => texts!(filters::WANTED_WORKERS, WANTED_LISTED, None),
            (WorkerCondition::LastFour, true) => {
                texts!(filters::WITH_LAST_FOUR, WITH_LAST_FOUR_LISTED, Some(CHILDREN))
            }
            (WorkerCondition::LastFour, false) => OF_LAST_FOUR,
            (WorkerCondition::ModifiedSince, true) => {
                texts!(filters::CHANGED_WORKERS, CHANGED_LISTED, Some(CHILDREN))
            }
            (WorkerCondition::ModifiedSince, false) => CHANGED,
            (WorkerCondition::FamilyName, true) => {
                texts!(filters::NAMED_WORKERS, NAMED_LISTED, Some(CHILDREN))
            }
            (WorkerCondition::FamilyName, false) => NAMED,
        })
    }

    fn values(query: &ListQuery) -> Outcome<Vec<Bind<'_>>> {
        let WorkerSelection { filter, last_four_hashes, .. } = wanted_workers(query)?;
        Ok(filters::workers(query.company_id(), filter, last_four_hashes))
    }

    fn check<'c>(conn: &'c Conn, query: &'c ListQuery) -> BoxFuture<'c, Outcome<()>> {
        Box::pin(async move {
            match wanted_workers(query)?.filter.last_four {
                Some(_) => all_are_hashed(conn, query.company_id()).await,
                None => Ok(()),
            }
        })
    }

    fn id(row: &Self::Row) -> &str {
        row.worker_id()
    }

    fn items(
        rows: Vec<Self::Row>,
        mut children: Vec<Self::Child>,
        query: &ListQuery,
    ) -> Outcome<Vec<Self::Item>> {
        let detail = wanted_workers(query)?.detail;
        children.sort_by_key(|child| child.position);
        let mut owned = by_owner(children);
        let view = |row: WorkerWithNamesRow| {
            let id = row.worker_id().to_owned();
            let mut view = row.view(detail, &query.sealer)?;
            view.worker.communications = take_children(&mut owned, &id, CommunicationRow::value)?;
            Ok(view)
        };
        rows.into_iter().map(view).collect()
    }
}

/// Returns the filter of a query for workers.
fn wanted_workers(query: &ListQuery) -> Outcome<&WorkerSelection> {
    match &query.filter {
        Filter::Workers(wanted) => Ok(wanted),
        Filter::All
        | Filter::PageOfCompanies
        | Filter::Periods(_)
        | Filter::PageOfPeriods
        | Filter::Components(_)
        | Filter::Lookup(_) => Err(Failure::Bug("workers are listed without their filter".to_owned())),
    }
}
