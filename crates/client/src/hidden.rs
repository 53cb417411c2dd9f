//! Values that must not appear in a log.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A secret or a tax ID. Its `Debug` output shows nothing of the value.
///
/// ```
/// let secret = payroll_client::Secret::from("pks_example");
/// assert_eq!(format!("{secret:?}"), "[hidden]");
/// assert_eq!(secret.expose(), "pks_example");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Returns the hidden value as text.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self(value.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}
