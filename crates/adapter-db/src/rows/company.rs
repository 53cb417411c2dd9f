//! Rows of a company: its own row, addresses, products and lock.

use payroll_domain::company::{Communication, Company, Product, to_display_key};

use crate::error::Outcome;
use crate::rows::anonymisation::Anonymisation::{Code, Email, Name, Number};
use crate::rows::cells::{RowSeal, StoredMembers, declare_row_with_members};
use crate::rows::parts::{OwnedObjectRow, declare_owned_tables};
use crate::seal::Sealer;
use crate::table::{TableDefinition, table};

declare_owned_tables! {
    Communication in "communications" of "owner_id" as list
        key "company_id, owner_id, communication_id",
        keeps "communication_id position communication_type usage_type dial_country \
            country_subdivision_code country_code",
        replaces ["dial_area" Number, "dial_number" Number, "dial_extension" Code, "uri" Email,
            "street_line_one" Name("Street"), "street_line_two" Name("Street"), "post_office_box"
            Code, "city" Name("City"), "postal_code" Number, "postal_code_extension" Code];
}

/// An address, phone or e-mail of a company or a worker.
pub(crate) type CommunicationRow = OwnedObjectRow<Communication>;

table! {
    /// The columns of a company that only the store uses: its position in lists, its search key and its lock.
    struct CompanyState in "companies" key "company_id" {
        created: int,
        display_key: text,
        lock_holder: text_or_null,
        lock_reason: text_or_null,
        lock_expires: int_or_null,
        processing_pay_period_id: text_or_null,
        version: int,
        record_version: int,
    }
}

/// The row of a company: the store's own columns and the members.
#[derive(Debug, Clone)]
pub(crate) struct CompanyRow {
    pub(crate) state: CompanyState,
    members: StoredMembers<Company>,
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

declare_row_with_members!(CompanyRow: CompanyState, Company);

impl CompanyRow {
    /// Creates the row of a new company.
    pub(crate) fn new(company: &Company, created: i64, sealer: &Sealer) -> Outcome<Self> {
        let id = company.company_id.as_str();
        let state = CompanyState {
            created,
            display_key: to_display_key(&company.display_id),
            lock_holder: None,
            lock_reason: None,
            lock_expires: None,
            processing_pay_period_id: None,
            version: 1,
            record_version: created,
        };
        let members = StoredMembers::new(company, &RowSeal { sealer, company_id: id, row_id: id })?;
        Ok(Self { state, members })
    }

    /// Returns the id of the company.
    pub(crate) fn id(&self) -> &str {
        self.members.id()
    }

    /// Copies the encrypted tax ID from the stored row. The tax ID has not changed, so the stored value is
    /// reused.
    pub(crate) fn copy_legal_id_from(&mut self, stored: &Self) {
        self.members.set_text("legal_id", stored.members.text("legal_id").map(str::to_owned));
    }

    /// Returns the company in this row, with its communications.
    pub(crate) fn into_company(
        self,
        communications: Vec<Communication>,
        sealer: &Sealer,
    ) -> Outcome<Company> {
        let id = self.id().to_owned();
        let seal = RowSeal { sealer, company_id: &id, row_id: &id };
        let company = self.members.decode_value(&seal, Self::NAME, &id)?;
        Ok(Company { communications, ..company })
    }
}

impl ProductRow {
    /// Creates the row of a product.
    pub(crate) fn new(company_id: &str, product: &Product) -> Self {
        Self {
            company_id: company_id.to_owned(),
            product_code: product.product_code.clone(),
            start_date: product.start_date,
            end_date: product.end_date,
        }
    }

    /// Returns the product in this row.
    pub(crate) fn into_product(self) -> Product {
        Product { product_code: self.product_code, start_date: self.start_date, end_date: self.end_date }
    }
}
