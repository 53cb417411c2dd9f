//! A custom field, and a category of them (specification §11.10). Its numbers are JSON numbers, unlike money.

use payroll_domain::custom_field::{CustomField, CustomFieldValue, DropdownChoice};
use payroll_domain::id::CategoryId;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::shared::wire::described::DescribedResource;
use crate::shared::wire::value::Day;

/// A custom field.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CustomFieldResource<'a> {
    custom_field_id: &'a str,
    custom_field_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    category_id: Option<&'a str>,
    #[serde(rename = "type")]
    field_type: &'static str,
    required: bool,
    check_stub: bool,
    employee_editable: bool,
    #[serde(flatten)]
    value: ValueMembers<'a>,
}

impl<'a> CustomFieldResource<'a> {
    pub(crate) fn new(field: &'a CustomField) -> Self {
        let definition = &field.definition;
        Self {
            custom_field_id: field.custom_field_id.as_str(),
            custom_field_name: &definition.name,
            category_id: definition.category_id.as_ref().map(CategoryId::as_str),
            field_type: definition.value.field_type().as_str(),
            required: definition.required,
            check_stub: definition.check_stub,
            employee_editable: definition.employee_editable,
            value: ValueMembers::new(&definition.value),
        }
    }
}

/// The members that say what a field holds; which are there depends on its type.
#[derive(Debug, Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct ValueMembers<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    boolean_value: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_value: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_value: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_text_length: Option<u32>,
    /// The exact digits of the stored decimal, as a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    numeric_value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dropdown: Option<Vec<DescribedResource<'a, DropdownChoice>>>,
}

impl<'a> ValueMembers<'a> {
    fn new(value: &'a CustomFieldValue) -> Self {
        let none = Self::default();
        match value {
            CustomFieldValue::Boolean(default) => Self { boolean_value: *default, ..none },
            CustomFieldValue::Date(default) => Self { date_value: default.map(Day), ..none },
            CustomFieldValue::Text { default, max_length } => {
                Self { text_value: default.as_deref(), max_text_length: *max_length, ..none }
            }
            // A decimal in words is always a JSON number, so nothing is lost by `ok`.
            CustomFieldValue::Numeric { places: _, default } => {
                let exact = default.and_then(|number| RawValue::from_string(number.to_string()).ok());
                Self { numeric_value: exact, ..none }
            }
            CustomFieldValue::Dropdown(choices) => {
                Self { dropdown: Some(choices.iter().map(DescribedResource::bare).collect()), ..none }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::custom_field::NumericPlaces;

    fn shown(value: CustomFieldValue) -> String {
        let json = serde_json::to_string(&CustomFieldResource::new(&samples::custom_field(value))).unwrap();
        json.split_once(r#""employeeEditable":true"#).unwrap().1.to_owned()
    }

    #[test]
    fn a_custom_field_shows_its_flags_always() {
        let field = samples::custom_field(CustomFieldValue::Boolean(None));
        let expected = concat!(
            r#"{"customFieldId":"F","customFieldName":"Shoe size","categoryId":"K","type":"BOOLEAN","#,
            r#""required":false,"checkStub":false,"employeeEditable":true}"#,
        );
        assert_eq!(serde_json::to_string(&CustomFieldResource::new(&field)).unwrap(), expected);
    }

    #[test]
    fn each_type_has_its_own_members_and_numbers_are_numbers() {
        let (text, default) = ("plain".to_owned(), payroll_domain::money::parse_decimal("-12.5", 4).ok());
        let choice =
            DropdownChoice { dropdown_id: Some(samples::id("D")), value: text.clone(), default: true };
        let rows = [
            (CustomFieldValue::Boolean(Some(false)), r#","booleanValue":false}"#),
            (
                CustomFieldValue::Date(Some(samples::day("2026-05-12"))),
                r#","dateValue":"2026-05-12T00:00:00Z"}"#,
            ),
            (
                CustomFieldValue::Text { default: Some(text), max_length: Some(40) },
                r#","textValue":"plain","maxTextLength":40}"#,
            ),
            (CustomFieldValue::Numeric { places: NumericPlaces::Four, default }, r#","numericValue":-12.5}"#),
            (
                CustomFieldValue::Dropdown(vec![choice]),
                r#","dropdown":[{"dropdownId":"D","dropdownValue":"plain","dropdownDefault":true}]}"#,
            ),
        ];
        for (value, expected) in rows {
            assert_eq!(shown(value), expected);
        }
    }
}
