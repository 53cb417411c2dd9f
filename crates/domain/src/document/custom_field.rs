//! The members of custom fields and of their categories.

use rust_decimal::Decimal;

use super::reader::{ObjectReader, record};
use super::values::{NAME, count, date, flag, id, named, number, text};
use crate::code::Reason;
use crate::custom_field::{
    CustomField, CustomFieldCategory, CustomFieldDefinition, CustomFieldType, CustomFieldValue,
    DropdownChoice, MAX_DROPDOWN_CHOICES, MAX_NAME_LENGTH, MAX_TEXT_LENGTH, NumericPlaces,
};
use crate::description::objects::Readable;

/// The members that hold a default value, or say more of it, each for one sort of field.
const VALUE_MEMBERS: [&str; 6] =
    ["dropdown", "textValue", "maxTextLength", "booleanValue", "dateValue", "numericValue"];

/// The categories: at most one is the default.
pub(super) fn categories(object: &mut ObjectReader<'_>) -> Option<Vec<CustomFieldCategory>> {
    let mut has_default = false;
    object.list("customFieldCategories", |object| {
        let category = CustomFieldCategory::read(object)?;
        if category.default && std::mem::replace(&mut has_default, true) {
            object.fault(Reason::FieldInvalid, "default", "must be true for one category only");
        }
        Some(category)
    })
}

/// A custom field of a company.
pub(super) fn custom_field(object: &mut ObjectReader<'_>) -> Option<CustomField> {
    record!(CustomField {
        custom_field_id: object.required("customFieldId", id),
        definition: definition(object),
    })
}

fn definition(object: &mut ObjectReader<'_>) -> Option<CustomFieldDefinition> {
    record!(CustomFieldDefinition {
        name: object.required("customFieldName", text(MAX_NAME_LENGTH)),
        category_id: object.optional("categoryId", id),
        required: object.flag("required"),
        check_stub: object.flag("checkStub"),
        employee_editable: object.flag("employeeEditable"),
        value: value(object),
    })
}

/// What the field holds: the members of its type; those of another type make it ambiguous.
fn value(object: &mut ObjectReader<'_>) -> Option<CustomFieldValue> {
    let dropdown = choices(object);
    let default = object.optional("textValue", text(MAX_TEXT_LENGTH as usize));
    let max_length = object.optional("maxTextLength", count(MAX_TEXT_LENGTH));
    let boolean = object.optional("booleanValue", flag);
    let date = object.optional("dateValue", date);
    let number = object.optional("numericValue", number(NumericPlaces::Four.count()));
    let field_type = object.required("type", named)?;
    refuse_members_of_other_types(object, field_type);
    match field_type {
        CustomFieldType::Dropdown => Some(CustomFieldValue::Dropdown(dropdown?)),
        CustomFieldType::Text => text_value(object, default?, max_length?),
        CustomFieldType::Boolean => Some(CustomFieldValue::Boolean(boolean?)),
        CustomFieldType::Date => Some(CustomFieldValue::Date(date?)),
        CustomFieldType::Numeric => numeric(object, NumericPlaces::Zero, number?),
        CustomFieldType::NumericTwoPlaces => numeric(object, NumericPlaces::Two, number?),
        CustomFieldType::NumericFourPlaces => numeric(object, NumericPlaces::Four, number?),
    }
}

fn refuse_members_of_other_types(object: &mut ObjectReader<'_>, field_type: CustomFieldType) {
    let own: &[&str] = match field_type {
        CustomFieldType::Dropdown => &["dropdown"],
        CustomFieldType::Text => &["textValue", "maxTextLength"],
        CustomFieldType::Boolean => &["booleanValue"],
        CustomFieldType::Date => &["dateValue"],
        CustomFieldType::Numeric | CustomFieldType::NumericTwoPlaces | CustomFieldType::NumericFourPlaces => {
            &["numericValue"]
        }
    };
    for member in VALUE_MEMBERS.into_iter().filter(|member| !own.contains(member)) {
        if object.has(member) {
            let rule = format!("must be absent: it does not fit the type {field_type}");
            object.fault(Reason::FieldAmbiguous, member, &rule);
        }
    }
}

fn choices(object: &mut ObjectReader<'_>) -> Option<Vec<DropdownChoice>> {
    let mut has_default = false;
    let choices = object.list("dropdown", |object| {
        let choice = record!(DropdownChoice {
            dropdown_id: object.required("dropdownId", id).map(Some),
            value: object.required("dropdownValue", text(NAME)),
            default: object.flag("dropdownDefault"),
        })?;
        if choice.default && std::mem::replace(&mut has_default, true) {
            object.fault(Reason::FieldInvalid, "dropdownDefault", "must be true for one choice only");
        }
        Some(choice)
    })?;
    if choices.len() > MAX_DROPDOWN_CHOICES {
        let rule = format!("must have at most {MAX_DROPDOWN_CHOICES} choices");
        object.fault(Reason::FieldInvalid, "dropdown", &rule);
    }
    Some(choices)
}

fn text_value(
    object: &mut ObjectReader<'_>,
    default: Option<String>,
    max_length: Option<u32>,
) -> Option<CustomFieldValue> {
    let length = default.as_ref().map_or(0, |text| text.chars().count());
    if let Some(max) = max_length.and_then(|max| usize::try_from(max).ok())
        && length > max
    {
        object.fault(Reason::FieldInvalid, "textValue", &format!("must be at most {max} characters"));
    }
    Some(CustomFieldValue::Text { default, max_length })
}

fn numeric(
    object: &mut ObjectReader<'_>,
    places: NumericPlaces,
    default: Option<Decimal>,
) -> Option<CustomFieldValue> {
    let allowed = places.count();
    if default.is_some_and(|number| number.scale() > allowed) {
        let rule = format!("must have at most {allowed} decimal places");
        object.fault(Reason::FieldInvalid, "numericValue", &rule);
    }
    Some(CustomFieldValue::Numeric { places, default })
}
