//! The data in transit from the source to the target, and the progress.

use super::columns::SourceTable;

/// The values of a row as texts: a boolean is 1 or 0, a date `yyyy-MM-dd`, bytes `\\x` and hex digits.
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

/// A message from the source to the target. The tables come first. Then follow, for each table, its rows in
/// batches, and its counts and sums.
pub(super) enum CopyMessage {
    Tables(Vec<SourceTable>),
    Rows(Vec<TextRow>),
    Figures(Vec<String>),
}
