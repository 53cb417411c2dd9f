//! Writes a custom field. Custom fields are not declared with `described!`, because their members depend on
//! the type.

use super::{CustomField, CustomFieldValue};
use crate::date::format_date;
use crate::description::{MemberSource, MemberValue, MemberView};

/// A number of a custom field is written as a JSON number, unlike an amount of money, which is written as a
/// string.
impl MemberSource for CustomField {
    fn visit_members(&self, _: MemberView, show: &mut dyn FnMut(&'static str, MemberValue<'_>)) {
        let definition = &self.definition;
        show("customFieldId", MemberValue::Text(self.custom_field_id.as_str()));
        show("customFieldName", MemberValue::Text(&definition.name));
        if let Some(category_id) = &definition.category_id {
            show("categoryId", MemberValue::Text(category_id.as_str()));
        }
        show("type", MemberValue::Text(definition.value.field_type().as_str()));
        show("required", MemberValue::Flag(definition.required));
        show("checkStub", MemberValue::Flag(definition.check_stub));
        show("employeeEditable", MemberValue::Flag(definition.employee_editable));
        show_value(&definition.value, show);
    }
}

fn show_value(value: &CustomFieldValue, show: &mut dyn FnMut(&'static str, MemberValue<'_>)) {
    match value {
        CustomFieldValue::Dropdown(choices) => {
            let choices: Vec<&dyn MemberSource> =
                choices.iter().map(|choice| -> &dyn MemberSource { choice }).collect();
            show("dropdown", MemberValue::Objects(&choices));
        }
        CustomFieldValue::Text { default, max_length } => {
            if let Some(default) = default {
                show("textValue", MemberValue::Text(default));
            }
            if let Some(most) = max_length {
                show("maxTextLength", MemberValue::Number((*most).into()));
            }
        }
        CustomFieldValue::Boolean(Some(default)) => show("booleanValue", MemberValue::Flag(*default)),
        CustomFieldValue::Date(Some(default)) => {
            show("dateValue", MemberValue::Displayed(&format_date(*default)));
        }
        CustomFieldValue::Numeric { places: _, default: Some(default) } => {
            show("numericValue", MemberValue::Decimal(default));
        }
        CustomFieldValue::Boolean(None)
        | CustomFieldValue::Date(None)
        | CustomFieldValue::Numeric { places: _, default: None } => {}
    }
}
