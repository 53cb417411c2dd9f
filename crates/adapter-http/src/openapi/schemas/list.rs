//! The short lists of a company: calculation bases, contact types, custom employment types, units
//! (specification §11.4, §11.8, §11.9, §11.15).

use serde_json::Value;

use payroll_domain::company::{CalculationBase, ContactType, CustomEmploymentType, RelationshipType};

use super::super::schema::{
    count, described, described_with, id, list, object, optional, reference, replacing, required, text,
};
use super::named::Named;

pub(super) fn schemas() -> Named {
    let base = described::<CalculationBase>();
    let relationships = list("How the contact can stand to the worker.", reference("RelationshipType"));
    let contact = replacing(described::<ContactType>(), "relationshipTypes", relationships);
    let relationship = described::<RelationshipType>();
    let none = list("None: it has no address of its own.", reference("Link"));
    let employment = described_with::<CustomEmploymentType>([required("links", none)]);
    vec![
        ("CalculationBase", base),
        ("ContactType", contact),
        ("RelationshipType", relationship),
        ("CustomEmploymentType", employment),
        ("Organization", organization()),
    ]
}

fn organization() -> Value {
    object(
        "A unit of a company.",
        [
            required("organizationId", id("Its id.")),
            required("name", text("Its name.")),
            optional("number", text("Its number.")),
            optional("level", count("Its level in the tree; 1 is the top.")),
            required(
                "links",
                list("`self`, `parent`, and a `child` for each unit right below.", reference("Link")),
            ),
        ],
    )
}
