//! The original values of a row. The replacement of a value may depend on other values of its row.

use crate::transfer::columns::SourceTable;
use crate::transfer::progress::TextRow;

/// A row with its values before the replacement.
pub(super) struct OriginalRow<'t> {
    pub(super) table: &'t SourceTable,
    pub(super) row: TextRow,
}

impl OriginalRow<'_> {
    /// Returns the original value of a column.
    pub(super) fn value(&self, column: &str) -> Option<&str> {
        self.row.get(self.table.column_position(column)?)?.as_deref()
    }

    /// Parses the original value of a column that contains one of a fixed set of values.
    pub(super) fn parse_value<W>(
        &self,
        column: &str,
        parse: impl Fn(&str) -> Option<W>,
    ) -> Result<W, &'static str> {
        self.value(column).and_then(parse).ok_or("the row does not say what kind it is of")
    }
}
