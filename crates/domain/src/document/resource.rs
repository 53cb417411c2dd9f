//! The objects that an operator keeps, one by one: read, written, patched.
//!
//! Reading uses the tables of members that a complete company is read with, so that an object is
//! right alone exactly when it is right within its company.

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
