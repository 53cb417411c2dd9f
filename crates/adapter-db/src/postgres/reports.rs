//! What PostgreSQL reports of an error in addition to its message.
//!
//! The message is for people, and in the language of the server (`lc_messages`). What the error is says
//! its SQLSTATE, which diesel passes on for a handful of errors only. So the bytes that the server sends
//! are read here on their way to the driver, and the SQLSTATE of each error is stored with its message,
//! by which an error of diesel's finds it again. Everything else passes unread: of each message only its
//! length is checked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// How many different messages are kept. Most errors of a statement have a message that is always the
/// same; and an error is matched as soon as it was read.
const KEPT: usize = 256;
/// How much of an error is read: its message comes before all that may be long.
const LONGEST: usize = 16 * 1024;
/// The length of a message of the protocol counts its own four bytes, and not the byte for its kind.
const LENGTH: usize = 4;
/// The kind of a message that reports an error.
const ERROR: u8 = b'E';

/// An error as the server has reported it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// The SQLSTATE of the error.
    pub(super) code: String,
    /// In the language of the server.
    pub(super) message: String,
    /// The file of PostgreSQL's source that reports it: the same in every language.
    pub(super) file: String,
}

/// The errors that a database has last reported, on any connection.
#[derive(Debug, Default)]
pub(crate) struct Reports(Mutex<VecDeque<Report>>);

impl Reports {
    /// The last error with that message.
    pub(super) fn find(&self, message: &str) -> Option<Report> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().rev().find(|report| report.message == message).cloned()
    }

    fn keep(&self, report: Report) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| other.message != report.message);
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(report);
    }
}

/// Finds the errors in what a server sends.
#[derive(Debug)]
pub(super) struct Listener {
    reports: Arc<Reports>,
    next: Next,
}

/// What the next byte belongs to.
#[derive(Debug)]
enum Next {
    /// The response to the request for TLS, which is one byte and no message.
    TlsAnswer,
    /// The kind of a message and its length, as far as they have come.
    Head(Vec<u8>),
    /// An error: what has come of it, and how much of it is still to come.
    Error(Vec<u8>, usize),
    /// This number of bytes is of no interest.
    Other(usize),
    /// This is not the protocol: nothing more is read.
    Unknown,
}

impl Listener {
    /// For a session; if TLS is requested first, its response comes before it.
    pub(super) fn new(reports: Arc<Reports>, asks_for_tls: bool) -> Self {
        let next = if asks_for_tls { Next::TlsAnswer } else { Next::Head(Vec::new()) };
        Self { reports, next }
    }

    /// The same for the session inside TLS.
    pub(super) fn inside_tls(&self) -> Self {
        Self::new(Arc::clone(&self.reports), false)
    }

    /// Reads what has come.
    pub(super) fn hear(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let next = std::mem::replace(&mut self.next, Next::Unknown);
            self.next = match next {
                Next::TlsAnswer => {
                    bytes = bytes.get(1..).unwrap_or_default();
                    Next::Head(Vec::new())
                }
                Next::Head(mut head) => {
                    take(&mut bytes, LENGTH + 1 - head.len(), |part| head.extend_from_slice(part));
                    after_head(head)
                }
                Next::Error(mut error, left) => {
                    let took = take(&mut bytes, left, |part| {
                        let room = LONGEST.saturating_sub(error.len()).min(part.len());
                        error.extend_from_slice(part.get(..room).unwrap_or_default());
                    });
                    if took == left {
                        self.reports.keep(report(&error));
                        Next::Head(Vec::new())
                    } else {
                        Next::Error(error, left - took)
                    }
                }
                Next::Other(left) => {
                    let took = take(&mut bytes, left, |_| ());
                    if took == left { Next::Head(Vec::new()) } else { Next::Other(left - took) }
                }
                Next::Unknown => return,
            };
        }
    }
}

/// Takes bytes up to a limit, and returns how many there were.
fn take(bytes: &mut &[u8], most: usize, to: impl FnOnce(&[u8])) -> usize {
    let (part, rest) = bytes.split_at(most.min(bytes.len()));
    to(part);
    *bytes = rest;
    part.len()
}

/// What follows the beginning of a message.
fn after_head(head: Vec<u8>) -> Next {
    let [kind, a, b, c, d] = head[..] else { return Next::Head(head) };
    let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    match length.checked_sub(LENGTH) {
        None => Next::Unknown,
        Some(0) => Next::Head(Vec::new()),
        Some(left) if kind == ERROR => Next::Error(Vec::new(), left),
        Some(left) => Next::Other(left),
    }
}

/// The fields of an error: each is a byte that says which, and a text that a zero ends. A text whose end
/// is missing is left out.
fn report(error: &[u8]) -> Report {
    let mut report = Report::default();
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

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + LENGTH).unwrap().to_be_bytes();
        [&[kind][..], &length, body].concat()
    }

    fn error(code: &str, words: &str) -> Vec<u8> {
        message(ERROR, format!("SFEHLER\0VERROR\0C{code}\0M{words}\0Fmd.c\0\0").as_bytes())
    }

    #[test]
    fn an_error_is_found_however_the_bytes_are_cut() {
        let session = [
            b"N".to_vec(),
            message(b'R', &[0; 4]),
            message(b'1', &[]),
            message(b'D', &[ERROR; 300]),
            error("55P03", "Sperre nicht verfügbar"),
            message(b'Z', b"E"),
            error("57014", "Anfrage abgebrochen"),
        ]
        .concat();
        for length in 1..session.len() {
            let reports = Arc::<Reports>::default();
            let mut listener = Listener::new(Arc::clone(&reports), true);
            session.chunks(length).for_each(|part| listener.hear(part));
            let code = |words| reports.find(words).map(|report| (report.code, report.file));
            let from = |code: &str| Some((code.to_owned(), "md.c".to_owned()));
            assert_eq!(code("Sperre nicht verfügbar"), from("55P03"));
            assert_eq!(code("Anfrage abgebrochen"), from("57014"));
            assert_eq!(code("something else"), None);
        }
    }

    #[test]
    fn the_last_meaning_of_a_message_holds_and_no_more_are_kept_than_fit() {
        let reports = Arc::<Reports>::default();
        let mut listener = Listener::new(Arc::clone(&reports), false);
        listener.hear(&error("55P03", "same"));
        listener.hear(&error("40P01", "same"));
        assert_eq!(reports.find("same").unwrap().code, "40P01");
        (0..KEPT).for_each(|number| listener.hear(&error("22000", &number.to_string())));
        assert_eq!(reports.find("same"), None);
        assert!(reports.find("0").is_some() && reports.0.lock().unwrap().len() == KEPT);
    }

    #[test]
    fn what_is_too_long_or_no_protocol_is_passed_over() {
        let reports = Arc::<Reports>::default();
        let mut listener = Listener::new(Arc::clone(&reports), false);
        listener.hear(&error("22000", &"x".repeat(2 * LONGEST)));
        listener.hear(&error("53300", "behind"));
        assert_eq!(reports.find("behind").unwrap().code, "53300");
        listener.hear(b"HTTP/1.1 400 Bad Request");
        listener.hear(&[0; 64]);
        listener.hear(&error("53300", "never heard"));
        assert_eq!(reports.find("never heard"), None);
    }
}
