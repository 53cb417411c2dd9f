//! Reads a company's custom fields, and the data for validating a new custom field.

use futures_util::try_join;
use payroll_domain::access::Guarded;
use payroll_domain::custom_field::{CustomField, CustomFieldFacts};
use payroll_domain::resource::Resource;

use super::lists::{ListQuery, PagedList, count_rows_sql};
use super::parts::{ChildrenQuery, ListStatements};
use super::{Conn, access, dialect};
use crate::error::Outcome;
use crate::rows::custom_fields::{CustomFieldRow, DropdownRow};
use crate::rows::lists::CategoryRow;
use crate::statement::{BindValue, binds, query, sql, window};
use crate::table::TableDefinition;

/// Custom fields with the choices of drop-downs.
pub(super) struct CustomFields;

impl PagedList for CustomFields {
    type Item = Resource;
    type Row = CustomFieldRow;
    type Child = DropdownRow;

    fn statements(_: &ListQuery) -> Outcome<&'static ListStatements> {
        Ok(&ListStatements {
            size: count_rows_sql!("custom_fields"),
            page: sql![
                "SELECT ",
                CustomFieldRow::COLUMNS,
                " FROM custom_fields WHERE company_id = $1 ORDER BY created, custom_field_id",
                window!("$2", "$3")
            ],
            children: Some(ChildrenQuery {
                id: "custom_field_id",
                text: sql![
                    "SELECT ",
                    DropdownRow::COLUMNS,
                    " FROM (SELECT company_id AS listed_company, custom_field_id AS listed_id FROM listed) l \
                 JOIN dropdown_choices ON company_id = listed_company AND custom_field_id = listed_id",
                    dialect::same_company_condition!("$1")
                ],
            }),
        })
    }

    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
        Ok(binds![query.company_id()].into())
    }

    fn row_id(row: &Self::Row) -> &str {
        &row.custom_field_id
    }

    fn items_from_rows(
        rows: Vec<Self::Row>,
        mut children: Vec<Self::Child>,
        _: &ListQuery,
    ) -> Outcome<Vec<Self::Item>> {
        children.sort_by_key(|child| child.position);
        let whole = |row| Ok(Resource::CustomField(Box::new(combine_with_choices(row, &children)?)));
        rows.into_iter().map(whole).collect()
    }
}

fn combine_with_choices(row: CustomFieldRow, all: &[DropdownRow]) -> Outcome<CustomField> {
    let own = all.iter().filter(|choice| choice.owner == row.custom_field_id);
    let own = own.cloned().map(DropdownRow::decode_value).collect::<Outcome<_>>()?;
    row.into_custom_field(own)
}

/// Reads the stored data for validating a new custom field.
pub(super) async fn read_custom_field_validation_data(
    conn: &Conn,
    query: &ListQuery,
) -> Outcome<Guarded<CustomFieldFacts>> {
    const SELECT_CATEGORIES: &str = sql![
        "SELECT ",
        CategoryRow::COLUMNS,
        " FROM custom_field_categories WHERE company_id = $1 ORDER BY created, category_id"
    ];
    const SELECT_NAMES: &str = "SELECT name FROM custom_fields WHERE company_id = $1";
    let id = query.company_id();
    let ((access, _), categories, names) = try_join!(
        access::read_access(conn, &query.caller, Some(id)),
        conn.query_rows(query!(SELECT_CATEGORIES, binds![id])),
        conn.query_rows(query!(SELECT_NAMES, binds![id])),
    )?;
    let categories: Vec<CategoryRow> = categories;
    let names: Vec<(String,)> = names;
    let facts = CustomFieldFacts {
        categories: categories.into_iter().map(CategoryRow::decode_value).collect::<Outcome<_>>()?,
        used_names: names.into_iter().map(|(name,)| name).collect(),
    };
    Ok(Guarded::new(access, facts))
}
