//! Parses the text of a CSV file strictly (RFC 4180): UTF-8, commas between fields, closed quotes. Anything
//! ambiguous is a fault with its line, because a wrong guess would pay a wrong amount.

use std::borrow::Cow;

use payroll_domain::code::Reason;
use payroll_domain::steps;

use super::faults::FileFaults;

/// The maximum number of rows below the header, equal to the maximum number of objects in a bulk change.
pub const MAX_ROWS: usize = payroll_domain::document::MAX_CHANGES;
/// The maximum number of bytes of a field. The longest valid value is shorter than a tenth of this limit.
const MAX_FIELD_BYTES: usize = 64 * 1024;
/// The maximum number of stored fields of a record: four times the number of columns. Further fields are only
/// counted.
const MAX_FIELDS: usize = 256;

/// A record of the file. A record spans several lines if a quoted field contains line breaks.
#[derive(Debug)]
pub(super) struct CsvRecord<'t> {
    /// The number of the record's first line, from 1.
    pub(super) line: u64,
    pub(super) fields: Vec<CsvField<'t>>,
    /// The number of fields, including those that are not stored.
    pub(super) count: usize,
}

/// A field of a row.
#[derive(Debug)]
pub(super) struct CsvField<'t> {
    /// The number of the line in which the field begins.
    pub(super) line: u64,
    pub(super) text: Cow<'t, str>,
}

impl CsvRecord<'_> {
    /// Whether all fields are empty.
    pub(super) fn is_empty(&self) -> bool {
        self.count == self.fields.len() && self.fields.iter().all(|field| field.text.is_empty())
    }
}

/// Decodes the text of a file and removes its byte-order mark. Returns `None` if the text has faults, which
/// are added to `faults`.
pub(super) fn decode_utf8<'t>(bytes: &'t [u8], faults: &mut FileFaults) -> Option<&'t str> {
    steps::record_steps(bytes.len());
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        faults.add_line_fault(
            Reason::InvalidParameter,
            1,
            None,
            "the file is UTF-16; save it as \"CSV UTF-8\"",
        );
        return None;
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        faults.add_line_fault(
            Reason::InvalidParameter,
            1,
            None,
            "the file is empty; `payroll-server import --template` prints one to begin with",
        );
        return None;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let Some(at) = bytes.iter().position(|byte| *byte == 0) else { return Some(text) };
        let line = bytes.get(..at).unwrap_or_default().split(|byte| *byte == b'\n').count();
        let line = u64::try_from(line).unwrap_or(u64::MAX);
        faults.add_line_fault(
            Reason::InvalidParameter,
            line,
            None,
            "the line has a zero byte, so the file is not UTF-8 text; save it as \"CSV UTF-8\"",
        );
        return None;
    }
    for (line, bytes) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if std::str::from_utf8(bytes).is_err() {
            faults.add_line_fault(
                Reason::InvalidParameter,
                line,
                None,
                "the line is not UTF-8; save the file as \"CSV UTF-8\"",
            );
        }
    }
    None
}

/// Parses the records of a text and skips empty lines. Faults are added to `faults`.
pub(super) fn parse_records<'t>(text: &'t str, faults: &mut FileFaults) -> Vec<CsvRecord<'t>> {
    let mut reader = CsvReader { text, at: 0, line: 1, faults };
    let mut records = Vec::new();
    while let Some(record) = reader.read_record() {
        if record.count == 1 && record.is_empty() {
            continue;
        }
        records.push(record);
        // The limit does not include the header, so 1 is added. Reading stops as soon as the limit is
        // exceeded.
        if records.len() > MAX_ROWS + 1 {
            break;
        }
    }
    records
}

/// The next element after a field: another field of the same record, or the end of the record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldEnd {
    Field,
    Record,
}

/// The parser of a CSV file, which reads the text from its start to its end.
struct CsvReader<'t, 'f> {
    text: &'t str,
    at: usize,
    line: u64,
    faults: &'f mut FileFaults,
}

impl<'t> CsvReader<'t, '_> {
    fn read_record(&mut self) -> Option<CsvRecord<'t>> {
        if self.at >= self.text.len() {
            return None;
        }
        let mut record = CsvRecord { line: self.line, fields: Vec::new(), count: 0 };
        loop {
            let line = self.line;
            let (text, end) = self.read_field();
            record.count += 1;
            let text = if text.len() > MAX_FIELD_BYTES {
                let fault = format!("field {} has more than {MAX_FIELD_BYTES} bytes", record.count);
                self.faults.add_line_fault(Reason::InvalidParameter, line, None, fault);
                Cow::Borrowed("")
            } else {
                text
            };
            if record.fields.len() < MAX_FIELDS {
                record.fields.push(CsvField { line, text });
            }
            if end == FieldEnd::Record {
                return Some(record);
            }
        }
    }

    fn read_field(&mut self) -> (Cow<'t, str>, FieldEnd) {
        match self.remaining_text().strip_prefix('"') {
            Some(_) => self.read_quoted(),
            None => {
                let (text, end) = self.read_unquoted();
                if text.contains('"') {
                    let fault = "a field without quotes around it contains a quote; put the field in \
                        quotes, and write the quote twice";
                    self.faults.add_line_fault(
                        Reason::InvalidParameter,
                        self.line_of_last_field(end),
                        None,
                        fault,
                    );
                }
                (Cow::Borrowed(text), end)
            }
        }
    }

    /// Reads a field up to the next comma or line end.
    fn read_unquoted(&mut self) -> (&'t str, FieldEnd) {
        let rest = self.remaining_text();
        let length = rest.find([',', '\n']).unwrap_or(rest.len());
        steps::record_steps(length + 1);
        let (field, remaining) = rest.split_at_checked(length).unwrap_or((rest, ""));
        self.at += length + 1;
        // A comma at the end of the file is followed by one more field, which is empty.
        if remaining.starts_with(',') {
            return (field, FieldEnd::Field);
        }
        self.line += 1;
        let field = field.strip_suffix('\r').unwrap_or(field);
        if field.contains('\r') {
            self.faults.add_line_fault(
                Reason::InvalidParameter,
                self.line - 1,
                None,
                "a field contains a carriage return; lines must end with LF or CR LF",
            );
        }
        (field, FieldEnd::Record)
    }

    /// Reads a quoted field without its quotes. Two adjacent quotes inside the field represent one quote.
    fn read_quoted(&mut self) -> (Cow<'t, str>, FieldEnd) {
        let started = self.line;
        self.at += 1;
        let mut whole = Cow::Borrowed("");
        loop {
            let rest = self.remaining_text();
            let Some(length) = rest.find('"') else {
                steps::record_steps(rest.len());
                self.faults.add_line_fault(
                    Reason::InvalidParameter,
                    started,
                    None,
                    "a quote that is opened in this line is never closed",
                );
                self.at = self.text.len();
                return (Cow::Borrowed(""), FieldEnd::Record);
            };
            steps::record_steps(length + 2);
            let (part, remaining) = rest.split_at_checked(length).unwrap_or((rest, ""));
            self.line += u64::try_from(part.matches('\n').count()).unwrap_or(0);
            self.at += length + 1;
            if whole.is_empty() {
                whole = Cow::Borrowed(part);
            } else {
                whole.to_mut().push_str(part);
            }
            if !remaining.starts_with("\"\"") {
                break;
            }
            whole.to_mut().push('"');
            self.at += 1;
        }
        let line = self.line;
        if self.at >= self.text.len() {
            return (whole, FieldEnd::Record);
        }
        let (trailing, end) = self.read_unquoted();
        if !trailing.is_empty() {
            self.faults.add_line_fault(
                Reason::InvalidParameter,
                line,
                None,
                "text follows a closing quote: write a quote inside a quoted field as two quotes",
            );
        }
        (whole, end)
    }

    fn remaining_text(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the line of the field that was just read.
    const fn line_of_last_field(&self, end: FieldEnd) -> u64 {
        match end {
            FieldEnd::Field => self.line,
            FieldEnd::Record => self.line.saturating_sub(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use payroll_domain::steps::assert_linear;

    use super::*;

    /// Returns the records as lines of fields, or the faults.
    fn read(bytes: &[u8]) -> Result<Vec<String>, Vec<String>> {
        let mut faults = FileFaults::default();
        let all =
            decode_utf8(bytes, &mut faults).map(|text| parse_records(text, &mut faults)).unwrap_or_default();
        let fields = |record: &CsvRecord<'_>| {
            record.fields.iter().map(|it| it.text.as_ref()).collect::<Vec<_>>().join("|")
        };
        let reported = faults.sorted_faults().into_iter().map(ToString::to_string).collect::<Vec<_>>();
        if reported.is_empty() {
            Ok(all.iter().map(|it| format!("{} {}", it.line, fields(it))).collect())
        } else {
            Err(reported)
        }
    }

    #[test]
    fn fields_are_parsed_according_to_rfc_4180() {
        for (text, expected) in [
            ("a,b\n1,2\n", vec!["1 a|b", "2 1|2"]),
            ("a,b\r\n1,2", vec!["1 a|b", "2 1|2"]),
            ("\u{feff}a,b\n,\n", vec!["1 a|b", "2 |"]),
            ("a,b\n1,", vec!["1 a|b", "2 1|"]),
            ("a\n\n\r\nb\n", vec!["1 a", "4 b"]),
            ("\"a,b\",\"c \"\"d\"\"\"\r\nx,\"\"\n", vec!["1 a,b|c \"d\"", "2 x|"]),
            ("\"one\ntwo\",b\nc,d", vec!["1 one\ntwo|b", "3 c|d"]),
            ("\"\"\"\",b", vec!["1 \"|b"]),
        ] {
            assert_eq!(
                read(text.as_bytes()),
                Ok(expected.iter().map(ToString::to_string).collect()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn invalid_csv_text_is_reported_with_its_line() {
        let long = format!("a\n{}\nb", "x".repeat(MAX_FIELD_BYTES + 1));
        for (bytes, expected) in [
            (&b""[..], vec!["line 1: the file is empty"]),
            (b"\xEF\xBB\xBF \n", vec!["line 1: the file is empty"]),
            (b"\xFF\xFEa\0", vec!["line 1: the file is UTF-16"]),
            (b"\xFE\xFF\0a", vec!["line 1: the file is UTF-16"]),
            (b"a\nb\0", vec!["line 2: the line has a zero byte"]),
            (b"a\n\xE9\nb\n\xFC", vec!["line 2: the line is not UTF-8", "line 4: the line is not UTF-8"]),
            (b"a\n\"b\nc\n", vec!["line 2: a quote that is opened in this line is never closed"]),
            (b"a\nb\"c\n", vec!["line 2: a field without quotes around it contains a quote"]),
            (b"a\n\"b\"c,d\n", vec!["line 2: text follows a closing quote"]),
            (b"a\rb\n", vec!["line 1: a field contains a carriage return"]),
            (long.as_bytes(), vec!["line 2: field 1 has more than 65536 bytes"]),
        ] {
            let reported = read(bytes).unwrap_err();
            assert_eq!(reported.len(), expected.len(), "{reported:?}");
            for (reported, expected) in reported.iter().zip(expected) {
                assert!(reported.starts_with(expected), "{reported} is not {expected}");
            }
        }
    }

    #[test]
    fn parsing_a_text_takes_linear_time() {
        for part in ["a,", ",", "\"\",", "\"a\"\"b\"\n", "\"", "a\"b,", "\r", "x", "\"\n"] {
            assert_linear(
                &format!("CSV of {part:?}"),
                |n| part.repeat(n),
                |text| drop(read(text.as_bytes())),
            );
        }
    }
}
