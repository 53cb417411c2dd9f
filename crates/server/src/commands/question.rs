//! Questions to a person at a terminal.

use std::io::{BufRead, IsTerminal, Write};

use crate::failure::{Failure, Outcome};
use crate::terminal::printable;

/// Whether a person at a terminal can reply to a question.
pub(super) fn is_interactive() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks a person a question. Any reply except yes means no.
///
/// # Errors
/// The reply was no. The error says what was not done.
pub(super) fn confirm(question: &str, not_done: &str) -> Outcome {
    write!(std::io::stderr(), "{} [y/N] ", printable(question))?;
    let mut response = String::new();
    std::io::stdin().lock().read_line(&mut response)?;
    match ["y", "yes"].contains(&response.trim().to_lowercase().as_str()) {
        true => Ok(()),
        false => Err(Failure::refused(not_done.to_owned())),
    }
}
