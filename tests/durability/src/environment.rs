//! Reads the settings of long test runs from environment variables.

use std::str::FromStr;

/// Returns the positive number in an environment variable. `None` if the variable is not set.
///
/// # Panics
/// Panics if the variable is not a positive number. A misspelled or zero number must not shorten a long run
/// unnoticed.
pub(crate) fn read_positive_number<T: FromStr + Default + PartialEq>(variable: &str) -> Option<T> {
    let text = std::env::var(variable).ok()?;
    let number = text.parse().ok().filter(|number| *number != T::default());
    Some(number.unwrap_or_else(|| panic!("{variable} is not a positive number: {text}")))
}
