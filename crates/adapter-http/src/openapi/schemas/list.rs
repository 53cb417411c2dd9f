//! The short lists of a company: calculation bases, contact types, custom employment types, units
//! (specification §11.4, §11.8, §11.9, §11.15).

use payroll_domain::company::{
    CalculationBase, ContactType, CustomEmploymentType, Organization, RelationshipType,
};

use super::super::schema::{described, described_with, list, reference, replacing, required};
use super::named::Named;

pub(super) fn schemas() -> Named {
    let base = described::<CalculationBase>();
    let relationships = list("How the contact can stand to the worker.", reference("RelationshipType"));
    let contact = replacing(described::<ContactType>(), "relationshipTypes", relationships);
    let relationship = described::<RelationshipType>();
    let none = list("None: it has no address of its own.", reference("Link"));
    let employment = described_with::<CustomEmploymentType>([required("links", none)]);
    let links = list("`self`, `parent`, and a `child` for each unit right below.", reference("Link"));
    let organization = described_with::<Organization>([required("links", links)]);
    vec![
        ("CalculationBase", base),
        ("ContactType", contact),
        ("RelationshipType", relationship),
        ("CustomEmploymentType", employment),
        ("Organization", organization),
    ]
}
