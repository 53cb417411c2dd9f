//! Sample objects of each kind.

use super::super::resources::full_company;
use payroll_domain::document::{
    TaxIdMasking, merge_documents, read_resource_document as read_document, write_resource as write_document,
};
use payroll_domain::input::parse;
use payroll_domain::lookup::{LookupKind, LookupObject};
use payroll_domain::resource::{Resource, ResourceKind};

/// Returns the lookup object with a new value in one member. In most lookup lists, the changed member is the
/// first member after the id, which gets a new text.
fn change_lookup_member(object: &LookupObject) -> Resource {
    let (kind, stored) =
        (object.kind(), write_document(&Resource::Lookup(object.clone()), TaxIdMasking::Unmasked));
    let first = kind.members().iter().find(|member| member.name != kind.id_member()).unwrap().name;
    let (member, value) = match kind {
        LookupKind::CompanyStatus => ("statusReason", "ANOTHER"),
        LookupKind::CompanyUser => ("title", "another"),
        LookupKind::JobSegment => ("name", "another"),
        LookupKind::PayFrequency => ("payFrequency", "MONTHLY"),
        _ => (first, "another"),
    };
    let patch = format!(r#"{{"{member}": "{value}"}}"#);
    let document = merge_documents(parse(stored.as_bytes()).unwrap(), parse(patch.as_bytes()).unwrap());
    read_document(ResourceKind::Lookup(kind), &document).unwrap()
}

/// Returns a copy of the object with at least one changed member.
pub(in super::super) fn change_one_member(object: &Resource) -> Resource {
    let mut changed = object.clone();
    match &mut changed {
        Resource::Company(it) => {
            it.products.clear();
            it.company.communications = vec![super::super::world::address("new")];
        }
        Resource::Organization(it) => it.number = None,
        Resource::ContactType(it) => it.relationship_types.clear(),
        Resource::CustomFieldCategory(it) => it.default = false,
        Resource::CustomField(it) => it.definition.required = true,
        Resource::PayComponent(it) => it.overtime = true,
        Resource::PayPeriod(it) => it.description = Some("a note".to_owned()),
        Resource::Worker(it) => {
            it.pay_rates.clear();
            it.communications.reverse();
            it.taxes = None;
        }
        Resource::Lookup(it) => return change_lookup_member(it),
    }
    changed
}

/// Returns one object of each kind that a write may change.
pub(in super::super) fn one_object_of_each_kind() -> Vec<Resource> {
    let mut all = full_company("acme").resources();
    all.reverse();
    let mut kinds = std::collections::HashSet::new();
    // Only the last object of each kind is kept. The last worker has every member. The last period is closed,
    // so the open period is used instead.
    all.retain(|object| object.id() != "closed" && kinds.insert(object.kind()));
    all
}
