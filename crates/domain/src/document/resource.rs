//! Reads, writes and patches the single objects that an operator manages.
//!
//! A single object is read with the same tables of members as a complete company. An object is therefore
//! valid alone if and only if it is valid within its company.

#[cfg(test)]
mod generated;
mod ids;
mod patching;
mod reading;
mod reused_ids;
#[cfg(test)]
mod tests;
mod writing;

pub use ids::{fill_missing_id, fill_missing_ids};
pub use patching::merge_documents;
pub use reading::{read_lock, read_resource_document};
pub use reused_ids::{has_objects_without_ids, reuse_ids};
pub(super) use writing::write_lock_members;
pub use writing::{
    to_resource_node, write_list_elements, write_lock, write_pending_deposit, write_resource, write_tax_id,
};
