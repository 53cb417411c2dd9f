//! A company's pay components, as partners list them.

use payroll_domain::pay_component::PayComponent;
use payroll_ports::setup::ComponentFilter;

use super::super::lists::{Filter, List, ListQuery};
use super::super::parts::Texts;
use crate::error::{Failure, Outcome};
use crate::fixed::{Bind, sql, window};
use crate::rows::lists::PayComponentRow;
use crate::table::Table;

/// Pay components, those that the filter wants.
pub(super) struct PayComponents;

/// The components of the company $1 that are wanted: of the effect $2, the classification $3 and
/// the name $4, where those are given.
macro_rules! wanted {
    () => {
        " FROM pay_components WHERE company_id = $1 \
         AND (CAST($2 AS TEXT) IS NULL OR effect_on_pay = $2) \
         AND (CAST($3 AS TEXT) IS NULL OR classification_type = $3) \
         AND (CAST($4 AS TEXT) IS NULL OR name = $4)"
    };
}

impl List for PayComponents {
    type Item = PayComponent;
    type Row = PayComponentRow;
    type Child = ();

    fn texts(_: &ListQuery) -> Outcome<&'static Texts> {
        Ok(&Texts {
            size: concat!("SELECT count(*), CAST(NULL AS BIGINT)", wanted!()),
            page: sql![
                "SELECT ",
                PayComponentRow::COLUMNS,
                wanted!(),
                " ORDER BY created, component_id",
                window!("$5", "$6")
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

/// The company, and what the filter wants of it.
fn values(query: &ListQuery) -> Outcome<Vec<Bind<'_>>> {
    let Filter::Components(ComponentFilter { effect_on_pay, classification_type, name }) = &query.filter
    else {
        return Err(Failure::Bug("pay components are listed without their filter".to_owned()));
    };
    let effect = effect_on_pay.map(|effect| effect.as_str());
    let classification = classification_type.map(|classification| classification.as_str());
    let company = Bind::from(query.company_id());
    Ok(vec![company, Bind::from(effect), Bind::from(classification), Bind::from(name)])
}
