//! Rows of the lists that belong to a company.

use payroll_domain::company::{ContactType, Organization, RelationshipType};
use payroll_domain::custom_field::CustomFieldCategory;
use payroll_domain::pay_component::PayComponent;

use crate::rows::anonymisation::Anonymisation::Name;
use crate::rows::parts::{OwnedObjectRow, declare_owned_tables};
use crate::rows::resources::{ResourceRow, declare_resource_tables};

declare_resource_tables! {
    Organization in "organizations" key "company_id, organization_id";
    CustomFieldCategory in "custom_field_categories" key "company_id, category_id";
    ContactType in "contact_types" key "company_id, contact_type_id";
    PayComponent in "pay_components" key "company_id, component_id", modified;
}

declare_owned_tables! {
    RelationshipType in "relationship_types" of "contact_type_id" as list
        key "company_id, contact_type_id, relationship_type_id",
        keeps "relationship_type_id position",
        replaces ["relationship_type_name" Name("Relationship")];
}

pub(crate) type OrganizationRow = ResourceRow<Organization>;
pub(crate) type CategoryRow = ResourceRow<CustomFieldCategory>;
pub(crate) type PayComponentRow = ResourceRow<PayComponent>;
/// The row of a contact type. Its relationship types have their own rows.
pub(crate) type ContactTypeRow = ResourceRow<ContactType>;
pub(crate) type RelationshipTypeRow = OwnedObjectRow<RelationshipType>;
