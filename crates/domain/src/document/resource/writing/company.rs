//! The members of a company and of its configuration, as written.

use crate::company::{
    CalculationBase, Communication, ContactType, CustomEmploymentType, Organization, Product,
    RelationshipType,
};
use crate::custom_field::{CustomField, CustomFieldCategory, CustomFieldValue, DropdownChoice};
use crate::document::writer::{ObjectWriter, TaxIds};
use crate::resource::CompanyRecord;
use crate::tax_id::LegalId;

pub(super) fn record(record: &CompanyRecord, object: &mut ObjectWriter<'_>) {
    let company = &record.company;
    object.text("companyId", &company.company_id);
    object.text("displayId", &company.display_id);
    object.text("legalName", &company.legal_name);
    object.object("legalId", company.legal_id.as_ref(), legal_id);
    object.list("communications", &company.communications, communication);
    object.optional("parentCompanyId", company.parent_company_id.as_ref());
    object.optional_day("endDate", company.end_date);
    object.flag("converting", company.converting);
    object.list("products", &record.products, product);
}

pub(super) fn legal_id(legal_id: &LegalId, object: &mut ObjectWriter<'_>) {
    object.text("legalIdType", legal_id.kind());
    match object.tax_ids {
        TaxIds::Whole => object.text("legalIdValue", legal_id.digits()),
        TaxIds::Masked => object.text("legalIdValue", legal_id.masked()),
    }
}

pub(super) fn communication(it: &Communication, object: &mut ObjectWriter<'_>) {
    object.text("communicationId", &it.communication_id);
    object.text("type", it.communication_type);
    object.text("usageType", it.usage_type);
    object.optional("dialCountry", it.dial_country.as_ref());
    object.optional("dialArea", it.dial_area.as_ref());
    object.optional("dialNumber", it.dial_number.as_ref());
    object.optional("dialExtension", it.dial_extension.as_ref());
    object.optional("uri", it.uri.as_ref());
    object.optional("streetLineOne", it.street_line_one.as_ref());
    object.optional("streetLineTwo", it.street_line_two.as_ref());
    object.optional("postOfficeBox", it.post_office_box.as_ref());
    object.optional("city", it.city.as_ref());
    object.optional("postalCode", it.postal_code.as_ref());
    object.optional("postalCodeExtension", it.postal_code_extension.as_ref());
    object.optional("countrySubdivisionCode", it.country_subdivision_code.as_ref());
    object.optional("countryCode", it.country_code.as_ref());
}

fn product(product: &Product, object: &mut ObjectWriter<'_>) {
    object.text("productCode", &product.product_code);
    object.day("startDate", product.start_date);
    object.optional_day("endDate", product.end_date);
}

pub(super) fn organization(unit: &Organization, object: &mut ObjectWriter<'_>) {
    object.text("organizationId", &unit.organization_id);
    object.text("name", &unit.name);
    object.optional("number", unit.number.as_ref());
    object.plain("level", unit.level);
    object.optional("parentOrganizationId", unit.parent_organization_id.as_ref());
}

pub(super) fn contact_type(contact_type: &ContactType, object: &mut ObjectWriter<'_>) {
    object.text("contactTypeId", &contact_type.contact_type_id);
    object.text("contactTypeName", &contact_type.contact_type_name);
    object.list("relationshipTypes", &contact_type.relationship_types, relationship_type);
}

fn relationship_type(relationship_type: &RelationshipType, object: &mut ObjectWriter<'_>) {
    object.text("relationshipTypeId", &relationship_type.relationship_type_id);
    object.text("relationshipTypeName", &relationship_type.relationship_type_name);
}

pub(super) fn custom_employment_type(it: &CustomEmploymentType, object: &mut ObjectWriter<'_>) {
    object.text("customEmploymentTypeId", &it.custom_employment_type_id);
    object.text("customEmploymentTypeName", &it.custom_employment_type_name);
}

pub(super) fn calculation_base(base: &CalculationBase, object: &mut ObjectWriter<'_>) {
    object.text("calculationBaseId", &base.calculation_base_id);
    object.text("calculationBaseName", &base.calculation_base_name);
}

pub(super) fn category(category: &CustomFieldCategory, object: &mut ObjectWriter<'_>) {
    object.text("categoryId", &category.category_id);
    object.text("categoryName", &category.category_name);
    object.flag("default", category.default);
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
