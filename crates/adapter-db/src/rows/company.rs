//! Rows of a company: itself, its addresses, its products, its lock.

use payroll_domain::company::{Communication, CommunicationType, Company, Product, UsageType, display_key};
use payroll_domain::date::Timestamp;

use crate::error::Outcome;
use crate::rows::{At, stored_legal_id};
use crate::seal::Sealer;
use crate::table::table;

table! {
    /// A company.
    struct CompanyRow in "companies" key "company_id" {
        company_id: text,
        created: int,
        display_id: text,
        display_key: text,
        legal_name: text,
        legal_id_type: text_or_null,
        legal_id: text_or_null,
        parent_company_id: text_or_null,
        end_date: date_or_null,
        converting: bool,
        lock_holder: text_or_null,
        lock_reason: text_or_null,
        lock_expires: int_or_null,
        processing_pay_period_id: text_or_null,
        version: int,
        record_version: int,
    }
}

table! {
    /// An address, phone or e-mail of a company or a worker.
    struct CommunicationRow in "communications" key "company_id, owner_id, communication_id" {
        company_id: text,
        owner_id: text,
        communication_id: text,
        position: int,
        communication_type: text,
        usage_type: text,
        dial_country: text_or_null,
        dial_area: text_or_null,
        dial_number: text_or_null,
        dial_extension: text_or_null,
        uri: text_or_null,
        street_line_one: text_or_null,
        street_line_two: text_or_null,
        post_office_box: text_or_null,
        city: text_or_null,
        postal_code: text_or_null,
        postal_code_extension: text_or_null,
        country_subdivision_code: text_or_null,
        country_code: text_or_null,
    }
}

table! {
    /// A product that a company has.
    struct ProductRow in "products" key "company_id, product_code, start_date" {
        company_id: text,
        product_code: text,
        start_date: date,
        end_date: date_or_null,
    }
}

impl CompanyRow {
    /// A company that is not stored yet, as its row.
    pub(crate) fn new(company: &Company, created: Timestamp, sealer: &Sealer) -> Self {
        let id = company.company_id.as_str();
        Self {
            company_id: id.to_owned(),
            created: created.as_micros(),
            display_id: company.display_id.clone(),
            display_key: display_key(&company.display_id),
            legal_name: company.legal_name.clone(),
            legal_id_type: company.legal_id.as_ref().map(|legal| legal.kind().as_str().to_owned()),
            legal_id: company.legal_id.as_ref().map(|legal| stored_legal_id(legal, id, sealer)),
            parent_company_id: company.parent_company_id.as_ref().map(ToString::to_string),
            end_date: company.end_date,
            converting: company.converting,
            lock_holder: None,
            lock_reason: None,
            lock_expires: None,
            processing_pay_period_id: None,
            version: 1,
            record_version: created.as_micros(),
        }
    }

    /// What the row means, with its communications.
    pub(crate) fn company(self, communications: Vec<Communication>, sealer: &Sealer) -> Outcome<Company> {
        let at = At { table: "companies", key: &self.company_id };
        Ok(Company {
            company_id: at.id(&self.company_id)?,
            legal_id: at.legal_id(self.legal_id_type.as_deref(), self.legal_id.as_deref(), sealer)?,
            communications,
            parent_company_id: at.id_or_none(self.parent_company_id.as_deref())?,
            end_date: self.end_date,
            converting: self.converting,
            display_id: self.display_id,
            legal_name: self.legal_name,
        })
    }
}

impl CommunicationRow {
    /// A communication of an owner, at its position, as a row.
    pub(crate) fn new(company_id: &str, owner_id: &str, position: i64, from: &Communication) -> Self {
        Self {
            company_id: company_id.to_owned(),
            owner_id: owner_id.to_owned(),
            communication_id: from.communication_id.to_string(),
            position,
            communication_type: from.communication_type.as_str().to_owned(),
            usage_type: from.usage_type.as_str().to_owned(),
            dial_country: from.dial_country.clone(),
            dial_area: from.dial_area.clone(),
            dial_number: from.dial_number.clone(),
            dial_extension: from.dial_extension.clone(),
            uri: from.uri.clone(),
            street_line_one: from.street_line_one.clone(),
            street_line_two: from.street_line_two.clone(),
            post_office_box: from.post_office_box.clone(),
            city: from.city.clone(),
            postal_code: from.postal_code.clone(),
            postal_code_extension: from.postal_code_extension.clone(),
            country_subdivision_code: from.country_subdivision_code.clone(),
            country_code: from.country_code.clone(),
        }
    }

    /// What the row means.
    pub(crate) fn communication(self) -> Outcome<Communication> {
        let at = At { table: "communications", key: &self.communication_id };
        Ok(Communication {
            communication_id: at.id(&self.communication_id)?,
            communication_type: at.word(&self.communication_type, CommunicationType::parse)?,
            usage_type: at.word(&self.usage_type, UsageType::parse)?,
            dial_country: self.dial_country,
            dial_area: self.dial_area,
            dial_number: self.dial_number,
            dial_extension: self.dial_extension,
            uri: self.uri,
            street_line_one: self.street_line_one,
            street_line_two: self.street_line_two,
            post_office_box: self.post_office_box,
            city: self.city,
            postal_code: self.postal_code,
            postal_code_extension: self.postal_code_extension,
            country_subdivision_code: self.country_subdivision_code,
            country_code: self.country_code,
        })
    }
}

impl ProductRow {
    /// A product as a row.
    pub(crate) fn new(company_id: &str, product: &Product) -> Self {
        Self {
            company_id: company_id.to_owned(),
            product_code: product.product_code.clone(),
            start_date: product.start_date,
            end_date: product.end_date,
        }
    }

    /// What the row means.
    pub(crate) fn product(self) -> Product {
        Product { product_code: self.product_code, start_date: self.start_date, end_date: self.end_date }
    }
}
