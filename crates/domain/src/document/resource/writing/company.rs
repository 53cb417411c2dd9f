//! The members of a company and of its configuration, as written.

use crate::custom_field::{CustomField, CustomFieldValue};
use crate::document::writer::ObjectWriter;
use crate::resource::CompanyRecord;

pub(in crate::document) fn record(record: &CompanyRecord, object: &mut ObjectWriter<'_>) {
    object.members(&record.company);
    object.list("products", &record.products, |product, object| object.members(product));
}

pub(super) fn custom_field(field: &CustomField, object: &mut ObjectWriter<'_>) {
    let definition = &field.definition;
    object.text("customFieldId", &field.custom_field_id);
    object.text("customFieldName", &definition.name);
    object.optional("categoryId", definition.category_id.as_ref());
    object.text("type", definition.value.field_type());
    object.flag("required", definition.required);
    object.flag("checkStub", definition.check_stub);
    object.flag("employeeEditable", definition.employee_editable);
    match &definition.value {
        CustomFieldValue::Dropdown(choices) => {
            object.list("dropdown", choices, |choice, object| object.members(choice));
        }
        CustomFieldValue::Text { default, max_length } => {
            object.optional("textValue", default.as_ref());
            object.plain("maxTextLength", *max_length);
        }
        CustomFieldValue::Boolean(default) => object.plain("booleanValue", *default),
        CustomFieldValue::Date(default) => object.optional_day("dateValue", *default),
        CustomFieldValue::Numeric { places: _, default } => object.plain("numericValue", *default),
    }
}
