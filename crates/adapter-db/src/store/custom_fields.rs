//! A company's custom fields: reading, judging, adding.

use diesel::sql_types::{BigInt, Text};
use futures_util::future::BoxFuture;
use futures_util::{join, try_join};
use payroll_domain::access::Guarded;
use payroll_domain::audit::AuditedKind;
use payroll_domain::custom_field::{CustomField, CustomFieldFacts};
use payroll_domain::document::{self, TaxIds};
use payroll_domain::resource::Resource;
use payroll_ports::companies::NewCustomField;
use payroll_ports::write::By;

use super::lists::{Asked, List, Page, Size, count};
use super::trail::{Audited, Trail};
use super::{Conn, access, dialect, idempotency};
use crate::error::{Failure, Outcome};
use crate::fixed::{binds, query, sql, window};
use crate::rows::custom_fields::{CategoryRow, CustomFieldRow, DropdownRow};
use crate::seal::Sealer;
use crate::table::{OnConflict, Table};

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
            let (fields, choices): (Vec<CustomFieldRow>, Vec<DropdownRow>) = try_join!(
                conn.rows(query::<<CustomFieldRow as Table>::Sql>(PAGE, values.clone())),
                conn.rows(query::<<DropdownRow as Table>::Sql>(CHOICES, values)),
            )?;
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
        conn.rows(query::<<CategoryRow as Table>::Sql>(CATEGORIES, binds![id])),
        conn.rows(query::<(Text,)>(NAMES, binds![id])),
    )?;
    let categories: Vec<CategoryRow> = categories;
    let names: Vec<(String,)> = names;
    let facts = CustomFieldFacts {
        categories: categories.into_iter().map(CategoryRow::category).collect::<Outcome<_>>()?,
        used_names: names.into_iter().map(|(name,)| name).collect(),
    };
    Ok(Guarded::new(access, facts))
}

/// Adds a custom field; the company's new version keeps writers of its lists apart.
pub(super) async fn add(conn: &Conn, new: &NewCustomField, sealer: &Sealer) -> Outcome<()> {
    const COMPANY: &str =
        "UPDATE companies SET version = version + 1 WHERE company_id = $1 RETURNING version";
    const CATEGORY: &str =
        "SELECT count(*) FROM custom_field_categories WHERE company_id = $1 AND category_id = $2";
    const CREATED: &str = "SELECT coalesce(max(created), 0) FROM custom_fields WHERE company_id = $1";
    let id = new.company_id.as_str();
    let category = new.field.definition.category_id.as_ref().map(|category| category.as_str());
    let company: Option<(i64,)> = conn.row(query::<(BigInt,)>(COMPANY, binds![id])).await?;
    let (found, last, ()) = try_join!(
        conn.row(query::<(BigInt,)>(CATEGORY, binds![id, category])),
        conn.row(query::<(BigInt,)>(CREATED, binds![id])),
        idempotency::keep(conn, new.kept.as_ref()),
    )?;
    let (found, last): (Option<(i64,)>, Option<(i64,)>) = (found, last);
    if company.is_none() || (category.is_some() && found != Some((1,))) {
        return Err(Failure::FactsChanged);
    }
    // Behind every field that is there: the order of creation needs no clock.
    let created = last.map_or(1, |(last,)| last + 1);
    let mut row = CustomFieldRow::new(id, created, &new.field);
    row.version = new.now.as_micros();
    let by = By::application(&new.application_id, new.now, None);
    let choices = DropdownRow::all(id, &new.field);
    let (field, choices, noted) = join!(
        dialect::bulk(conn, OnConflict::Fail, std::slice::from_ref(&row)),
        dialect::bulk(conn, OnConflict::Fail, &choices),
        trail(new, &by, sealer).write(conn),
    );
    field?;
    choices?;
    noted
}

fn trail<'a>(new: &NewCustomField, by: &'a By, sealer: &'a Sealer) -> Trail<'a> {
    let about = Audited {
        company_id: Some(new.company_id.as_str()),
        kind: AuditedKind::CustomField,
        id: new.field.custom_field_id.as_str(),
    };
    let field = Resource::CustomField(Box::new(new.field.clone()));
    let mut trail = Trail::new(by, sealer);
    trail.audit(about, None, Some(document::write(&field, TaxIds::Masked)));
    trail
}
