//! Companies and communications (specification §11.2, §11.3).

use payroll_domain::company::{Communication, Company, MAX_DISPLAY_ID_LENGTH, Relative};
use payroll_domain::tax_id::LegalIdType;
use serde_json::{Value, json};

use super::super::documents::{SchemaUse, request_schema};
use super::super::schema::{
    created, described, described_with, enumeration, flag, list, object, optional, reference, required,
    with_member_schema,
};
use super::named::Named;

pub(super) fn schemas() -> Named {
    vec![
        ("Company", company()),
        ("LegalId", legal_id()),
        ("Lineage", lineage()),
        ("Relative", with_member_schema(described::<Relative>(), "displayId", display_id())),
        ("Communication", described::<Communication>()),
        ("CreatedCommunication", created(described::<Communication>(), "communicationId")),
        ("CommunicationInput", request_schema::<Communication>(SchemaUse::Request, &["communicationId"])),
        ("CommunicationChange", request_schema::<Communication>(SchemaUse::Patch, &[])),
    ]
}

fn company() -> Value {
    let others = [
        required("hasPermission", flag("Whether the application has access to the company.")),
        optional("lineage", reference("Lineage")),
        required("links", list("`self` and `workers`.", reference("Link"))),
    ];
    let company = with_member_schema(described_with::<Company>(others), "displayId", display_id());
    with_member_schema(
        company,
        "communications",
        list("Addresses and telephones.", reference("Communication")),
    )
}

fn display_id() -> Value {
    json!({
        "type": "string", "description": "The client's full account number.",
        "minLength": 1, "maxLength": MAX_DISPLAY_ID_LENGTH,
    })
}

fn legal_id() -> Value {
    let value = json!({
        "type": "string", "pattern": r"^([0-9]{9}|\*{5}[0-9]{4})$",
        "description": "9 digits. An SSN reads `*****6789` without the scope read:taxids.",
    });
    object(
        "A tax identity.",
        [
            required("legalIdType", enumeration("The kind of tax id.", LegalIdType::ALL)),
            required("legalIdValue", value),
        ],
    )
}

fn lineage() -> Value {
    let relatives = |description| list(description, reference("Relative"));
    object(
        "The company's relatives that the caller may see.",
        [
            required("ancestors", relatives("The companies above, nearest first.")),
            required("descendants", relatives("The companies below, nearest first.")),
        ],
    )
}
