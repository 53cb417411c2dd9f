//! CSV (RFC 4180) as spreadsheets and bookkeeping programs take it.

use std::borrow::Cow;

use payroll_ports::BoxError;

/// What a text must not begin with in a cell: a spreadsheet takes it for a formula, and runs it.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// What rows are written with.
pub(super) type Csv = csv::Writer<Vec<u8>>;

/// The rows that are written.
///
/// # Errors
/// None: they are written into memory.
pub(super) fn written(write: impl FnOnce(&mut Csv) -> csv::Result<()>) -> Result<Vec<u8>, BoxError> {
    let mut csv = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    write(&mut csv)?;
    Ok(csv.into_inner().map_err(|error| error.to_string())?)
}

/// A text as a cell: with an apostrophe before it where a spreadsheet would run it. Numbers are ours, and
/// may begin with a sign.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    if text.starts_with(FORMULA) { format!("'{text}").into() } else { text.into() }
}
