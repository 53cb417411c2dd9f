//! How the rows of a table are copied.

use super::treatment::Treatment;
use crate::rows::plain::PlainTable;

/// How an anonymised copy copies a table.
pub(in crate::transfer) enum Rows {
    /// Its rows are copied: some columns as they are, each of the others by its treatment.
    Copied {
        /// Columns that stay, with spaces between them.
        kept: &'static str,
        /// All other columns, each with its treatment.
        changed: &'static [(&'static str, Treatment)],
    },
    /// Its rows are plain objects, copied as their table says.
    Plain(&'static PlainTable),
    /// No row of it is copied.
    LeftOut,
}
