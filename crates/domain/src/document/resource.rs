//! Reads, writes and patches the single objects that an operator manages.
//!
//! A single object is read with the same tables of members as a complete company. An object is therefore
//! valid alone exactly if it is valid within its company.

#[cfg(test)]
mod generated;
mod ids;
mod kept_ids;
mod patching;
mod reading;
#[cfg(test)]
mod tests;
mod writing;

pub use ids::{fill_id, fill_ids};
pub use kept_ids::{keep_ids, lacks_ids};
pub use patching::merge;
pub use reading::{read, read_lock};
pub(super) use writing::lock;
pub use writing::{tree, write, write_elements, write_lock, write_pending_deposit, write_tax_id};
