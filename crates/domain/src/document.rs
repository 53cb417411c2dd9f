//! Reads the operator's JSON objects into domain types, strictly and with all faults at once. Hooks are the
//! exception. Hooks belong to partners and are read like partners' requests.
//!
//! An unknown member is rejected in an operator's document, because a misspelt name would silently lose data
//! (specification, section 1.4). In a partner's request, unknown members are ignored. Each resource has a
//! table of its members in one of the modules below. `collect_external_references` lists the ids that refer
//! to objects outside the document. Only the storage knows whether those objects exist.
//!
//! Without the feature `server`, only the reader for a complete company is available.

#[cfg(feature = "server")]
mod access;
#[cfg(feature = "server")]
mod access_request;
mod company;
mod complete_company;
#[cfg(feature = "server")]
mod completion;
#[cfg(feature = "server")]
mod completion_request;
mod custom_field;
mod definitions;
#[cfg(feature = "server")]
mod export;
#[cfg(feature = "server")]
mod hook;
#[cfg(feature = "server")]
mod line;
#[cfg(feature = "server")]
mod operator_key;
#[cfg(feature = "server")]
mod partner;
mod pay;
#[cfg(feature = "server")]
mod references;
#[cfg(feature = "server")]
mod replay;
#[cfg(feature = "server")]
mod resource;
#[cfg(feature = "server")]
mod sandbox;
#[cfg(test)]
mod tests;
#[cfg(feature = "server")]
mod tree;
mod uniqueness;
mod worker;
#[cfg(feature = "server")]
mod worker_changes;

#[cfg(feature = "server")]
pub use crate::object::writer::TaxIdMasking;
#[cfg(feature = "server")]
pub use access::{
    ApplicationDocument, CorrelationScope, application_settings_node, read_application, read_grant,
    read_secret, write_application, write_application_settings, write_grant, write_secret,
};
#[cfg(feature = "server")]
pub use access_request::{
    AccessRequestDocument, read_access_approval, read_access_request, write_access_request,
};
#[cfg(feature = "server")]
pub use completion::{
    Completion, MAX_DEDUCTIONS_PER_CHECK, MAX_TAXES_PER_CHECK, read_completion, read_reversal,
    require_empty_document,
};
#[cfg(feature = "server")]
pub use completion_request::write_completion_request;
pub use definitions::{DefinitionMismatch, Definitions};
#[cfg(feature = "server")]
pub use export::{CompanyWriter, write_check_line};
#[cfg(feature = "server")]
pub use hook::{
    HookDocument, read_hook_change, read_registration, rejected_receiver_violation,
    rejected_token_url_violation, unverified_receiver_violation, write_hook, write_hook_settings,
    write_hooks, write_rotated_hook,
};
#[cfg(feature = "server")]
pub use line::CompanyLine;
#[cfg(feature = "server")]
pub use operator_key::{
    MAX_COMPANIES_OF_KEY, OperatorKeyDocument, read_operator_key, write_operator_key, write_operator_session,
};
#[cfg(feature = "server")]
pub use partner::remove_unknown_members;
#[cfg(feature = "server")]
pub use references::{Reference, collect_external_references, collect_references, is_externally_maintained};
#[cfg(feature = "server")]
pub use replay::{ReplayRequest, read_replay};
#[cfg(feature = "server")]
pub use resource::{
    fill_missing_id, fill_missing_ids, has_objects_without_ids, merge_documents, read_lock,
    read_resource_document, reuse_ids, to_resource_node, write_list_elements, write_lock,
    write_pending_deposit, write_resource, write_tax_id,
};
#[cfg(feature = "server")]
pub use sandbox::{ClockChange, Trigger, read_clock_change, read_reset_database, read_trigger};
#[cfg(feature = "server")]
pub use worker_changes::{MAX_CHANGES, apply_worker_changes, read_changed_worker_ids};

use crate::complete_company::CompleteCompany;
use crate::input::Node;
use crate::object::reader::read_object;
use crate::violation::Violations;

/// Reads a company with all its objects, as a line of an import file contains it (specification, section
/// 11.16).
///
/// Returns every fault with its pointer, in the order of the document. The codes are `API-46` (missing),
/// `API-47` (ambiguous) and `API-48` (invalid or unknown). Rules across several objects are only checked if
/// each object is valid. Examples are a duplicate id and an organization that is its own parent. Faults never
/// repeat tax IDs.
///
/// ```
/// use payroll_domain::{document, input};
/// let line = br#"{"companyId": "EXAMPLE-1", "displayId": "00000001", "legalName": "Example LLC"}"#;
/// let company = document::read_company(&input::parse(line).unwrap()).unwrap();
/// assert_eq!(company.company.legal_name, "Example LLC");
///
/// let faulty = br#"{"companyId": "no id", "displayId": "1", "workres": []}"#;
/// let faults = document::read_company(&input::parse(faulty).unwrap()).unwrap_err();
/// let places: Vec<_> = faults.iter().map(|fault| (fault.reason.code(), fault.pointer.as_deref())).collect();
/// assert_eq!(places, [
///     ("API-48", Some("/companyId")),
///     ("API-48", Some("/workres")),
///     ("API-46", Some("/legalName")),
/// ]);
/// ```
pub fn read_company(node: &Node<'_>) -> Result<CompleteCompany, Violations> {
    let complete = read_object(node, |object| {
        complete_company::read_complete_company(object, complete_company::read_workers)
    })?;
    uniqueness::check_company(&complete)?;
    Ok(complete)
}
