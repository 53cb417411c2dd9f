//! The short lists of a company: lookup lists, contact types, organizations (specification §11.4, §11.8,
//! §11.9, §11.15, §11.33).

use payroll_domain::company::{ContactType, Organization, RelationshipType};
use payroll_domain::pay_period::IntervalCode;
use payroll_domain::with_lookup_kind;

use super::super::documents::{SchemaUse, request_schema, request_schema_with};
use super::super::schema::{
    created_object_schema, described_schema, described_schema_with, enumeration_schema, list_schema,
    object_schema, optional, request_date_schema, required, schema_reference, text_schema,
    with_member_reference, with_member_schema,
};
use super::named::NamedSchemas;
use crate::shared::lookup::{self, ElementLinks};
use payroll_domain::lookup::CompanyJob;

pub(super) fn schemas() -> NamedSchemas {
    let relationships = list_schema(
        "The relationships to the worker that contacts of this type can have.",
        schema_reference("RelationshipType"),
    );
    let contact = with_member_schema(described_schema::<ContactType>(), "relationshipTypes", relationships);
    let relationship = described_schema::<RelationshipType>();
    let links = list_schema(
        "The links `self`, `parent`, and a link `child` for each unit directly below this unit.",
        schema_reference("Link"),
    );
    let organization = described_schema_with::<Organization>([required("links", links)]);
    let codes = list_schema(
        "The codes of the states, each the second part of an ISO 3166-2 code, such as AZ.",
        text_schema("The code of a state."),
    );
    let states = object_schema(
        "The states in which a company pays taxes.",
        [required("countrySubdivisionCodes", codes)],
    );
    let links = || {
        required(
            "links",
            list_schema(
                "The link `self` to the job. Empty if the job is not stored.",
                schema_reference("Link"),
            ),
        )
    };
    let job = created_object_schema(described_schema_with::<CompanyJob>([links()]), "jobId");
    let day = optional(
        "effectiveDate",
        request_date_schema("The day on which the change of the job takes effect, not after today."),
    );
    let mut schemas = vec![
        ("CompanyStateTaxes", states),
        ("ContactType", contact),
        ("RelationshipType", relationship),
        ("Organization", organization),
        ("IntervalCode", enumeration_schema("The pay frequency of workers.", IntervalCode::ALL)),
    ];
    schemas.extend([
        ("CreatedCompanyJob", job),
        ("CompanyJobInput", request_schema::<CompanyJob>(SchemaUse::Request, &["jobId"])),
        ("CompanyJobChange", request_schema_with::<CompanyJob>(SchemaUse::Patch, &[], [day])),
    ]);
    schemas.extend(lookup::all_lookup_lists().map(|(kind, spec)| {
        let links = |words| Some(required("links", list_schema(words, schema_reference("Link"))));
        let links = match spec.links {
            ElementLinks::Absent => None,
            ElementLinks::Empty => links("Always empty, because the object has no URL of its own."),
            ElementLinks::Own => links("The link `self` to the object."),
        };
        let object = with_lookup_kind!(kind, Object => described_schema_with::<Object>(links));
        // Without this reference, the Rust client generator would give two types the name `PayFrequency`: the
        // lookup object, and the type of its member `payFrequency`.
        (spec.schemas.shown, with_member_reference(object, "payFrequency", "IntervalCode"))
    }));
    schemas
}
