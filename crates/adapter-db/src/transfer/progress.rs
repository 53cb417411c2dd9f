//! The messages that transfer data from the source to the target, and the progress of a copy.

use super::columns::SourceTable;

/// The values of a row as texts: a boolean is `1` or `0`, a date has the form `yyyy-MM-dd`, and bytes are
/// `\\x` followed by hex digits.
pub(super) type TextRow = Vec<Option<String>>;

/// The progress of a copy.
#[derive(Debug, Clone, Copy)]
pub struct CopyProgress<'a> {
    /// The table that is being copied.
    pub table: &'a str,
    /// The number of rows that were written, of all tables.
    pub written_rows: u64,
    /// The total number of rows.
    pub total_rows: u64,
}

/// The result of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopySummary {
    /// The number of rows of each table, by its name.
    pub rows: Vec<(String, u64)>,
    /// The number of counts and sums that are equal in source and target.
    pub compared_figures: usize,
}

/// A message from the source to the target. The first message contains all tables. For each table, messages
/// with its rows and a message with its counts and sums follow.
pub(super) enum CopyMessage {
    Tables(Vec<SourceTable>),
    Rows(Vec<TextRow>),
    Figures(Vec<String>),
}
