//! Reads the details of PostgreSQL's errors that Diesel does not pass on.
//!
//! The message of an error is in the language of the server (`lc_messages`) and is not a reliable identifier.
//! The SQLSTATE is reliable, but Diesel passes it on for only a few errors. This module therefore reads the
//! bytes from the server before the driver does. The module stores the message and the SQLSTATE of each
//! error. An error of Diesel is then matched by its message. Of all other protocol messages, only the length
//! is read.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of different messages in memory. This number suffices, because a statement that fails
/// often has the same message each time, and an error is matched immediately after it was read.
const MAX_STORED_ERRORS: usize = 256;
/// The maximum number of bytes that are read from one error. The rest of a longer error is ignored.
/// PostgreSQL sends the needed fields before all fields that may be long.
const MAX_ERROR_BYTES: usize = 16 * 1024;
/// The length of a protocol message includes its own four bytes, but not the byte for the type.
const LENGTH_FIELD_BYTES: usize = 4;
/// The type of a protocol message that reports an error.
const ERROR_RESPONSE_TYPE: u8 = b'E';

/// An error as the server reported it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ErrorReport {
    /// The SQLSTATE of the error.
    pub(super) code: String,
    /// The message in the language of the server.
    pub(super) message: String,
    /// The source file of PostgreSQL that reports the error. The file name is the same in every language.
    pub(super) file: String,
}

/// The latest error reports of a database, from any connection.
#[derive(Debug, Default)]
pub(crate) struct RecentErrorReports(Mutex<VecDeque<ErrorReport>>);

impl RecentErrorReports {
    /// Returns the latest error report with the given message.
    pub(super) fn find_by_message(&self, message: &str) -> Option<ErrorReport> {
        let reports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reports.iter().rev().find(|report| report.message == message).cloned()
    }

    fn insert(&self, report: ErrorReport) {
        let mut reports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reports.retain(|other| other.message != report.message);
        if reports.len() >= MAX_STORED_ERRORS {
            reports.pop_front();
        }
        reports.push_back(report);
    }
}

/// Finds error reports in the bytes from a server.
#[derive(Debug)]
pub(super) struct ErrorScanner {
    reports: Arc<RecentErrorReports>,
    state: ParserState,
}

/// The part of the protocol to which the next byte belongs.
#[derive(Debug)]
enum ParserState {
    /// The response to the request for TLS, which is a single byte and not a protocol message.
    TlsAnswer,
    /// The type and the length of a message. Contains the bytes that were received so far.
    Head(Vec<u8>),
    /// An error. Contains the bytes that were received so far, and the number of missing bytes.
    Error(Vec<u8>, usize),
    /// The rest of a message that does not report an error. Contains the number of bytes that are skipped.
    Other(usize),
    /// The bytes do not follow the protocol, so nothing more is read.
    Unknown,
}

impl ErrorScanner {
    /// Creates a scanner for a session. `asks_for_tls` means that the client requests TLS first. The response
    /// to this request then precedes the messages of the session.
    pub(super) fn new(reports: Arc<RecentErrorReports>, asks_for_tls: bool) -> Self {
        let next = if asks_for_tls { ParserState::TlsAnswer } else { ParserState::Head(Vec::new()) };
        Self { reports, state: next }
    }

    /// Creates a scanner for the bytes that TLS has decrypted.
    pub(super) fn for_tls_connection(&self) -> Self {
        Self::new(Arc::clone(&self.reports), false)
    }

    /// Processes the next bytes from the server, and stores the errors that the bytes report.
    pub(super) fn process_bytes(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let next = std::mem::replace(&mut self.state, ParserState::Unknown);
            self.state = match next {
                ParserState::TlsAnswer => {
                    bytes = bytes.get(1..).unwrap_or_default();
                    ParserState::Head(Vec::new())
                }
                ParserState::Head(mut head) => {
                    consume_bytes(&mut bytes, LENGTH_FIELD_BYTES + 1 - head.len(), |part| {
                        head.extend_from_slice(part)
                    });
                    state_after_message_header(head)
                }
                ParserState::Error(mut error, left) => {
                    let consumed = consume_bytes(&mut bytes, left, |part| {
                        let room = MAX_ERROR_BYTES.saturating_sub(error.len()).min(part.len());
                        error.extend_from_slice(part.get(..room).unwrap_or_default());
                    });
                    if consumed == left {
                        self.reports.insert(parse_error_report(&error));
                        ParserState::Head(Vec::new())
                    } else {
                        ParserState::Error(error, left - consumed)
                    }
                }
                ParserState::Other(left) => {
                    let consumed = consume_bytes(&mut bytes, left, |_| ());
                    if consumed == left {
                        ParserState::Head(Vec::new())
                    } else {
                        ParserState::Other(left - consumed)
                    }
                }
                ParserState::Unknown => return,
            };
        }
    }
}

/// Removes at most `max_bytes` bytes from the input, passes them to `to`, and returns their number.
fn consume_bytes(bytes: &mut &[u8], max_bytes: usize, to: impl FnOnce(&[u8])) -> usize {
    let (part, rest) = bytes.split_at(max_bytes.min(bytes.len()));
    to(part);
    *bytes = rest;
    part.len()
}

/// Returns the parser state after some bytes of a message header (type and length). The header may still be
/// incomplete.
fn state_after_message_header(head: Vec<u8>) -> ParserState {
    let [kind, a, b, c, d] = head[..] else { return ParserState::Head(head) };
    let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    match length.checked_sub(LENGTH_FIELD_BYTES) {
        None => ParserState::Unknown,
        Some(0) => ParserState::Head(Vec::new()),
        Some(left) if kind == ERROR_RESPONSE_TYPE => ParserState::Error(Vec::new(), left),
        Some(left) => ParserState::Other(left),
    }
}

/// Parses the fields of an error. Each field is a byte for its type and a text that ends with a zero byte.
/// A field without the zero byte is omitted.
fn parse_error_report(error: &[u8]) -> ErrorReport {
    let mut report = ErrorReport::default();
    let mut fields: Vec<&[u8]> = error.split(|byte| *byte == 0).collect();
    fields.pop();
    for field in fields {
        let Some((kind, text)) = field.split_first() else { continue };
        let text = || String::from_utf8_lossy(text).into_owned();
        match kind {
            b'C' => report.code = text(),
            b'M' => report.message = text(),
            b'F' => report.file = text(),
            _ => {}
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + LENGTH_FIELD_BYTES).unwrap().to_be_bytes();
        [&[kind][..], &length, body].concat()
    }

    fn build_error_report(code: &str, words: &str) -> Vec<u8> {
        build_message(
            ERROR_RESPONSE_TYPE,
            format!("SFEHLER\0VERROR\0C{code}\0M{words}\0Fmd.c\0\0").as_bytes(),
        )
    }

    #[test]
    fn finds_an_error_report_however_its_bytes_are_split() {
        let session = [
            b"N".to_vec(),
            build_message(b'R', &[0; 4]),
            build_message(b'1', &[]),
            build_message(b'D', &[ERROR_RESPONSE_TYPE; 300]),
            build_error_report("55P03", "Sperre nicht verfügbar"),
            build_message(b'Z', b"E"),
            build_error_report("57014", "Anfrage abgebrochen"),
        ]
        .concat();
        for length in 1..session.len() {
            let reports = Arc::<RecentErrorReports>::default();
            let mut listener = ErrorScanner::new(Arc::clone(&reports), true);
            session.chunks(length).for_each(|part| listener.process_bytes(part));
            let code = |words| reports.find_by_message(words).map(|report| (report.code, report.file));
            let from = |code: &str| Some((code.to_owned(), "md.c".to_owned()));
            assert_eq!(code("Sperre nicht verfügbar"), from("55P03"));
            assert_eq!(code("Anfrage abgebrochen"), from("57014"));
            assert_eq!(code("something else"), None);
        }
    }

    #[test]
    fn keeps_a_limited_number_of_messages_with_their_last_code() {
        let reports = Arc::<RecentErrorReports>::default();
        let mut listener = ErrorScanner::new(Arc::clone(&reports), false);
        listener.process_bytes(&build_error_report("55P03", "same"));
        listener.process_bytes(&build_error_report("40P01", "same"));
        assert_eq!(reports.find_by_message("same").unwrap().code, "40P01");
        (0..MAX_STORED_ERRORS)
            .for_each(|number| listener.process_bytes(&build_error_report("22000", &number.to_string())));
        assert_eq!(reports.find_by_message("same"), None);
        assert!(
            reports.find_by_message("0").is_some() && reports.0.lock().unwrap().len() == MAX_STORED_ERRORS
        );
    }

    #[test]
    fn skips_long_errors_and_other_protocols() {
        let reports = Arc::<RecentErrorReports>::default();
        let mut listener = ErrorScanner::new(Arc::clone(&reports), false);
        listener.process_bytes(&build_error_report("22000", &"x".repeat(2 * MAX_ERROR_BYTES)));
        listener.process_bytes(&build_error_report("53300", "behind"));
        assert_eq!(reports.find_by_message("behind").unwrap().code, "53300");
        listener.process_bytes(b"HTTP/1.1 400 Bad Request");
        listener.process_bytes(&[0; 64]);
        listener.process_bytes(&build_error_report("53300", "never heard"));
        assert_eq!(reports.find_by_message("never heard"), None);
    }
}
