//! The members of a company and of its configuration, as written.

use crate::company::Product;
use crate::custom_field::{CustomField, CustomFieldValue, DropdownChoice};
use crate::document::writer::ObjectWriter;
use crate::resource::CompanyRecord;

pub(super) fn record(record: &CompanyRecord, object: &mut ObjectWriter<'_>) {
    object.members(&record.company);
    object.list("products", &record.products, product);
}

fn product(product: &Product, object: &mut ObjectWriter<'_>) {
    object.text("productCode", &product.product_code);
    object.day("startDate", product.start_date);
    object.optional_day("endDate", product.end_date);
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
        CustomFieldValue::Dropdown(choices) => object.list("dropdown", choices, choice),
        CustomFieldValue::Text { default, max_length } => {
            object.optional("textValue", default.as_ref());
            object.plain("maxTextLength", *max_length);
        }
        CustomFieldValue::Boolean(default) => object.plain("booleanValue", *default),
        CustomFieldValue::Date(default) => object.optional_day("dateValue", *default),
        CustomFieldValue::Numeric { places: _, default } => object.plain("numericValue", *default),
    }
}

fn choice(choice: &DropdownChoice, object: &mut ObjectWriter<'_>) {
    object.optional("dropdownId", choice.dropdown_id.as_ref());
    object.text("dropdownValue", &choice.value);
    object.flag("dropdownDefault", choice.default);
}
