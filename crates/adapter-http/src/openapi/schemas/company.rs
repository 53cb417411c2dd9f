//! Companies and communications (specification §11.2, §11.3).

use payroll_domain::company::{Communication, MAX_DISPLAY_ID_LENGTH};
use payroll_domain::tax_id::LegalIdType;
use serde_json::{Value, json};

use super::super::schema::{described, flag, id, list, object, optional, reference, required, text, word};
use super::named::Named;

pub(super) fn schemas() -> Named {
    vec![
        ("Company", company()),
        ("LegalId", legal_id()),
        ("Lineage", lineage()),
        ("Relative", object("A company above or below another one.", names())),
        ("Communication", described::<Communication>()),
    ]
}

fn company() -> Value {
    let others = [
        required("hasPermission", flag("The application may reach it.")),
        optional("legalId", reference("LegalId")),
        optional("communications", list("Addresses and telephones.", reference("Communication"))),
        optional("lineage", reference("Lineage")),
        required("links", list("`self` and `workers`.", reference("Link"))),
    ];
    object("A company that the application may reach: an employer.", names().into_iter().chain(others))
}

fn names() -> [super::super::schema::Member; 3] {
    let display_id = json!({
        "type": "string", "description": "The client's account number, whole.",
        "minLength": 1, "maxLength": MAX_DISPLAY_ID_LENGTH,
    });
    [
        required("companyId", id("The id in paths.")),
        required("displayId", display_id),
        required("legalName", text("The company's name.")),
    ]
}

fn legal_id() -> Value {
    let value = json!({
        "type": "string", "pattern": r"^([0-9]{9}|\*{5}[0-9]{4})$",
        "description": "9 digits. An SSN reads `*****6789` without the scope read:taxids.",
    });
    object(
        "A tax identity.",
        [
            required("legalIdType", word("What kind it is.", LegalIdType::ALL)),
            required("legalIdValue", value),
        ],
    )
}

fn lineage() -> Value {
    let relatives = |description| list(description, reference("Relative"));
    object(
        "The company's relatives that the caller may see.",
        [
            required("ancestors", relatives("Those above, the nearest first.")),
            required("descendants", relatives("Those below, the nearest first.")),
        ],
    )
}
