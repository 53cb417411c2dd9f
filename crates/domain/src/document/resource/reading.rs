//! Reads a single object from its document.

use crate::company::{ContactType, Lock, Organization};
use crate::custom_field::CustomFieldCategory;
use crate::date::Timestamp;
use crate::description::objects::Readable;
use crate::document::{company, custom_field, pay, uniqueness, worker};
use crate::input::Node;
use crate::object::reader::{ObjectReader, read_object};
use crate::resource::{Resource, ResourceKind};
use crate::violation::Violations;

/// Reads the document of one object strictly.
///
/// A company's document contains its own members and `products`. Its other lists and its lock are separate
/// objects. A pay period's document contains no checks.
///
/// # Errors
/// Returns every fault with its pointer, in the order of the document. The codes are `API-46` (missing),
/// `API-47` (ambiguous) and `API-48` (invalid or unknown). Rules across several members are only checked if
/// each member is valid. Examples are a duplicate id and a worker who is their own supervisor. Faults never
/// repeat tax IDs.
///
/// ```
/// use payroll_domain::resource::{Resource, ResourceKind};
/// use payroll_domain::{document, input};
/// let node = input::parse(br#"{"organizationId": "U-1", "name": "Bakery", "level": 2}"#).unwrap();
/// let Ok(Resource::Organization(unit)) = document::read_resource_document(ResourceKind::Organization, &node) else { unreachable!() };
/// assert_eq!(unit.level, Some(2));
///
/// let faults = document::read_resource_document(ResourceKind::Worker, &node).unwrap_err();
/// let first = &faults.as_slice()[0];
/// assert_eq!((first.reason.code(), first.pointer.as_deref()), ("API-48", Some("/organizationId")));
/// ```
pub fn read_resource_document(kind: ResourceKind, node: &Node<'_>) -> Result<Resource, Violations> {
    let resource = read_object(node, |object| read_resource(kind, object))?;
    uniqueness::check_object(&resource)?;
    Ok(resource)
}

/// Reads the document of a company's lock that `holder` sets at the instant `now`. The document may omit the
/// holder, but must not contain a different one. The lock must not be expired.
///
/// # Errors
/// Returns the same faults as [`read_resource_document`].
///
/// ```
/// use payroll_domain::date::Timestamp;
/// use payroll_domain::{document, input};
/// let node = input::parse(br#"{"reason": "audit"}"#).unwrap();
/// let lock = document::read_lock(&node, "night shift", Timestamp::from_micros(0)).unwrap();
/// assert_eq!((lock.holder.as_str(), lock.reason.as_deref()), ("night shift", Some("audit")));
/// ```
pub fn read_lock(node: &Node<'_>, holder: &str, now: Timestamp) -> Result<Lock, Violations> {
    read_object(node, |object| company::read_lock_of_holder(object, holder, now))
}

fn read_resource(kind: ResourceKind, object: &mut ObjectReader<'_>) -> Option<Resource> {
    Some(match kind {
        ResourceKind::Company => Resource::Company(Box::new(company::read_record(object)?)),
        ResourceKind::Organization => Resource::Organization(Organization::read(object)?),
        ResourceKind::ContactType => Resource::ContactType(ContactType::read(object)?),
        ResourceKind::CustomFieldCategory => {
            Resource::CustomFieldCategory(CustomFieldCategory::read(object)?)
        }
        ResourceKind::CustomField => {
            Resource::CustomField(Box::new(custom_field::read_custom_field(object)?))
        }
        ResourceKind::PayComponent => Resource::PayComponent(Box::new(pay::read_component(object)?)),
        ResourceKind::PayPeriod => Resource::PayPeriod(Box::new(pay::read_period(object)?)),
        ResourceKind::Worker => Resource::Worker(Box::new(worker::read_worker(object)?)),
        ResourceKind::Lookup(kind) => Resource::Lookup(kind.read(object)?),
    })
}
