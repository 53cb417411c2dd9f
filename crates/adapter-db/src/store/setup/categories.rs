//! A company's categories of custom fields.

use payroll_domain::custom_field::CustomFieldCategory;

use super::super::lists::{List, ListQuery, counted};
use super::super::parts::Texts;
use crate::error::Outcome;
use crate::fixed::{Bind, binds, sql, window};
use crate::rows::lists::CategoryRow;
use crate::table::Table;

/// Categories of custom fields.
pub(super) struct Categories;

impl List for Categories {
    type Item = CustomFieldCategory;
    type Row = CategoryRow;
    type Child = ();

    fn texts(_: &ListQuery) -> Outcome<&'static Texts> {
        Ok(&Texts {
            size: counted!("custom_field_categories"),
            page: sql![
                "SELECT ",
                CategoryRow::COLUMNS,
                " FROM custom_field_categories WHERE company_id = $1 ORDER BY created, category_id",
                window!("$2", "$3")
            ],
            children: None,
        })
    }

    fn values(query: &ListQuery) -> Outcome<Vec<Bind<'_>>> {
        Ok(binds![query.company_id()].into())
    }

    fn items(rows: Vec<Self::Row>, _: Vec<()>, _: &ListQuery) -> Outcome<Vec<Self::Item>> {
        rows.into_iter().map(CategoryRow::value).collect()
    }
}
