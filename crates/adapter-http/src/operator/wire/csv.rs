//! CSV (RFC 4180) as spreadsheets and bookkeeping programs take it.

use std::borrow::Cow;

use payroll_ports::BoxError;

/// What a cell must not begin with: a spreadsheet takes it for a formula, and runs it. Some take full-width
/// characters as the plain ones, and skip a byte-order mark.
const FORMULA: [char; 12] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\u{feff}'];

/// What begins another cell for a spreadsheet of another language, also within a text.
const SEPARATORS: [char; 4] = [';', '\t', '\r', '\n'];

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

/// A text as a cell: with an apostrophe before what a spreadsheet would run. Numbers are ours, and may begin with
/// a sign.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    let is_formula = |cell: &str| cell.trim_start_matches(' ').starts_with(FORMULA);
    if !text.split_inclusive(SEPARATORS).any(is_formula) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 1);
    for cell in text.split_inclusive(SEPARATORS) {
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
    fn what_a_spreadsheet_would_run_has_an_apostrophe_before_it() {
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
            assert_eq!(text(name), expected, "{name:?}");
        }
        for plain in ["", "Ann", "Ann-Marie", "a=b", "a;b", "ann@example.com", "1 + 1", "Caf\u{e9}"] {
            assert!(matches!(text(plain), Cow::Borrowed(same) if same == plain), "{plain}");
        }
    }
}
