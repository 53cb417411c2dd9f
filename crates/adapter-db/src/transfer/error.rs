//! The errors of a copy between databases.

use std::fmt;

use payroll_ports::StoreError;

use crate::error::Failure;
use crate::keys::OpenError;
use crate::migrations;

/// The reason why nothing was copied.
#[derive(Debug)]
pub enum CopyError {
    /// The source has a different schema version than this program.
    SourceSchema {
        /// The schema version of the source.
        source_version: String,
    },
    /// The keys do not decrypt the values of the source.
    SourceKeys,
    /// The target database cannot be opened with the keys for the target.
    Target(OpenError),
    /// The target database is not empty.
    TargetHolds {
        /// The table that has rows.
        table: String,
    },
    /// A move was requested, but it is only possible from an embedded database to PostgreSQL.
    TargetKind,
    /// The two databases do not have the same tables and columns.
    Tables(String),
    /// The target cannot store a value of the source.
    Value {
        /// The table that contains the value.
        table: String,
        /// The column that contains the value.
        column: String,
        /// The problem with the value.
        problem: &'static str,
    },
    /// The written data differs from the data that was read.
    Differs {
        /// The name of the table.
        table: String,
        /// The count or sum that differs, as human-readable text.
        figure: String,
    },
    /// One of the databases failed.
    Store(StoreError),
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SourceSchema { source_version: found } => write!(
                f,
                "the source has schema {found}, and this program needs {}: run `payroll-server migrate` on it",
                migrations::newest_schema_version()
            ),
            Self::SourceKeys => f.write_str("the keys do not decrypt the data in the source"),
            Self::Target(error) => write!(f, "the target database cannot be used: {error}"),
            Self::TargetHolds { table } => {
                write!(f, "the target is not empty: its table {table} has rows. Name an empty database")
            }
            Self::TargetKind => f.write_str(
                "the source is not an embedded database, or the target is not a PostgreSQL database",
            ),
            Self::Tables(difference) => {
                write!(f, "the databases do not have the same tables: {difference}")
            }
            Self::Value { table, column, problem } => {
                write!(f, "a value in column {column} of table {table} cannot be copied: {problem}")
            }
            Self::Differs { table, figure: what } => write!(
                f,
                "the data in table {table} of the target differs from the source ({what}), so the copy was \
                 discarded"
            ),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Target(error) => Some(error),
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Failure> for CopyError {
    fn from(failure: Failure) -> Self {
        Self::Store(failure.into())
    }
}
