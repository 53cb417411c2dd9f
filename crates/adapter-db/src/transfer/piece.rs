//! What is on the way from the source to the target, and how far it has come.

use super::columns::Table;

/// The values of a row as texts: a truth is 1 or 0, a day `yyyy-MM-dd`, bytes `\\x` and hex digits.
pub(super) type Row = Vec<Option<String>>;

/// How far a move has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The table that is in progress.
    pub table: &'a str,
    /// Rows of all tables that are written.
    pub written: u64,
    /// Rows that there are.
    pub all: u64,
}

/// What has been moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The rows of each table, by its name.
    pub rows: Vec<(String, u64)>,
    /// Counts and sums that agree on both sides.
    pub compared: usize,
}

/// What the source sends, in this order: its tables; then for each of them its rows in pieces, and
/// what they come to.
pub(super) enum Piece {
    Tables(Vec<Table>),
    Rows(Vec<Row>),
    Figures(Vec<String>),
}
