//! A company's pay components, as partners list them.

use payroll_domain::pay_component::PayComponent;

use super::super::filters;
use super::super::lists::{Filter, List, ListQuery};
use super::super::parts::Texts;
use crate::error::{Failure, Outcome};
use crate::rows::lists::PayComponentRow;
use crate::statement::{Bind, sql, window};
use crate::table::Table;

/// The pay components that match the filter.
pub(super) struct PayComponents;

/// The condition for the components of the company $1.
const WANTED: &str = sql![" FROM pay_components WHERE company_id = $1", filters::WANTED_COMPONENTS];

impl List for PayComponents {
    type Item = PayComponent;
    type Row = PayComponentRow;
    type Child = ();

    fn texts(_: &ListQuery) -> Outcome<&'static Texts> {
        Ok(&Texts {
            size: sql!["SELECT count(*), CAST(NULL AS BIGINT)", WANTED],
            page: sql![
                "SELECT ",
                PayComponentRow::COLUMNS,
                WANTED,
                " ORDER BY created, component_id",
                window!("$9", "$10")
            ],
            children: None,
        })
    }

    fn values(query: &ListQuery) -> Outcome<Vec<Bind<'_>>> {
        values(query)
    }

    fn items(rows: Vec<Self::Row>, _: Vec<()>, _: &ListQuery) -> Outcome<Vec<Self::Item>> {
        rows.into_iter().map(PayComponentRow::value).collect()
    }
}

/// Returns the company and the values of the filter.
fn values(query: &ListQuery) -> Outcome<Vec<Bind<'_>>> {
    let Filter::Components(filter) = &query.filter else {
        return Err(Failure::Bug("pay components are listed without their filter".to_owned()));
    };
    Ok(filters::components(query.company_id(), filter))
}
