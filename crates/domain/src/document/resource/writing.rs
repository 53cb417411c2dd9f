//! One object into its document.

mod company;
mod pay;

use crate::company::Lock;
use crate::document::writer::{ObjectWriter, TaxIds};
use crate::resource::Resource;

/// Writes the document of an object, as [`read`](super::read) reads it: compact JSON without what
/// is absent or an empty list. Written whole and read again, it is the same object.
///
/// ```
/// use payroll_domain::document::{TaxIds, write};
/// use payroll_domain::resource::Resource;
/// # use payroll_domain::company::CalculationBase;
/// let base = CalculationBase {
///     calculation_base_id: "B-1".parse()?,
///     calculation_base_name: "All \"earnings\"".to_owned(),
/// };
/// let document = write(&Resource::CalculationBase(base), TaxIds::Masked);
/// assert_eq!(document, r#"{"calculationBaseId":"B-1","calculationBaseName":"All \"earnings\""}"#);
/// # Ok::<(), payroll_domain::id::InvalidId>(())
/// ```
#[must_use]
pub fn write(resource: &Resource, tax_ids: TaxIds) -> String {
    ObjectWriter::document(tax_ids, |object| match resource {
        Resource::Company(it) => company::record(it, object),
        Resource::Organization(it) => object.members(it),
        Resource::ContactType(it) => object.members(it),
        Resource::CustomEmploymentType(it) => object.members(it),
        Resource::CustomFieldCategory(it) => object.members(it),
        Resource::CustomField(it) => company::custom_field(it, object),
        Resource::CalculationBase(it) => object.members(it),
        Resource::PayComponent(it) => object.members(it.as_ref()),
        Resource::PayPeriod(it) => pay::period(it, object),
        Resource::Worker(it) => object.members(it.as_ref()),
    })
}

/// Writes the document of a lock: `holder`, `reason`, `expiresDate`.
///
/// ```
/// # use payroll_domain::{company::Lock, document::write_lock};
/// let lock = Lock { holder: "night shift".to_owned(), reason: None, expires: None };
/// assert_eq!(write_lock(&lock), r#"{"holder":"night shift"}"#);
/// ```
#[must_use]
pub fn write_lock(lock: &Lock) -> String {
    ObjectWriter::document(TaxIds::Masked, |object| {
        object.text("holder", &lock.holder);
        object.optional("reason", lock.reason.as_ref());
        object.optional("expiresDate", lock.expires);
    })
}
