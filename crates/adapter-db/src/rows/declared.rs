//! The tables of lookup objects and of objects that belong to another object. Each table is declared by one
//! entry. The distribution over nodes, anonymised copies and the reset of a sandbox use this entry.

use super::stored_table::StoredTable;
use super::{company, custom_fields, lists, lookup, workers};

/// Returns every table of lookup objects, and of objects that belong to another object.
pub(crate) fn all_tables() -> impl Iterator<Item = &'static StoredTable> {
    let parts = [workers::PARTS, company::PARTS, lists::PARTS, custom_fields::PARTS];
    parts.into_iter().flatten().chain(lookup::all_tables().map(|table| &table.stored))
}
