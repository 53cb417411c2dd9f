//! Custom fields with their choices (specification §11.10).

use payroll_domain::custom_field::{MAX_DROPDOWN_CHOICES, MAX_NAME_LENGTH, MAX_TEXT_LENGTH};
use serde_json::{Value, json};

use super::super::super::documents::{OPERATOR_NAME_LENGTH, SchemaUse, request_object_schema};
use super::super::super::schema::{
    boolean_schema, date_schema, id_schema, list_schema, object_schema, optional, plain_text_schema,
    request_date_schema, required, schema_reference, with_keyword,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn custom_field_schemas() -> NamedSchemas {
    let field = |purpose: SchemaUse| {
        let day = |words| {
            if purpose == SchemaUse::Response { date_schema(words) } else { request_date_schema(words) }
        };
        let own_id = id_schema("The custom field.");
        let members = vec![
            if purpose == SchemaUse::Response {
                required("customFieldId", own_id)
            } else {
                optional("customFieldId", own_id)
            },
            required(
                "customFieldName",
                plain_text_schema(
                    "The name of the custom field, which must be unique in the company.",
                    length_as_u64(MAX_NAME_LENGTH),
                ),
            ),
            optional("categoryId", id_schema("The category of custom fields.")),
            required("type", schema_reference("CustomFieldType")),
            optional("required", boolean_schema("Whether each worker must have a value for the field.")),
            optional(
                "checkStub",
                boolean_schema("Whether the value of the field is printed on check stubs."),
            ),
            optional(
                "employeeEditable",
                boolean_schema("Whether workers may edit their own value of the field."),
            ),
            optional("booleanValue", boolean_schema("The default value of a BOOLEAN field.")),
            optional("dateValue", day("The default value of a DATE field.")),
            optional(
                "textValue",
                json!({"type": "string", "maxLength": MAX_TEXT_LENGTH, "description": "The default value of \
                    a TEXT field."}),
            ),
            optional(
                "maxTextLength",
                json!({"type": "integer", "minimum": 1, "maximum": MAX_TEXT_LENGTH, "description": "The \
                    maximum number of characters of a TEXT field."}),
            ),
            optional(
                "numericValue",
                json!({"type": "number", "description": "The default value of a numeric field."}),
            ),
            optional(
                "dropdown",
                with_keyword(
                    list_schema("The choices of a DROPDOWN field.", choice_schema(purpose)),
                    "maxItems",
                    MAX_DROPDOWN_CHOICES,
                ),
            ),
        ];
        let words = "A custom field of a company. Its type determines the member with its default value.";
        match purpose {
            SchemaUse::Response => object_schema(words, members),
            SchemaUse::Request | SchemaUse::Patch => request_object_schema(words, purpose, members),
        }
    };
    vec![
        ("CustomField", field(SchemaUse::Response)),
        ("CustomFieldInput", field(SchemaUse::Request)),
        ("CustomFieldPatch", field(SchemaUse::Patch)),
    ]
}

fn choice_schema(purpose: SchemaUse) -> Value {
    let members = [
        optional("dropdownId", id_schema("The id of the choice.")),
        required(
            "dropdownValue",
            plain_text_schema("The text of the choice of a drop-down field.", OPERATOR_NAME_LENGTH),
        ),
        optional("dropdownDefault", boolean_schema("Whether the choice is selected by default.")),
    ];
    match purpose {
        SchemaUse::Response => object_schema("A choice of a drop-down field.", members),
        SchemaUse::Request | SchemaUse::Patch => {
            request_object_schema("A choice of a drop-down field.", SchemaUse::Request, members)
        }
    }
}

fn length_as_u64(characters: usize) -> u64 {
    u64::try_from(characters).unwrap_or(u64::MAX)
}
