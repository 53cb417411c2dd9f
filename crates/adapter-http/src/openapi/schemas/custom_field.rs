//! Custom fields (specification §11.10). Numbers in custom fields are JSON numbers, while amounts of money
//! are strings.

use payroll_domain::custom_field::{
    CustomFieldCategory, CustomFieldType, DropdownChoice, MAX_DROPDOWN_CHOICES, MAX_NAME_LENGTH,
    MAX_TEXT_LENGTH,
};
use serde_json::{Value, json};

use super::super::documents::{SchemaUse, request_schema};
use super::super::schema::{
    ObjectMember, boolean_schema, created_object_schema, date_schema, described_schema, enumeration_schema,
    id_schema, list_schema, object_schema, optional, plain_text_schema, request_date_schema, required,
    schema_reference, text_schema, with_keyword,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![
        ("CustomField", custom_field_schema()),
        ("CreatedCustomField", created_object_schema(custom_field_schema(), "customFieldId")),
        ("DropdownChoice", described_schema::<DropdownChoice>()),
        ("CustomFieldInput", new_custom_field_schema()),
        ("CustomFieldChange", custom_field_change_schema()),
        ("CustomFieldCategory", described_schema::<CustomFieldCategory>()),
        (
            "CreatedCustomFieldCategory",
            created_object_schema(described_schema::<CustomFieldCategory>(), "categoryId"),
        ),
        ("CustomFieldCategoryInput", new_category_schema()),
        ("CustomFieldCategoryChange", request_schema::<CustomFieldCategory>(SchemaUse::Patch, &[])),
        ("DropdownChoiceInput", new_choice_schema()),
        (
            "CustomFieldType",
            enumeration_schema(
                "The type of a custom field. The numeric types have 0, 2 and 4 decimal places.",
                CustomFieldType::ALL,
            ),
        ),
    ]
}

/// Returns an example of a custom field. With the demo data, the field can be created only once.
pub(in super::super) fn example() -> Value {
    json!({"customFieldName": "Shoe size", "type": "NUMERIC", "numericValue": 42, "employeeEditable": true})
}

/// Returns an example of a patch of a custom field. The patch is valid with the demo data.
pub(in super::super) fn change_example() -> Value {
    json!({"required": true})
}

/// Returns an example of a category. With the demo data, the category can be created only once.
pub(in super::super) fn category_example() -> Value {
    json!({"categoryName": "Footwear"})
}

fn new_category_schema() -> Value {
    object_schema(
        "A category of custom fields to add.",
        [
            required(
                "categoryName",
                plain_text_schema(
                    "The name of the custom field, which must be unique in the company.",
                    name_length(),
                ),
            ),
            optional(
                "default",
                boolean_schema(
                    "Whether the category is the default one, to which custom fields without a category \
                     belong. A \
                     company has one default category.",
                ),
            )
            .or_null(),
        ],
    )
}

fn custom_field_schema() -> Value {
    object_schema(
        "A custom field of a company. Its type determines the member with its default value.",
        [
            required("customFieldId", id_schema("The custom field.")),
            required(
                "customFieldName",
                text_schema("The name of the custom field, which must be unique in the company."),
            ),
            optional("categoryId", id_schema("The category of custom fields.")),
            required("type", schema_reference("CustomFieldType")),
            required("required", boolean_schema("Whether each worker must have a value for the field.")),
            required(
                "checkStub",
                boolean_schema("Whether the value of the field is printed on check stubs."),
            ),
            required(
                "employeeEditable",
                boolean_schema("Whether workers may edit their own value of the field."),
            ),
            optional("booleanValue", boolean_schema("The default value of a BOOLEAN field.")),
            optional("dateValue", date_schema("The default value of a DATE field.")),
            optional("textValue", text_schema("The default value of a TEXT field.")),
            optional(
                "maxTextLength",
                json!({"type": "integer", "minimum": 1, "description": "The maximum number of characters of a TEXT field."}),
            ),
            optional(
                "numericValue",
                json!({"type": "number", "description": "The default value of a numeric field."}),
            ),
            optional(
                "dropdown",
                list_schema("The choices of a DROPDOWN field.", schema_reference("DropdownChoice")),
            ),
        ],
    )
}

fn new_custom_field_schema() -> Value {
    object_schema(
        "The value of a custom field to add. Send only the member for the field's type.",
        [
            required("customFieldName", new_name_schema()),
            required("type", schema_reference("CustomFieldType")),
        ]
        .into_iter()
        .chain(optional_members()),
    )
}

fn custom_field_change_schema() -> Value {
    let change = object_schema(
        "A JSON merge patch. Each sent member replaces the stored one, and `null` removes it.",
        [
            optional("customFieldName", new_name_schema()),
            optional("type", schema_reference("CustomFieldType")),
        ]
        .into_iter()
        .chain(optional_members()),
    );
    with_keyword(change, "minProperties", 1)
}

fn new_name_schema() -> Value {
    plain_text_schema("The name of the custom field, which must be unique in the company.", name_length())
}

/// Returns the members that may be missing in a request.
fn optional_members() -> impl Iterator<Item = ObjectMember> {
    let choices = list_schema("The choices of a DROPDOWN field.", schema_reference("DropdownChoiceInput"));
    let choices = with_keyword(choices, "maxItems", MAX_DROPDOWN_CHOICES);
    let most = json!({
        "type": "integer", "minimum": 1, "maximum": MAX_TEXT_LENGTH,
        "description": "The maximum number of characters of a TEXT field.",
    });
    let default_text = json!({
        "type": "string", "maxLength": MAX_TEXT_LENGTH,
        "description": "The default value of a TEXT field.",
    });
    let number = json!({"type": "number", "description": "The default value of a numeric field."});
    let members = [
        optional(
            "categoryId",
            id_schema("The id of a category of custom fields. Default: the default category of the company."),
        ),
        optional("required", boolean_schema("Whether each worker must have a value for the field.")),
        optional("checkStub", boolean_schema("Whether the value of the field is printed on check stubs.")),
        optional(
            "employeeEditable",
            boolean_schema("Whether workers may edit their own value of the field."),
        ),
        optional("booleanValue", boolean_schema("The default value of a BOOLEAN field.")),
        optional("dateValue", request_date_schema("The default value of a DATE field.")),
        optional("textValue", default_text),
        optional("maxTextLength", most),
        optional("numericValue", number),
        optional("dropdown", choices),
    ];
    members.into_iter().map(ObjectMember::or_null)
}

fn new_choice_schema() -> Value {
    object_schema(
        "A choice to add to a drop-down field.",
        [
            required(
                "dropdownValue",
                plain_text_schema("The text of the choice of a drop-down field.", name_length()),
            ),
            optional(
                "dropdownDefault",
                boolean_schema(
                    "Whether the choice is selected by \
                default.",
                ),
            )
            .or_null(),
        ],
    )
}

fn name_length() -> u64 {
    u64::try_from(MAX_NAME_LENGTH).unwrap_or(u64::MAX)
}
