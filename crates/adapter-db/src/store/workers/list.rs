//! A company's workers, as partners list them.

use futures_util::future::BoxFuture;
use payroll_domain::worker::{StatusType, name_keys};
use payroll_ports::workers::{WorkerFilter, WorkerView};

use super::super::lists::{Filter, List, ListQuery, WantedWorkers};
use super::super::objects::{by_owner, taken};
use super::super::parts::{Children, Texts};
use super::super::{Conn, dialect};
use super::named::{NamedRow, with_names};
use super::tax_ids::all_are_hashed;
use crate::error::{Failure, Outcome};
use crate::fixed::{Bind, sql, window};
use crate::rows::company::CommunicationRow;
use crate::rows::workers::WorkerRow;
use crate::table::Table;

/// Workers, those that the filter wants.
pub(super) struct Workers;

/// Whether a worker of the company $1 is wanted: in one of the states $2, there since a day from
/// $3 to $4, with the employee id $5, at the place $6, with one of the given names $7 to $9 and one
/// of the family names $10 to $12. On both databases `lower` knows the letters from A to Z alone.
macro_rules! wanted {
    () => {
        concat!(
            " AND coalesce(status_type, '')",
            dialect::any!("$2"),
            " AND (CAST($3 AS DATE) IS NULL OR coalesce(status_effective_date, hire_date) >= $3) \
             AND (CAST($4 AS DATE) IS NULL OR coalesce(status_effective_date, hire_date) <= $4) \
             AND (CAST($5 AS TEXT) IS NULL OR employee_id = $5) \
             AND (CAST($6 AS TEXT) IS NULL OR location_id = $6) \
             AND (CAST($7 AS TEXT) IS NULL OR lower(given_name) IN ($7, $8, $9)) \
             AND (CAST($10 AS TEXT) IS NULL OR lower(family_name) IN ($10, $11, $12))"
        )
    };
}

/// The workers of the company $1: $2 of them behind the first $3.
macro_rules! all_listed {
    () => {
        concat!(" ORDER BY created, worker_id", window!("$2", "$3"))
    };
}

/// The wanted workers of the company $1: $13 of them behind the first $14.
macro_rules! wanted_listed {
    () => {
        concat!(wanted!(), " ORDER BY created, worker_id", window!("$13", "$14"))
    };
}

/// The same, of those whose tax identity has one of the hashes $13: $14 of them behind the first $15.
/// It is a condition by itself and not one more that may be absent, so that an index finds them.
macro_rules! with_last_four {
    () => {
        concat!(wanted!(), " AND last_four_hash", dialect::any!("$13"), " AND last_four_of = legal_id")
    };
}

/// The same workers in their order. The sign keeps SQLite from walking along the index of that order
/// through all workers of the company; few are found, and sorted.
macro_rules! with_last_four_listed {
    () => {
        concat!(with_last_four!(), " ORDER BY +created, worker_id", window!("$14", "$15"))
    };
}

/// The communications of the workers of a page. The company is joined by the column: beside `= $1`
/// SQLite would rather read all communications of the company, and look for each of them in the list.
const COMMUNICATIONS: &str = sql![
    "SELECT ",
    CommunicationRow::COLUMNS,
    " FROM (SELECT company_id AS listed_company, worker_id AS listed_id FROM listed) l \
     JOIN communications ON company_id = listed_company AND owner_id = listed_id"
];

/// Reads the workers that meet a condition.
macro_rules! texts {
    ($condition:expr, $listed:expr, $children:expr) => {
        &Texts {
            size: concat!(
                "SELECT count(*), CAST(NULL AS BIGINT) FROM workers WHERE company_id = $1",
                $condition
            ),
            page: with_names![$listed],
            children: $children,
        }
    };
}

/// How those are read whose tax identity ends with some digits.
const OF_LAST_FOUR: &Texts = texts!(with_last_four!(), with_last_four_listed!(), None);

/// The texts of it, whose plans are looked at.
#[cfg(test)]
pub(crate) const STATEMENTS_OF_LAST_FOUR: [&str; 2] = [OF_LAST_FOUR.size, OF_LAST_FOUR.page];

impl List for Workers {
    type Item = WorkerView;
    type Row = NamedRow;
    type Child = CommunicationRow;

    /// Where all are wanted, no condition stands in the texts: PostgreSQL would guess that few fit it,
    /// and sort all workers of the company for a page of them.
    fn texts(query: &ListQuery) -> Outcome<&'static Texts> {
        let wanted = wanted_workers(query)?;
        Ok(match (Condition::of(&wanted.filter), wanted.detail.has_communications()) {
            (Condition::None, true) => {
                texts!("", all_listed!(), Some(Children { id: "worker_id", text: COMMUNICATIONS }))
            }
            (Condition::None, false) => texts!("", all_listed!(), None),
            (Condition::Filter, true) => {
                texts!(wanted!(), wanted_listed!(), Some(Children { id: "worker_id", text: COMMUNICATIONS }))
            }
            (Condition::Filter, false) => texts!(wanted!(), wanted_listed!(), None),
            (Condition::LastFour, true) => {
                texts!(
                    with_last_four!(),
                    with_last_four_listed!(),
                    Some(Children { id: "worker_id", text: COMMUNICATIONS })
                )
            }
            (Condition::LastFour, false) => OF_LAST_FOUR,
        })
    }

    fn values(query: &ListQuery) -> Outcome<Vec<Bind<'_>>> {
        let WantedWorkers { filter, last_four_hashes, .. } = wanted_workers(query)?;
        let company_id = query.company_id();
        Ok(match Condition::of(filter) {
            Condition::None => vec![Bind::from(company_id)],
            Condition::Filter => values(company_id, filter),
            Condition::LastFour => {
                let mut values = values(company_id, filter);
                values.push(dialect::list(last_four_hashes.iter().map(String::as_str)));
                values
            }
        })
    }

    fn check<'c>(conn: &'c Conn, query: &'c ListQuery) -> BoxFuture<'c, Outcome<()>> {
        Box::pin(async move {
            match Condition::of(&wanted_workers(query)?.filter) {
                Condition::None | Condition::Filter => Ok(()),
                Condition::LastFour => all_are_hashed(conn, query.company_id()).await,
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
        let view = |row: NamedRow| {
            let id = row.worker_id().to_owned();
            let mut view = row.view(detail, &query.sealer)?;
            view.worker.communications = taken(&mut owned, &id, CommunicationRow::value)?;
            Ok(view)
        };
        rows.into_iter().map(view).collect()
    }
}

/// What stands in the statements about which workers are wanted.
enum Condition {
    None,
    Filter,
    LastFour,
}

impl Condition {
    fn of(filter: &WorkerFilter) -> Self {
        if filter.last_four.is_some() {
            Self::LastFour
        } else if *filter == WorkerFilter::default() {
            Self::None
        } else {
            Self::Filter
        }
    }
}

/// Which workers are wanted.
fn wanted_workers(query: &ListQuery) -> Outcome<&WantedWorkers> {
    match &query.filter {
        Filter::Workers(wanted) => Ok(wanted),
        Filter::All | Filter::Periods(_) | Filter::Components(_) => {
            Err(Failure::Bug("workers are listed without their filter".to_owned()))
        }
    }
}

/// The company, and what the filter wants of it.
fn values<'a>(company_id: &'a str, filter: &'a WorkerFilter) -> Vec<Bind<'a>> {
    let mut values = vec![Bind::from(company_id), states(&filter.statuses)];
    values.extend([&filter.from, &filter.to].map(Bind::from));
    values.extend([&filter.employee_id, &filter.location_id].map(Bind::from));
    for name in [&filter.given_name, &filter.family_name] {
        let keys = name.as_deref().map(name_keys);
        values.extend(keys.map_or([None, None, None], |keys| keys.map(Some)).map(Bind::from));
    }
    values
}

/// The states that are wanted; a worker without one has the empty one, and is wanted where all are.
fn states(wanted: &[StatusType]) -> Bind<'static> {
    let all = if wanted.is_empty() { StatusType::ALL } else { wanted };
    let none = wanted.is_empty().then_some("");
    dialect::list(all.iter().map(|state| state.as_str()).chain(none))
}

/// The filter, with texts that can be looked up.
pub(super) fn findable(filter: WorkerFilter) -> WorkerFilter {
    let findable = |text: Option<String>| text.map(|text| super::super::findable(&text));
    WorkerFilter {
        given_name: findable(filter.given_name),
        family_name: findable(filter.family_name),
        employee_id: findable(filter.employee_id),
        location_id: findable(filter.location_id),
        ..filter
    }
}
