//! Changes to company objects and to elements of workers' lists, for both APIs.
//!
//! The operations on an element of a worker's list (list, create, read, replace, patch, delete) are in
//! [`parts`]. These operations are generic over an [`ElementRequest`](side::ElementRequest), which defines
//! the differences between operators and partners.

pub(crate) mod account;
mod element_positions;
pub(crate) mod merged_faults;
pub(crate) mod parts;
pub(crate) mod side;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::CompanyId;
use payroll_domain::id::kind::Reference;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_ports::Store;
use payroll_ports::resources::{ObjectWrite, WriteOutcome};
use payroll_ports::write::AuditContext;

use crate::shared::edit::ChangeRequest;
use crate::shared::error::Failure;
use crate::shared::idempotency::InFlightGuard;
use crate::shared::precondition::IfMatch;

/// Identifies an object by its company, its kind and its id.
#[derive(Debug, Clone)]
pub(crate) struct ObjectKey {
    pub(crate) company_id: CompanyId,
    pub(crate) kind: ResourceKind,
    pub(crate) id: String,
}

impl ObjectKey {
    /// Creates a request that changes the object with this key (`self`).
    pub(crate) fn change_request(
        &self,
        if_match: IfMatch,
        body: Bytes,
        audit: AuditContext,
    ) -> ChangeRequest {
        let Self { company_id, kind, id } = self.clone();
        ChangeRequest { company_id, kind, id, if_match, body, audit }
    }
}

/// Reads an object from a document. Missing ids are generated.
///
/// # Errors
/// All faults of the document.
pub(crate) fn parse_object(
    ids: &mut IdSequence,
    kind: ResourceKind,
    node: Node<'_>,
) -> Result<Resource, Failure> {
    let mut next_id = || ids.next_id::<Reference>().to_string();
    Ok(document::read_resource_document(kind, &document::fill_missing_ids(kind, node, &mut next_id))?)
}

/// Returns 400 API-48: the id in the body differs from the id in the path.
pub(crate) fn id_mismatch_failure(member: &str) -> Failure {
    id_mismatch_fault(member).into()
}

/// Returns the fault of an id in the body that differs from the id in the path.
pub(crate) fn id_mismatch_fault(member: &str) -> Violation {
    let fault = Violation::new(Reason::FieldInvalid, format!("{member} must be the id in the path"));
    fault.at_position(format!("/{member}"), DocumentPosition::default())
}

/// Writes an object. The write completes even if the client disconnects.
///
/// # Errors
/// The error of the store.
pub(crate) async fn write_object(
    store: Arc<dyn Store>,
    company_id: CompanyId,
    write: ObjectWrite,
    audit: AuditContext,
    guard: &Arc<InFlightGuard>,
) -> Result<WriteOutcome, Failure> {
    guard.commit(async move { store.write_resource(&company_id, &write, &audit).await }).await
}
