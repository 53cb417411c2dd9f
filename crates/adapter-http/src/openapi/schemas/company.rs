//! Companies and communications (specification §11.2, §11.3).

use payroll_domain::company::{Communication, Company, MAX_DISPLAY_ID_LENGTH, Relative};
use payroll_domain::tax_id::LegalIdType;
use serde_json::{Value, json};

use super::super::documents::{SchemaUse, request_schema};
use super::super::schema::{
    boolean_schema, created_object_schema, described_schema, described_schema_with, enumeration_schema,
    list_schema, object_schema, optional, required, schema_reference, with_member_schema,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![
        ("Company", company_schema()),
        ("LegalId", legal_id_schema()),
        ("Lineage", lineage_schema()),
        ("Relative", with_member_schema(described_schema::<Relative>(), "displayId", display_id_schema())),
        ("Communication", described_schema::<Communication>()),
        (
            "CreatedCommunication",
            created_object_schema(described_schema::<Communication>(), "communicationId"),
        ),
        ("CommunicationInput", request_schema::<Communication>(SchemaUse::Request, &["communicationId"])),
        ("CommunicationChange", request_schema::<Communication>(SchemaUse::Patch, &[])),
    ]
}

fn company_schema() -> Value {
    let others = [
        required("hasPermission", boolean_schema("Whether the application has access to the company.")),
        optional("lineage", schema_reference("Lineage")),
        required("links", list_schema("The links `self` and `workers`.", schema_reference("Link"))),
    ];
    let company =
        with_member_schema(described_schema_with::<Company>(others), "displayId", display_id_schema());
    with_member_schema(
        company,
        "communications",
        list_schema("Addresses and telephones.", schema_reference("Communication")),
    )
}

fn display_id_schema() -> Value {
    json!({
        "type": "string", "description": "The complete account number of the company.",
        "minLength": 1, "maxLength": MAX_DISPLAY_ID_LENGTH,
    })
}

fn legal_id_schema() -> Value {
    let value = json!({
        "type": "string", "pattern": r"^([0-9]{9}|\*{5}[0-9]{4})$",
        "description": "9 digits. An SSN reads `*****6789` without the scope read:taxids.",
    });
    object_schema(
        "A tax identity of a worker or a company.",
        [
            required(
                "legalIdType",
                enumeration_schema("The kind of the tax id, such as SSN or FEIN.", LegalIdType::ALL),
            ),
            required("legalIdValue", value),
        ],
    )
}

fn lineage_schema() -> Value {
    let relatives = |description| list_schema(description, schema_reference("Relative"));
    object_schema(
        "The related companies that the caller has access to.",
        [
            required("ancestors", relatives("The parent company and its parents, nearest first.")),
            required("descendants", relatives("The subsidiaries and their subsidiaries, nearest first.")),
        ],
    )
}
