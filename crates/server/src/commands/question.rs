//! Questions to a person at a terminal.

use std::io::{BufRead, IsTerminal, Write};

use crate::failure::{Failure, Outcome};
use crate::terminal::replace_control_characters;

/// Returns whether standard input is a terminal, so that a person can reply.
pub(super) fn is_interactive() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks a person a yes-or-no question on standard error. Any reply except `y` and `yes` means no.
///
/// # Errors
/// Fails if the reply means no. The error text reports that the action `not_done` was not executed.
pub(super) fn confirm(question: &str, not_done: &str) -> Outcome {
    write!(std::io::stderr(), "{} [y/N] ", replace_control_characters(question))?;
    let mut response = String::new();
    std::io::stdin().lock().read_line(&mut response)?;
    match ["y", "yes"].contains(&response.trim().to_lowercase().as_str()) {
        true => Ok(()),
        false => Err(Failure::refused(not_done.to_owned())),
    }
}
