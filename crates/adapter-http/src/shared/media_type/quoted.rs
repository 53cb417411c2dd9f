//! Splits header values at separators that are not in quoted strings.

use payroll_domain::steps;

/// Splits at separators outside quoted strings. A quotation mark that is never closed is an ordinary
/// character. Otherwise such a mark would hide all following separators.
pub(super) fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let unclosed_at = unclosed_quote(text).unwrap_or(text.len());
    let mut quotes = QuoteScanner::default();
    let mut at = 0;
    text.split(move |letter: char| {
        steps::record_steps(1);
        let here = at;
        at += letter.len_utf8();
        let quoted = here < unclosed_at && quotes.scan_character(letter);
        !quoted && letter == separator
    })
}

/// Returns the byte offset of the opening quotation mark that is never closed; `None` if all are closed.
fn unclosed_quote(text: &str) -> Option<usize> {
    let (mut quotes, mut opened_at) = (QuoteScanner::default(), 0);
    steps::record_steps(text.len());
    for (at, letter) in text.char_indices() {
        let was_open = quotes.in_quotes;
        quotes.scan_character(letter);
        if quotes.in_quotes && !was_open {
            opened_at = at;
        }
    }
    quotes.in_quotes.then_some(opened_at)
}

/// The state of a scan over quoted strings.
#[derive(Default)]
struct QuoteScanner {
    in_quotes: bool,
    is_escaped: bool,
}

impl QuoteScanner {
    /// Processes the next character. Returns whether the character is inside a quoted string or is one of its
    /// quotation marks.
    fn scan_character(&mut self, letter: char) -> bool {
        let was_open = self.in_quotes;
        if self.is_escaped {
            self.is_escaped = false;
        } else if letter == '"' {
            self.in_quotes = !self.in_quotes;
        } else if letter == '\\' {
            self.is_escaped = self.in_quotes;
        }
        was_open || self.in_quotes
    }
}
