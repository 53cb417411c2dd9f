//! The lists of a company: objects with one row each, contact types, and custom fields.

use std::borrow::Borrow;
use std::marker::PhantomData;

use futures_util::future::BoxFuture;
use payroll_domain::company::{ContactType, Organization};
use payroll_domain::custom_field::{CustomField, CustomFieldCategory, CustomFieldValue, DropdownChoice};
use payroll_domain::date::Timestamp;
use payroll_domain::pay_component::PayComponent;
use payroll_domain::pay_period::PayPeriod;
use payroll_domain::resource::{Resource, ResourceKind};

use super::children;
use super::children::{RowsByOwner, read_rows_by_owner, take_children};
use super::{CompanyContext, ObjectChange, ObjectKind};
use crate::error::Outcome;
use crate::rows::custom_fields::{CustomFieldRow, DropdownRow};
use crate::rows::lists::{
    CategoryRow, ContactTypeRow, OrganizationRow, PayComponentRow, RelationshipTypeRow,
};
use crate::rows::lookup::StoredLookup;
use crate::rows::parts::OwnedObjectRow;
use crate::rows::pay_period::PayPeriodRow;
use crate::rows::resources::ResourceRow;
use crate::seal::Sealer;

/// Defines the items that all kinds have in common: object, row, name and id column.
macro_rules! common_kind_items {
    ($kind:ident: $object:ty, $row:ty, $id:ident) => {
        type Object = $object;
        type Row = $row;
        const KIND: ResourceKind = ResourceKind::$kind;

        fn into_resource(object: Self::Object) -> Resource {
            Resource::$kind(object.into())
        }

        fn from_resource(resource: &Resource) -> Option<&Self::Object> {
            match resource {
                Resource::$kind(object) => Some(object.borrow()),
                _ => None,
            }
        }

        fn id(object: &Self::Object) -> &str {
            object.$id.as_str()
        }

        fn row_id(row: &Self::Row) -> &str {
            row.id()
        }
    };
}
pub(super) use common_kind_items;

/// Defines the items that all kinds with one row for each object have in common.
macro_rules! single_row_kind_items {
    ($object:ty, $row:ty) => {
        type Children = ();
        const ONE_ROW: bool = true;

        fn version(row: &$row) -> i64 {
            row.version()
        }

        fn to_row(context: CompanyContext<'_>, created: i64, object: &$object) -> Outcome<$row> {
            <$row>::new(context.company_id, created, object)
        }

        fn set_modified(row: &mut $row, at: i64) {
            row.set_modified(at);
        }

        fn read_children<'c>(_: CompanyContext<'c>, _: &'c [&'c str]) -> BoxFuture<'c, Outcome<()>> {
            Box::pin(std::future::ready(Ok(())))
        }

        fn object_from_row(row: $row, (): &mut (), _: &Sealer) -> Outcome<$object> {
            row.decode_value()
        }

        fn write_children<'c>(
            _: CompanyContext<'c>,
            _: &'c [ObjectChange<'c, Self>],
            _: Timestamp,
        ) -> BoxFuture<'c, Outcome<()>> {
            Box::pin(std::future::ready(Ok(())))
        }
    };
}

/// Declares kinds with one row for each object, except lookup objects.
macro_rules! declare_single_row_kinds {
    ($($(#[$doc:meta])* $name:ident = $kind:ident: $object:ty, $row:ident, $id:ident;)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name;

        impl ObjectKind for $name {
            common_kind_items!($kind: $object, $row, $id);
            single_row_kind_items!($object, $row);
        }
    )* };
}

declare_single_row_kinds! {
    /// Implements the object kind for organizations.
    Organizations = Organization: Organization, OrganizationRow, organization_id;
    /// Implements the object kind for categories of custom fields.
    Categories = CustomFieldCategory: CustomFieldCategory, CategoryRow, category_id;
    /// Implements the object kind for pay components.
    PayComponents = PayComponent: PayComponent, PayComponentRow, component_id;
    /// Implements the object kind for pay periods, without their checks.
    PayPeriods = PayPeriod: PayPeriod, PayPeriodRow, pay_period_id;
}

/// Implements the object kind for lookup objects of the type `T`.
pub(crate) struct LookupObjects<T>(PhantomData<fn() -> T>);

impl<T: StoredLookup> ObjectKind for LookupObjects<T> {
    type Object = T;
    type Row = ResourceRow<T>;
    const KIND: ResourceKind = ResourceKind::Lookup(T::KIND);

    fn into_resource(object: T) -> Resource {
        Resource::Lookup(object.into_lookup_object())
    }

    fn from_resource(resource: &Resource) -> Option<&T> {
        match resource {
            Resource::Lookup(object) => T::from_lookup_object(object),
            _ => None,
        }
    }

    fn id(object: &T) -> &str {
        object.id()
    }

    fn row_id(row: &ResourceRow<T>) -> &str {
        row.id()
    }

    single_row_kind_items!(T, ResourceRow<T>);
}

/// Implements the object kind for contact types with their relationship types.
pub(crate) struct ContactTypes;

impl ObjectKind for ContactTypes {
    common_kind_items!(ContactType: ContactType, ContactTypeRow, contact_type_id);
    type Children = RowsByOwner<RelationshipTypeRow>;

    fn version(row: &ContactTypeRow) -> i64 {
        row.version()
    }

    fn to_row(context: CompanyContext<'_>, created: i64, object: &ContactType) -> Outcome<ContactTypeRow> {
        ContactTypeRow::new(context.company_id, created, object)
    }

    fn read_children<'c>(
        context: CompanyContext<'c>,
        ids: &'c [&'c str],
    ) -> BoxFuture<'c, Outcome<Self::Children>> {
        Box::pin(read_rows_by_owner(context, ids))
    }

    fn object_from_row(
        row: ContactTypeRow,
        children: &mut Self::Children,
        _: &Sealer,
    ) -> Outcome<ContactType> {
        let relationship_types = take_children(children, row.id(), RelationshipTypeRow::decode_value)?;
        Ok(ContactType { relationship_types, ..row.decode_value()? })
    }

    fn write_children<'c>(
        context: CompanyContext<'c>,
        changes: &'c [ObjectChange<'c, Self>],
        _: Timestamp,
    ) -> BoxFuture<'c, Outcome<()>> {
        Box::pin(children::write_child_rows(context, changes, move |object: &ContactType| {
            OwnedObjectRow::create_rows(
                context.company_id,
                object.contact_type_id.as_str(),
                &object.relationship_types,
            )
        }))
    }
}

/// Implements the object kind for custom fields with the choices of drop-downs.
pub(crate) struct CustomFields;

impl ObjectKind for CustomFields {
    common_kind_items!(CustomField: CustomField, CustomFieldRow, custom_field_id);
    type Children = RowsByOwner<DropdownRow>;

    fn version(row: &CustomFieldRow) -> i64 {
        row.version
    }

    fn normalized(object: &CustomField) -> CustomField {
        let mut settled = object.clone();
        if let CustomFieldValue::Dropdown(choices) = &mut settled.definition.value {
            choices.retain(|choice| choice.dropdown_id.is_some());
        }
        settled
    }

    fn to_row(context: CompanyContext<'_>, created: i64, object: &CustomField) -> Outcome<CustomFieldRow> {
        Ok(CustomFieldRow::new(context.company_id, created, object))
    }

    fn read_children<'c>(
        context: CompanyContext<'c>,
        ids: &'c [&'c str],
    ) -> BoxFuture<'c, Outcome<Self::Children>> {
        Box::pin(read_rows_by_owner(context, ids))
    }

    fn object_from_row(
        row: CustomFieldRow,
        children: &mut Self::Children,
        _: &Sealer,
    ) -> Outcome<CustomField> {
        let choices = take_children(children, &row.custom_field_id, DropdownRow::decode_value)?;
        row.into_custom_field(choices)
    }

    fn write_children<'c>(
        context: CompanyContext<'c>,
        changes: &'c [ObjectChange<'c, Self>],
        _: Timestamp,
    ) -> BoxFuture<'c, Outcome<()>> {
        Box::pin(children::write_child_rows(context, changes, move |object: &CustomField| {
            let choices: &[DropdownChoice] = match &object.definition.value {
                CustomFieldValue::Dropdown(choices) => choices,
                _ => &[],
            };
            OwnedObjectRow::create_rows(context.company_id, object.custom_field_id.as_str(), choices)
        }))
    }
}
