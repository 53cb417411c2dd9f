//! A row before anything of it is replaced: what a value becomes may depend on the others.

use crate::transfer::columns::Table;
use crate::transfer::piece::Row;

/// A row before the replacement.
pub(super) struct Before<'t> {
    pub(super) table: &'t Table,
    pub(super) row: Row,
}

impl Before<'_> {
    /// What a column held.
    pub(super) fn value(&self, column: &str) -> Option<&str> {
        self.row.get(self.table.place_of(column)?)?.as_deref()
    }

    /// What the word of a column meant.
    pub(super) fn word<W>(&self, column: &str, parse: impl Fn(&str) -> Option<W>) -> Result<W, &'static str> {
        self.value(column).and_then(parse).ok_or("the row does not say what kind it is of")
    }
}
