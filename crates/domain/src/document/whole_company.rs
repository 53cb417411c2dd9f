//! A company with everything in it.

use super::company::{lock, product};
use super::reader::{ObjectReader, record};
use super::{custom_field, pay, worker};
use crate::company::{CalculationBase, Company, ContactType, CustomEmploymentType, Organization};
use crate::description::objects::Readable;
use crate::whole_company::WholeCompany;
use crate::worker::Worker;

/// The member of a company that holds its workers.
pub(super) const WORKERS: &str = "workers";

/// A company with everything in it; its workers are read by that function, at their place in the
/// table.
pub(super) fn whole_company(
    object: &mut ObjectReader<'_>,
    workers: impl FnOnce(&mut ObjectReader<'_>) -> Option<Vec<Worker>>,
) -> Option<WholeCompany> {
    record!(WholeCompany {
        company: Company::read(object),
        products: object.optional_list("products", product),
        lock: object.optional_object("lock", lock),
        organizations: object.list("organizations", Organization::read),
        contact_types: object.list("contactTypes", ContactType::read),
        custom_employment_types: object.list("customEmploymentTypes", CustomEmploymentType::read),
        custom_field_categories: custom_field::categories(object),
        custom_fields: object.list("customFields", custom_field::custom_field),
        calculation_bases: object.list("calculationBases", CalculationBase::read),
        pay_components: object.list("payComponents", pay::component),
        pay_periods: pay::periods(object),
        workers: workers(object),
    })
}

/// The workers of a company.
pub(super) fn workers(object: &mut ObjectReader<'_>) -> Option<Vec<Worker>> {
    object.list(WORKERS, worker::worker)
}
