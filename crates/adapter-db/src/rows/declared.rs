//! The tables of parts and lookup objects, which are declared by one entry each. Distribution, anonymised
//! copies and the reset of a sandbox are derived from that entry.

use super::stored_table::StoredTable;
use super::{company, custom_fields, lists, lookup, workers};

/// Returns every table of parts and of lookup objects.
pub(crate) fn tables() -> impl Iterator<Item = &'static StoredTable> {
    let parts = [workers::PARTS, company::PARTS, lists::PARTS, custom_fields::PARTS];
    parts.into_iter().flatten().chain(lookup::tables().map(|table| &table.stored))
}
