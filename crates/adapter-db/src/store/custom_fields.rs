//! A company's custom fields: reading them, and what new ones are judged on.

use futures_util::future::BoxFuture;
use futures_util::try_join;
use payroll_domain::access::Guarded;
use payroll_domain::custom_field::{CustomField, CustomFieldFacts};

use super::lists::{Asked, List, Page, Size, count};
use super::{Conn, access};
use crate::error::Outcome;
use crate::fixed::{binds, query, sql, window};
use crate::rows::custom_fields::{CategoryRow, CustomFieldRow, DropdownRow};
use crate::table::Table;

/// Custom fields, drop-downs with their choices.
pub(super) struct CustomFields;

impl List for CustomFields {
    type Item = CustomField;

    fn size<'c>(conn: &'c Conn, asked: &'c Asked) -> BoxFuture<'c, Outcome<Size>> {
        const COUNT: &str = "SELECT count(*) FROM custom_fields WHERE company_id = $1";
        Box::pin(count(conn, COUNT, asked.company_id()))
    }

    fn page<'c>(conn: &'c Conn, asked: &'c Asked, page: Page) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        const PAGE: &str = sql![
            "SELECT ",
            CustomFieldRow::COLUMNS,
            " FROM custom_fields WHERE company_id = $1 ORDER BY created, custom_field_id",
            window!("$2", "$3")
        ];
        const CHOICES: &str = sql![
            "SELECT ",
            DropdownRow::COLUMNS,
            " FROM dropdown_choices WHERE company_id = $1 AND custom_field_id IN (\
                SELECT custom_field_id FROM custom_fields WHERE company_id = $1 \
                ORDER BY created, custom_field_id",
            window!("$2", "$3"),
            ") ORDER BY position"
        ];
        Box::pin(async move {
            let values = binds![asked.company_id(), page.limit, page.offset];
            let (fields, choices): (Vec<CustomFieldRow>, Vec<DropdownRow>) =
                try_join!(conn.rows(query(PAGE, values.clone())), conn.rows(query(CHOICES, values)),)?;
            fields.into_iter().map(|row| with_choices(row, &choices)).collect()
        })
    }
}

fn with_choices(row: CustomFieldRow, all: &[DropdownRow]) -> Outcome<CustomField> {
    let own = all.iter().filter(|choice| choice.custom_field_id == row.custom_field_id);
    let own = own.cloned().map(DropdownRow::choice).collect::<Outcome<_>>()?;
    row.custom_field(own)
}

/// What a new custom field is judged on.
pub(super) async fn facts(conn: &Conn, asked: &Asked) -> Outcome<Guarded<CustomFieldFacts>> {
    const CATEGORIES: &str = sql![
        "SELECT ",
        CategoryRow::COLUMNS,
        " FROM custom_field_categories WHERE company_id = $1 ORDER BY created, category_id"
    ];
    const NAMES: &str = "SELECT name FROM custom_fields WHERE company_id = $1";
    let id = asked.company_id();
    let ((access, _), categories, names) = try_join!(
        access::read(conn, &asked.caller, Some(id)),
        conn.rows(query(CATEGORIES, binds![id])),
        conn.rows(query(NAMES, binds![id])),
    )?;
    let categories: Vec<CategoryRow> = categories;
    let names: Vec<(String,)> = names;
    let facts = CustomFieldFacts {
        categories: categories.into_iter().map(CategoryRow::category).collect::<Outcome<_>>()?,
        used_names: names.into_iter().map(|(name,)| name).collect(),
    };
    Ok(Guarded::new(access, facts))
}
