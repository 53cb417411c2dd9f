//! The errors that every implementation of a store returns.

use std::error::Error;
use std::fmt;

/// The cause of an error, which is only logged and not shown to callers.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The error of a store operation. The failed operation has changed nothing.
#[derive(Debug)]
pub enum StoreError {
    /// The store cannot be reached or did not respond in time. A retry may help.
    Unavailable(BoxError),
    /// Another writer of the same company took too long. A retry may help.
    CompanyBusy,
    /// A total of a pay period would no longer fit into 64 bits, counted in ten-thousandths. Only imported
    /// amounts and their reversals are that large. Nothing was stored.
    TotalTooLarge,
    /// A stored row is invalid.
    Corrupt {
        /// The table that contains the row.
        table: &'static str,
        /// The key by which the row can be found.
        key: String,
        /// The problem with the row, without any secret.
        problem: String,
    },
    /// A bug in the adapter: a query that the database rejects, or an impossible result.
    Bug(BoxError),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(cause) => write!(f, "the storage is unavailable: {cause}"),
            Self::CompanyBusy => f.write_str("another process is writing to the company and took too long"),
            Self::TotalTooLarge => f.write_str("a total of the pay period would be too large"),
            Self::Corrupt { table, key, problem } => {
                write!(f, "row {key} of table {table} is invalid: {problem}")
            }
            Self::Bug(cause) => write!(f, "the storage adapter failed: {cause}"),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unavailable(cause) | Self::Bug(cause) => Some(cause.as_ref()),
            Self::CompanyBusy | Self::TotalTooLarge | Self::Corrupt { .. } => None,
        }
    }
}
