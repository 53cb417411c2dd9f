//! Verifies that the key set can decrypt the values in a database.

use std::fmt;

use payroll_ports::StoreError;

/// The reason why a database was not opened.
#[derive(Debug)]
pub enum OpenError {
    /// The database belongs to another key set.
    WrongKeys,
    /// Stored rows need keys that the key set does not have.
    MissingKeys(Vec<MissingKey>),
    /// The database could not be reached, created or migrated.
    Store(StoreError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongKeys => f.write_str(
                "the keys are not those of this database, so its encrypted data cannot be decrypted. Use \
                 the keys with which the database was created",
            ),
            Self::MissingKeys(missing) => write!(
                f,
                "rows are encrypted with keys that are missing: {}. Add the lines of these keys after the \
                 others, and run `payroll-server key reseal`. Then you can remove the keys",
                format_missing_keys(missing)
            ),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::WrongKeys | Self::MissingKeys(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}

/// A key that stored rows need and that the key set does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKey {
    /// The id of the missing key.
    pub key_id: String,
    /// The number of rows whose values this key has encrypted.
    pub rows: u64,
}

impl fmt::Display for MissingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = if self.rows == 1 { "row" } else { "rows" };
        write!(f, "{} ({} {rows})", self.key_id, self.rows)
    }
}

/// Formats the missing keys as a human-readable list.
#[must_use]
pub fn format_missing_keys(missing: &[MissingKey]) -> String {
    missing.iter().map(MissingKey::to_string).collect::<Vec<_>>().join(", ")
}

/// The result of verifying whether the key set can decrypt a database.
pub(crate) enum KeyCheckResult {
    /// The key set decrypts every stored value.
    All,
    /// The keys do not decrypt the canaries of this database, so the keys belong to another database.
    Others,
    /// Some keys that rows need are missing.
    Missing(Vec<MissingKey>),
}

/// The progress of re-encrypting a database with the active key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResealProgress {
    /// The number of rows that were examined.
    pub rows: u64,
    /// The number of rows that were re-encrypted with the active key.
    pub resealed_rows: u64,
}
