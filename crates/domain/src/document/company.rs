//! The members of a company and of the lists that are its configuration.

use super::reader::{ObjectReader, record};
use super::values::{
    CODE, LEVELS, NAME, NOTE, count, country, date, email, id, instant, named, subdivision, text, word,
};
use crate::code::Reason;
use crate::company::{
    CalculationBase, Communication, Company, ContactType, CustomEmploymentType, Lock, MAX_DISPLAY_ID_LENGTH,
    Organization, Product, RelationshipType,
};
use crate::date::Date;
#[cfg(feature = "server")]
use crate::resource::CompanyRecord;
use crate::tax_id::{LegalId, LegalIdType, TAX_ID_DIGITS};

/// A company with its products, and without what is an object of itself.
#[cfg(feature = "server")]
pub(super) fn record(object: &mut ObjectReader<'_>) -> Option<CompanyRecord> {
    record!(CompanyRecord { company: company(object), products: object.list("products", product) })
}

/// The members that are the company's own.
pub(super) fn company(object: &mut ObjectReader<'_>) -> Option<Company> {
    record!(Company {
        company_id: object.required("companyId", id),
        display_id: object.required("displayId", text(MAX_DISPLAY_ID_LENGTH)),
        legal_name: object.required("legalName", text(NAME)),
        legal_id: object.optional_object("legalId", legal_id),
        communications: object.list("communications", communication),
        parent_company_id: object.optional("parentCompanyId", id),
        end_date: object.optional("endDate", date),
        converting: object.flag("converting"),
    })
}

/// A tax identity; what is wrong with it is told without repeating it.
pub(super) fn legal_id(object: &mut ObjectReader<'_>) -> Option<LegalId> {
    let kind = object.required("legalIdType", named::<LegalIdType>);
    let digits = object.required("legalIdValue", text(NAME));
    let (kind, digits) = (kind?, digits?);
    let legal_id = LegalId::parse(kind, &digits);
    if legal_id.is_none() {
        let rule = format!("must be {TAX_ID_DIGITS} digits, without dashes");
        object.fault(Reason::FieldInvalid, "legalIdValue", &rule);
    }
    legal_id
}

/// An address, a phone or an e-mail address.
pub(super) fn communication(object: &mut ObjectReader<'_>) -> Option<Communication> {
    record!(Communication {
        communication_id: object.required("communicationId", id),
        communication_type: object.required("type", named),
        usage_type: object.required("usageType", named),
        dial_country: object.optional("dialCountry", text(CODE)),
        dial_area: object.optional("dialArea", text(CODE)),
        dial_number: object.optional("dialNumber", text(CODE)),
        dial_extension: object.optional("dialExtension", text(CODE)),
        uri: object.optional("uri", email),
        street_line_one: object.optional("streetLineOne", text(NAME)),
        street_line_two: object.optional("streetLineTwo", text(NAME)),
        post_office_box: object.optional("postOfficeBox", text(CODE)),
        city: object.optional("city", text(NAME)),
        postal_code: object.optional("postalCode", text(CODE)),
        postal_code_extension: object.optional("postalCodeExtension", text(CODE)),
        country_subdivision_code: object.optional("countrySubdivisionCode", subdivision),
        country_code: object.optional("countryCode", country),
    })
}

/// A product with its days.
pub(super) fn product(object: &mut ObjectReader<'_>) -> Option<Product> {
    let product = record!(Product {
        product_code: object.required("productCode", word),
        start_date: object.required("startDate", date),
        end_date: object.optional("endDate", date),
    })?;
    ends_after_it_starts(object, Some(product.start_date), product.end_date);
    Some(product)
}

/// Notes `endDate` when it is before `startDate`.
pub(super) fn ends_after_it_starts(object: &mut ObjectReader<'_>, start: Option<Date>, end: Option<Date>) {
    if let (Some(start), Some(end)) = (start, end)
        && end < start
    {
        object.fault(Reason::FieldInvalid, "endDate", "must not be before startDate");
    }
}

pub(super) fn lock(object: &mut ObjectReader<'_>) -> Option<Lock> {
    record!(Lock {
        holder: object.required("holder", text(NAME)),
        reason: object.optional("reason", text(NOTE)),
        expires: object.optional("expiresDate", instant),
    })
}

/// A lock in the document of whoever is to hold it: its holder may be left out.
#[cfg(feature = "server")]
pub(super) fn lock_held_by(object: &mut ObjectReader<'_>, holder: &str) -> Option<Lock> {
    let lock = record!(Lock {
        holder: object.optional("holder", text(NAME)).map(|given| given.unwrap_or_else(|| holder.to_owned())),
        reason: object.optional("reason", text(NOTE)),
        expires: object.optional("expiresDate", instant),
    })?;
    if lock.holder != holder {
        object.fault(Reason::FieldInvalid, "holder", "must be absent, or whoever takes the lock");
    }
    Some(lock)
}

/// A unit of a company.
pub(super) fn organization(object: &mut ObjectReader<'_>) -> Option<Organization> {
    record!(Organization {
        organization_id: object.required("organizationId", id),
        name: object.required("name", text(NAME)),
        number: object.optional("number", text(CODE)),
        level: object.optional("level", count(LEVELS)),
        parent_organization_id: object.optional("parentOrganizationId", id),
    })
}

/// A contact type with its relationship types.
pub(super) fn contact_type(object: &mut ObjectReader<'_>) -> Option<ContactType> {
    record!(ContactType {
        contact_type_id: object.required("contactTypeId", id),
        contact_type_name: object.required("contactTypeName", text(NAME)),
        relationship_types: object.list("relationshipTypes", relationship_type),
    })
}

fn relationship_type(object: &mut ObjectReader<'_>) -> Option<RelationshipType> {
    record!(RelationshipType {
        relationship_type_id: object.required("relationshipTypeId", id),
        relationship_type_name: object.required("relationshipTypeName", text(NAME)),
    })
}

/// A custom employment type.
pub(super) fn custom_employment_type(object: &mut ObjectReader<'_>) -> Option<CustomEmploymentType> {
    record!(CustomEmploymentType {
        custom_employment_type_id: object.required("customEmploymentTypeId", id),
        custom_employment_type_name: object.required("customEmploymentTypeName", text(NAME)),
    })
}

/// A calculation base.
pub(super) fn calculation_base(object: &mut ObjectReader<'_>) -> Option<CalculationBase> {
    record!(CalculationBase {
        calculation_base_id: object.required("calculationBaseId", id),
        calculation_base_name: object.required("calculationBaseName", text(NAME)),
    })
}
