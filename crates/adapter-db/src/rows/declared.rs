//! The tables that are declared by one row each. Distribution, anonymised copies and the reset of a sandbox are
//! derived from that row.

use super::stored_table::StoredTable;
use super::{company, custom_fields, lists, lookup, workers};

/// Every table of parts and of lookup objects.
pub(crate) fn tables() -> impl Iterator<Item = &'static StoredTable> {
    let parts = [workers::PARTS, company::PARTS, lists::PARTS, custom_fields::PARTS];
    parts.into_iter().flatten().chain(lookup::tables().map(|table| &table.stored))
}
