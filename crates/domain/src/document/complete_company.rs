//! Reads a company with all its objects.

use super::company::{read_company, read_lock, read_product};
use super::{custom_field, pay, worker};
use crate::company::{ContactType, Organization};
use crate::complete_company::CompleteCompany;
use crate::description::objects::Readable;
use crate::lookup::LookupLists;
use crate::object::reader::{ObjectReader, read_struct};
use crate::worker::Worker;

/// The name of the member with the workers of a company.
pub(super) const WORKERS_MEMBER: &str = "workers";

/// Reads a company with all its objects. The function `workers`, which reads the workers, is called last, so
/// that faults are reported in the order of the members.
pub(super) fn read_complete_company(
    object: &mut ObjectReader<'_>,
    workers: impl FnOnce(&mut ObjectReader<'_>) -> Option<Vec<Worker>>,
) -> Option<CompleteCompany> {
    read_struct!(CompleteCompany {
        company: read_company(object),
        products: object.read_optional_list("products", read_product),
        lock: object.read_optional_object("lock", read_lock),
        organizations: object.read_list("organizations", Organization::read),
        contact_types: object.read_list("contactTypes", ContactType::read),
        lookups: LookupLists::read(object),
        custom_field_categories: custom_field::read_categories(object),
        custom_fields: object.read_list("customFields", custom_field::read_custom_field),
        pay_components: object.read_list("payComponents", pay::read_component),
        pay_periods: pay::read_periods(object),
        workers: workers(object),
    })
}

/// Reads the workers of a company.
pub(super) fn read_workers(object: &mut ObjectReader<'_>) -> Option<Vec<Worker>> {
    object.read_list(WORKERS_MEMBER, worker::read_worker)
}
