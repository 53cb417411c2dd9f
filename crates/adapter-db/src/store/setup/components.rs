//! A company's pay components, as partners list them.

use payroll_domain::pay_component::PayComponent;

use super::super::filters;
use super::super::lists::{ListFilter, ListQuery, PagedList};
use super::super::parts::ListStatements;
use crate::error::{Failure, Outcome};
use crate::rows::lists::PayComponentRow;
use crate::statement::{BindValue, sql, window};
use crate::table::TableDefinition;

/// The pay components that match the filter.
pub(super) struct PayComponents;

/// The condition for the components of the company $1.
const FILTERED_COMPONENTS_SQL: &str =
    sql![" FROM pay_components WHERE company_id = $1", filters::COMPONENT_CONDITIONS];

impl PagedList for PayComponents {
    type Item = PayComponent;
    type Row = PayComponentRow;
    type Child = ();

    fn statements(_: &ListQuery) -> Outcome<&'static ListStatements> {
        Ok(&ListStatements {
            size: sql!["SELECT count(*), CAST(NULL AS BIGINT)", FILTERED_COMPONENTS_SQL],
            page: sql![
                "SELECT ",
                PayComponentRow::COLUMNS,
                FILTERED_COMPONENTS_SQL,
                " ORDER BY created, component_id",
                window!("$9", "$10")
            ],
            children: None,
        })
    }

    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
        component_bind_values(query)
    }

    fn items_from_rows(rows: Vec<Self::Row>, _: Vec<()>, _: &ListQuery) -> Outcome<Vec<Self::Item>> {
        rows.into_iter().map(PayComponentRow::decode_value).collect()
    }
}

/// Returns the company and the values of the filter.
fn component_bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
    let ListFilter::Components(filter) = &query.filter else {
        return Err(Failure::Bug("pay components are listed without their filter".to_owned()));
    };
    Ok(filters::component_filter_binds(query.company_id(), filter))
}
