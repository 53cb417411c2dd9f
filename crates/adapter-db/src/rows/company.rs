//! Rows of a company: itself, its addresses, its products, its lock.

use payroll_domain::company::{Communication, Company, Product, display_key};
use payroll_domain::date::Timestamp;

use crate::error::Outcome;
use crate::rows::parts::{PartRow, parts};
use crate::rows::{At, stored_legal_id};
use crate::seal::Sealer;
use crate::table::table;

parts! {
    Communication in "communications" of "owner_id" as list key "company_id, owner_id, communication_id";
}

/// An address, phone or e-mail of a company or a worker.
pub(crate) type CommunicationRow = PartRow<Communication>;

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
