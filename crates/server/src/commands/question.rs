//! Questions to a person at a terminal.

use std::io::{BufRead, IsTerminal, Write};

use crate::failure::{Failure, Outcome};
use crate::terminal::plain;

/// Whether a person can reply to a question.
pub(super) fn can_be_asked() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks a person that question; anything but yes is no.
///
/// # Errors
/// No: this is what did not happen.
pub(super) fn confirm(question: &str, not_done: &str) -> Outcome {
    write!(std::io::stderr(), "{} [y/N] ", plain(question))?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    match ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
        true => Ok(()),
        false => Err(Failure::refused(not_done.to_owned())),
    }
}
