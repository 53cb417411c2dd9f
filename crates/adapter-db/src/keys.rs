//! Whether the keys of the key set open what a database holds.

use std::fmt;

use payroll_ports::StoreError;

/// Why a database was not opened.
#[derive(Debug)]
pub enum OpenError {
    /// The database belongs to another key set.
    WrongKeys,
    /// Rows need keys that the key set does not have.
    MissingKeys(Vec<MissingKey>),
    /// The database could not be reached, made or migrated.
    Store(StoreError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongKeys => f.write_str(
                "the keys are not those that this database was made with: its secrets cannot be opened",
            ),
            Self::MissingKeys(missing) => write!(
                f,
                "rows are sealed with keys that are not among its keys: {}. Put their lines back behind the \
                 others; `payroll-server key reseal` seals those rows anew, and then the keys can go",
                list_of_keys(missing)
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

/// A key that is still needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKey {
    /// The id of the key.
    pub key_id: String,
    /// How many rows hold what it has sealed.
    pub rows: u64,
}

impl fmt::Display for MissingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = if self.rows == 1 { "row" } else { "rows" };
        write!(f, "{} ({} {rows})", self.key_id, self.rows)
    }
}

/// Keys that are still needed, one behind the other, for people.
#[must_use]
pub fn list_of_keys(missing: &[MissingKey]) -> String {
    missing.iter().map(MissingKey::to_string).collect::<Vec<_>>().join(", ")
}

/// Whether the keys of the key set open what a database holds.
pub(crate) enum KeysFound {
    /// The keys open every sealed value.
    All,
    /// They are those of another database.
    Others,
    /// Some keys that rows need are missing.
    Missing(Vec<MissingKey>),
}

/// How far sealing anew has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resealed {
    /// Rows that were checked.
    pub rows: u64,
    /// Of these, rows that another key had sealed, and the active one has now.
    pub sealed: u64,
}
