//! The lists of a company whose objects partners see in the same form as operators.

use std::marker::PhantomData;

use payroll_domain::company::{ContactType, RelationshipType};
use payroll_domain::resource::Resource;

use super::super::dialect;
use super::super::lists::{ListFilter, ListQuery, PagedList, count_rows_sql};
use super::super::parts::{ChildrenQuery, ListStatements};
use crate::error::{Failure, Outcome};
use crate::rows::lists::{CategoryRow, ContactTypeRow, RelationshipTypeRow};
use crate::rows::lookup::StoredLookup;
use crate::rows::resources::ResourceRow;
use crate::statement::{BindValue, binds, sql, window};
use crate::table::TableDefinition;

/// The list of lookup objects of one type.
pub(super) struct LookupList<T>(PhantomData<fn() -> T>);

impl<T: StoredLookup> LookupList<T> {
    const TEXTS: &'static ListStatements =
        &ListStatements { size: T::LOOKUP.size, page: T::LOOKUP.page, children: None };
}

impl<T: StoredLookup> PagedList for LookupList<T> {
    type Item = Resource;
    type Row = ResourceRow<T>;
    type Child = ();

    fn statements(_: &ListQuery) -> Outcome<&'static ListStatements> {
        Ok(Self::TEXTS)
    }

    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
        let ListFilter::Lookup(filter) = &query.filter else {
            return Err(Failure::Bug("lookup objects are listed without their filter".to_owned()));
        };
        let mut values: Vec<BindValue<'_>> = binds![query.company_id()].into();
        values.extend((T::LOOKUP.values)(filter));
        Ok(values)
    }

    fn items_from_rows(rows: Vec<Self::Row>, _: Vec<()>, _: &ListQuery) -> Outcome<Vec<Self::Item>> {
        rows.into_iter().map(|row| Ok(Resource::Lookup(row.decode_value()?.into_lookup_object()))).collect()
    }
}

/// The list of categories of custom fields.
pub(super) struct CategoryList;

impl PagedList for CategoryList {
    type Item = Resource;
    type Row = CategoryRow;
    type Child = ();

    fn statements(_: &ListQuery) -> Outcome<&'static ListStatements> {
        Ok(&ListStatements {
            size: count_rows_sql!("custom_field_categories"),
            page: sql![
                "SELECT ",
                CategoryRow::COLUMNS,
                " FROM custom_field_categories WHERE company_id = $1 ORDER BY created, category_id",
                window!("$2", "$3")
            ],
            children: None,
        })
    }

    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
        Ok(binds![query.company_id()].into())
    }

    fn items_from_rows(rows: Vec<Self::Row>, _: Vec<()>, _: &ListQuery) -> Outcome<Vec<Self::Item>> {
        rows.into_iter().map(|row| Ok(Resource::CustomFieldCategory(row.decode_value()?))).collect()
    }
}

/// The list of contact types with their relationship types.
pub(super) struct ContactTypes;

impl PagedList for ContactTypes {
    type Item = Resource;
    type Row = ContactTypeRow;
    type Child = RelationshipTypeRow;

    fn statements(_: &ListQuery) -> Outcome<&'static ListStatements> {
        Ok(&ListStatements {
            size: count_rows_sql!("contact_types"),
            page: sql![
                "SELECT ",
                ContactTypeRow::COLUMNS,
                " FROM contact_types WHERE company_id = $1 ORDER BY created, contact_type_id",
                window!("$2", "$3")
            ],
            children: Some(ChildrenQuery {
                id: "contact_type_id",
                text: sql![
                    "SELECT ",
                    RelationshipTypeRow::COLUMNS,
                    " FROM (SELECT company_id AS listed_company, contact_type_id AS listed_id FROM listed) l \
                 JOIN relationship_types ON company_id = listed_company AND contact_type_id = listed_id",
                    dialect::same_company_condition!("$1")
                ],
            }),
        })
    }

    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
        Ok(binds![query.company_id()].into())
    }

    fn row_id(row: &Self::Row) -> &str {
        row.id()
    }

    fn items_from_rows(
        rows: Vec<Self::Row>,
        mut children: Vec<Self::Child>,
        _: &ListQuery,
    ) -> Outcome<Vec<Self::Item>> {
        children.sort_by_key(|child| child.position);
        let whole = |row| Ok(Resource::ContactType(combine_with_relationships(row, &children)?));
        rows.into_iter().map(whole).collect()
    }
}

fn combine_with_relationships(row: ContactTypeRow, all: &[RelationshipTypeRow]) -> Outcome<ContactType> {
    let own = all.iter().filter(|relationship| relationship.owner == row.id());
    let own = own.cloned().map(RelationshipTypeRow::decode_value);
    let relationship_types = own.collect::<Outcome<Vec<RelationshipType>>>()?;
    Ok(ContactType { relationship_types, ..row.decode_value()? })
}
