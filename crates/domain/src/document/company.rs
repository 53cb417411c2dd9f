//! The members of a company and of its configuration lists.

use std::collections::BTreeSet;

use crate::code::Reason;
use crate::company::{Company, Lock, Product};
#[cfg(feature = "server")]
use crate::date::Timestamp;
use crate::description::objects::Readable;
use crate::object::reader::{ObjectReader, read_struct};
use crate::object::values::{MAX_NAME_CHARACTERS, MAX_NOTE_LENGTH, read_instant, text_reader};
#[cfg(feature = "server")]
use crate::resource::CompanyRecord;

/// Reads a company with its products. The organizations and other lists are separate resources and are not
/// read here.
#[cfg(feature = "server")]
pub(super) fn read_record(object: &mut ObjectReader<'_>) -> Option<CompanyRecord> {
    read_struct!(CompanyRecord {
        company: read_company(object),
        products: object.read_list("products", read_product)
    })
}

/// Reads a company and checks that its tax states are distinct.
pub(super) fn read_company(object: &mut ObjectReader<'_>) -> Option<Company> {
    let company = Company::read(object)?;
    let states: BTreeSet<&String> = company.tax_states.iter().collect();
    if states.len() < company.tax_states.len() {
        object.report_fault(Reason::FieldInvalid, "taxStates", "must not contain a state twice");
    } else if states.iter().any(|state| state.is_empty()) {
        object.report_fault(Reason::FieldInvalid, "taxStates", "must not contain an empty text");
    }
    Some(company)
}

/// Reads a product and checks that its last day is not before its first day.
pub(super) fn read_product(object: &mut ObjectReader<'_>) -> Option<Product> {
    let product = Product::read(object)?;
    object.check_date_range(Some(product.start_date), product.end_date);
    Some(product)
}

pub(super) fn read_lock(object: &mut ObjectReader<'_>) -> Option<Lock> {
    read_struct!(Lock {
        holder: object.read_required("holder", text_reader(MAX_NAME_CHARACTERS)),
        reason: object.read_optional("reason", text_reader(MAX_NOTE_LENGTH)),
        expires: object.read_optional("expiresDate", read_instant),
    })
}

/// Reads a lock that `holder` will hold from `now` on. The document may omit the holder.
#[cfg(feature = "server")]
pub(super) fn read_lock_of_holder(
    object: &mut ObjectReader<'_>,
    holder: &str,
    now: Timestamp,
) -> Option<Lock> {
    let lock = read_struct!(Lock {
        holder: object
            .read_optional("holder", text_reader(MAX_NAME_CHARACTERS))
            .map(|given| given.unwrap_or_else(|| holder.to_owned())),
        reason: object.read_optional("reason", text_reader(MAX_NOTE_LENGTH)),
        expires: object.read_optional("expiresDate", read_instant),
    })?;
    if lock.holder != holder {
        object.report_fault(
            Reason::FieldInvalid,
            "holder",
            "must be absent, or the name of the operator who locks the company",
        );
    }
    if !lock.is_valid_at(now) {
        object.report_fault(
            Reason::FieldInvalid,
            "expiresDate",
            &format!("must be in the future, after {now}"),
        );
    }
    Some(lock)
}
