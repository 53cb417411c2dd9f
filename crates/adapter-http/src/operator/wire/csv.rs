//! Writes CSV (RFC 4180) for spreadsheets and accounting software.

use std::borrow::Cow;

use payroll_ports::BoxError;

/// Characters at the start of a cell that a spreadsheet would execute as a formula. Some programs also accept
/// full-width variants and skip a byte-order mark.
const FORMULA_BEGINNINGS: [char; 12] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\u{feff}'];

/// Characters after which a spreadsheet with another locale starts a new cell, even inside a quoted text.
const FIELD_SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

/// A CSV writer that writes into memory.
pub(super) type CsvWriter = csv::Writer<Vec<u8>>;

/// Writes rows and returns the CSV.
///
/// # Errors
/// The error of `write`. Writing into memory cannot fail.
pub(super) fn write_csv(write: impl FnOnce(&mut CsvWriter) -> csv::Result<()>) -> Result<Vec<u8>, BoxError> {
    let mut csv = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    write(&mut csv)?;
    Ok(csv.into_inner().map_err(|error| error.to_string())?)
}

/// Escapes a text for a cell: an apostrophe precedes each part that a spreadsheet would execute. Numbers are
/// not passed to this function, because the minus sign of a negative number would be escaped.
pub(super) fn escape_text(text: &str) -> Cow<'_, str> {
    let is_formula = |cell: &str| cell.trim_start_matches(' ').starts_with(FORMULA_BEGINNINGS);
    if !text.split_inclusive(FIELD_SEPARATORS).any(is_formula) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 1);
    for cell in text.split_inclusive(FIELD_SEPARATORS) {
        if is_formula(cell) {
            escaped.push('\'');
        }
        escaped.push_str(cell);
    }
    escaped.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreadsheet_formulas_are_escaped_with_an_apostrophe() {
        for (name, expected) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("\u{ff0b}1", "'\u{ff0b}1"),
            ("\u{ff0d}1", "'\u{ff0d}1"),
            ("\u{ff20}A", "'\u{ff20}A"),
            ("\u{feff}=1", "'\u{feff}=1"),
            (" =1", "' =1"),
            ("\t=1", "'\t'=1"),
            (";=1", ";'=1"),
            ("Ann; =1;+2", "Ann;' =1;'+2"),
            ("Ann\n=1", "Ann\n'=1"),
        ] {
            assert_eq!(escape_text(name), expected, "{name:?}");
        }
        for plain in ["", "Ann", "Ann-Marie", "a=b", "a;b", "ann@example.com", "1 + 1", "Caf\u{e9}"] {
            assert!(matches!(escape_text(plain), Cow::Borrowed(same) if same == plain), "{plain}");
        }
    }
}
