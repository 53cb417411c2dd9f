//! A company's categories of custom fields.

use futures_util::future::BoxFuture;
use payroll_domain::custom_field::CustomFieldCategory;

use super::super::Conn;
use super::super::lists::{Asked, List, Page, Size, count};
use crate::error::Outcome;
use crate::fixed::{binds, query, sql, window};
use crate::rows::custom_fields::CategoryRow;
use crate::table::Table;

/// Categories of custom fields.
pub(super) struct Categories;

impl List for Categories {
    type Item = CustomFieldCategory;

    fn size<'c>(conn: &'c Conn, asked: &'c Asked) -> BoxFuture<'c, Outcome<Size>> {
        const COUNT: &str = "SELECT count(*) FROM custom_field_categories WHERE company_id = $1";
        Box::pin(count(conn, COUNT, asked.company_id()))
    }

    fn page<'c>(conn: &'c Conn, asked: &'c Asked, page: Page) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        const PAGE: &str = sql![
            "SELECT ",
            CategoryRow::COLUMNS,
            " FROM custom_field_categories WHERE company_id = $1 ORDER BY created, category_id",
            window!("$2", "$3")
        ];
        Box::pin(async move {
            let values = binds![asked.company_id(), page.limit, page.offset];
            let rows: Vec<CategoryRow> = conn.rows(query(PAGE, values)).await?;
            rows.into_iter().map(CategoryRow::category).collect()
        })
    }
}
