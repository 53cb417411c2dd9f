//! Rows of custom fields, their categories and the choices of drop-downs.

use payroll_domain::custom_field::{
    CustomField, CustomFieldDefinition, CustomFieldType, CustomFieldValue, DecimalPlaces, DropdownChoice,
};
use payroll_domain::date::{format_date, parse_date};
use payroll_domain::money::parse_decimal;

use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::anonymisation::Anonymisation::Name;
use crate::rows::parts::{OwnedObjectRow, declare_owned_tables};
use crate::table::table;

/// The maximum number of decimal places in a numeric custom field.
const MAX_DECIMAL_PLACES: u32 = 4;

table! {
    /// The row of a custom field.
    struct CustomFieldRow in "custom_fields" key "company_id, custom_field_id" {
        company_id: text,
        custom_field_id: text,
        created: int,
        name: text,
        category_id: text_or_null,
        required: bool,
        check_stub: bool,
        employee_editable: bool,
        field_type: text,
        default_text: text_or_null,
        max_length: int_or_null,
        version: int,
    }
}

declare_owned_tables! {
    DropdownChoice in "dropdown_choices" of "custom_field_id" as list
        key "company_id, custom_field_id, dropdown_id",
        keeps "dropdown_id position is_default",
        replaces ["choice" Name("Choice")];
}

/// A choice of a drop-down.
pub(crate) type DropdownRow = OwnedObjectRow<DropdownChoice>;

impl CustomFieldRow {
    /// Returns the id of the custom field.
    pub(crate) fn id(&self) -> &str {
        &self.custom_field_id
    }

    /// Creates the row of a custom field. Its choices have their own rows.
    pub(crate) fn new(company_id: &str, created: i64, from: &CustomField) -> Self {
        let definition = &from.definition;
        let (default_text, max_length) = match &definition.value {
            CustomFieldValue::Dropdown(_) => (None, None),
            CustomFieldValue::Text { default, max_length } => (default.clone(), max_length.map(i64::from)),
            CustomFieldValue::Boolean(default) => (default.map(|yes| yes.to_string()), None),
            CustomFieldValue::Date(default) => (default.map(|day| format_date(day).to_string()), None),
            CustomFieldValue::Numeric { default, .. } => (default.map(|number| number.to_string()), None),
        };
        Self {
            company_id: company_id.to_owned(),
            custom_field_id: from.custom_field_id.to_string(),
            created,
            name: definition.name.clone(),
            category_id: definition.category_id.as_ref().map(ToString::to_string),
            required: definition.required,
            check_stub: definition.check_stub,
            employee_editable: definition.employee_editable,
            field_type: definition.value.field_type().as_str().to_owned(),
            default_text,
            max_length,
            version: created,
        }
    }

    /// Returns the custom field in this row, with the choices of a drop-down.
    pub(crate) fn into_custom_field(self, choices: Vec<DropdownChoice>) -> Outcome<CustomField> {
        let at = RowLocation { table: "custom_fields", key: &self.custom_field_id };
        Ok(CustomField {
            custom_field_id: at.parse_id(&self.custom_field_id)?,
            definition: CustomFieldDefinition {
                value: self.read_value(at, choices)?,
                category_id: at.parse_optional_id(self.category_id.as_deref())?,
                required: self.required,
                check_stub: self.check_stub,
                employee_editable: self.employee_editable,
                name: self.name.clone(),
            },
        })
    }

    fn read_value(&self, at: RowLocation<'_>, choices: Vec<DropdownChoice>) -> Outcome<CustomFieldValue> {
        let default = self.default_text.as_deref();
        let numeric = |places| -> Outcome<CustomFieldValue> {
            let default = default.map(|text| parse_decimal(text, MAX_DECIMAL_PLACES)).transpose();
            Ok(CustomFieldValue::Numeric {
                places,
                default: default.map_err(|problem| at.corruption_failure(problem.to_string()))?,
            })
        };
        Ok(match at.parse_text(&self.field_type, CustomFieldType::parse)? {
            CustomFieldType::Dropdown => CustomFieldValue::Dropdown(choices),
            CustomFieldType::Text => CustomFieldValue::Text {
                default: self.default_text.clone(),
                max_length: self.max_length.map(|length| at.read_number(length)).transpose()?,
            },
            CustomFieldType::Boolean => {
                let default = default.map(|text| at.parse_text(text, |text| text.parse().ok()));
                CustomFieldValue::Boolean(default.transpose()?)
            }
            CustomFieldType::Date => {
                let default = default.map(|text| at.parse_text(text, |text| parse_date(text).ok()));
                CustomFieldValue::Date(default.transpose()?)
            }
            CustomFieldType::Numeric => numeric(DecimalPlaces::Zero)?,
            CustomFieldType::NumericTwoPlaces => numeric(DecimalPlaces::Two)?,
            CustomFieldType::NumericFourPlaces => numeric(DecimalPlaces::Four)?,
        })
    }
}
