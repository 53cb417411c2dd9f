//! The lists of an import: each object of the file replaces the stored one of its id.

use payroll_domain::company::ContactType;
use payroll_ports::import::ImportCounts;

use super::diff::{Owned, replace_owned, stored, write_objects};
use super::{Conn, Import, add};
use crate::error::Outcome;
use crate::rows::custom_fields::{CategoryRow, CustomFieldRow, DropdownRow};
use crate::rows::lists::{
    CalculationBaseRow, ContactTypeRow, CustomEmploymentTypeRow, OrganizationRow, PayComponentRow,
    RelationshipTypeRow,
};

/// Stores all lists but periods and workers.
pub(super) async fn store(conn: &Conn, import: &Import) -> Outcome<ImportCounts> {
    let mut counts = plain(conn, import).await?;
    add(&mut counts, contact_types(conn, import).await?);
    add(&mut counts, custom_fields(conn, import).await?);
    Ok(counts)
}

/// The lists whose objects own nothing. What is absent from the file is not even read.
async fn plain(conn: &Conn, import: &Import) -> Outcome<ImportCounts> {
    let (id, whole, mut counts) = (import.company_id(), &import.whole, ImportCounts::default());
    macro_rules! list {
        ($list:ident, $row:ty) => {
            if !whole.$list.is_empty() {
                let rows = import.numbered(&whole.$list);
                let rows: Vec<$row> = rows.map(|(created, from)| <$row>::new(id, created, from)).collect();
                add(&mut counts, write_objects(conn, &stored(conn, id).await?, rows, |_| false).await?);
            }
        };
    }
    list!(organizations, OrganizationRow);
    list!(custom_employment_types, CustomEmploymentTypeRow);
    list!(custom_field_categories, CategoryRow);
    list!(calculation_bases, CalculationBaseRow);
    list!(pay_components, PayComponentRow);
    Ok(counts)
}

async fn contact_types(conn: &Conn, import: &Import) -> Outcome<ImportCounts> {
    let (id, types) = (import.company_id(), &import.whole.contact_types);
    if types.is_empty() {
        return Ok(ImportCounts::default());
    }
    let changed = replace_owned(
        conn,
        id,
        types.iter().map(|from| from.contact_type_id.as_str()),
        (stored(conn, id).await?, relationships(id, types)),
        Owned { column: "contact_type_id", owner: |row: &RelationshipTypeRow| &row.contact_type_id },
    )
    .await?;
    let rows = import.numbered(types).map(|(created, from)| ContactTypeRow::new(id, created, from)).collect();
    let owns_a_change = |row: &ContactTypeRow| changed.contains(&row.contact_type_id);
    write_objects(conn, &stored(conn, id).await?, rows, owns_a_change).await
}

fn relationships(company_id: &str, types: &[ContactType]) -> Vec<RelationshipTypeRow> {
    let mut rows = Vec::new();
    for from in types {
        let owner = from.contact_type_id.as_str();
        for (place, own) in (0..).zip(&from.relationship_types) {
            rows.push(RelationshipTypeRow::new(company_id, owner, place, own));
        }
    }
    rows
}

async fn custom_fields(conn: &Conn, import: &Import) -> Outcome<ImportCounts> {
    let (id, fields) = (import.company_id(), &import.whole.custom_fields);
    if fields.is_empty() {
        return Ok(ImportCounts::default());
    }
    let changed = replace_owned(
        conn,
        id,
        fields.iter().map(|from| from.custom_field_id.as_str()),
        (stored(conn, id).await?, fields.iter().flat_map(|from| DropdownRow::all(id, from)).collect()),
        Owned { column: "custom_field_id", owner: |row: &DropdownRow| &row.custom_field_id },
    )
    .await?;
    let rows =
        import.numbered(fields).map(|(created, from)| CustomFieldRow::new(id, created, from)).collect();
    let owns_a_change = |row: &CustomFieldRow| changed.contains(&row.custom_field_id);
    write_objects(conn, &stored(conn, id).await?, rows, owns_a_change).await
}
