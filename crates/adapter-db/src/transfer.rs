//! Everything that an embedded database holds, moved into an empty PostgreSQL database.
//!
//! Which tables and columns there are is read from the catalogs of both databases, so that there is
//! no list to keep: a table that only one of them has is refused. Rows go from one to the other as
//! PostgreSQL's text of rows (`COPY`), in pieces, so that memory does not grow with the database. What
//! is sealed is opened and sealed anew on the way (`sealed`).
//!
//! All of it is one transaction of the target, and what was written is counted and summed there and
//! at the source before its commit: afterwards the target holds everything or nothing, and a copy
//! that was cut off is simply begun again. The source is read in one transaction that keeps other
//! writers out, and is not changed.
//!
//! Not here: whether a server serves the source, which its lock tells the caller.

mod columns;
mod lines;
mod sealed;
mod source;
mod target;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use payroll_ports::StoreError;
use payroll_ports::keys::KeySet;
use tokio::sync::mpsc;

use crate::error::Failure;
use crate::seal::Sealer;
use crate::{OpenError, Place, Settings};
use columns::Table;

/// Pieces that are on their way at one time: one is written while the next are read.
const PIECES: usize = 4;

/// What is moved where.
pub struct Move {
    /// The file of the embedded database.
    pub from: PathBuf,
    /// What its secrets are sealed with.
    pub from_keys: KeySet,
    /// The PostgreSQL database, with the keys that it is to have.
    pub to: Settings,
}

/// How far a move has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The table that is under way.
    pub table: &'a str,
    /// Rows of all tables that are written.
    pub written: u64,
    /// Rows that there are.
    pub all: u64,
}

/// What has been moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The rows of each table, by its name.
    pub rows: Vec<(String, u64)>,
    /// Counts and sums that agree on both sides.
    pub compared: usize,
}

/// Why nothing has been moved.
#[derive(Debug)]
pub enum MoveError {
    /// The source has another schema than this program.
    SourceSchema {
        /// The version that it has.
        found: String,
    },
    /// The keys do not open what is sealed in the source.
    SourceKeys,
    /// The target cannot be opened with its keys.
    Target(OpenError),
    /// The target holds something.
    TargetHolds {
        /// The table that has rows.
        table: String,
    },
    /// The target is no PostgreSQL database.
    TargetKind,
    /// The two databases do not have the same tables and columns.
    Tables(String),
    /// The target cannot hold a value of the source.
    Value {
        /// Where it stands.
        table: String,
        /// Which of its columns.
        column: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// What was written is not what was read.
    Differs {
        /// The table.
        table: String,
        /// What was compared.
        what: String,
    },
    /// One of the databases did not do as asked.
    Store(StoreError),
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SourceSchema { found } => write!(
                f,
                "the source has schema {found}, and this program needs {}: run `payroll-server migrate` on it",
                crate::newest_schema_version()
            ),
            Self::SourceKeys => f.write_str("the keys do not open what is encrypted in the source"),
            Self::Target(error) => write!(f, "the target cannot be used: {error}"),
            Self::TargetHolds { table } => {
                write!(f, "the target is not empty: its table {table} has rows. Name an empty database")
            }
            Self::TargetKind => f.write_str("the target is no PostgreSQL database"),
            Self::Tables(difference) => {
                write!(f, "the databases do not have the same tables: {difference}")
            }
            Self::Value { table, column, problem } => {
                write!(f, "a value in column {column} of table {table} cannot be moved: {problem}")
            }
            Self::Differs { table, what } => write!(
                f,
                "what was written to table {table} is not what was read: {what} differs. Nothing is kept"
            ),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MoveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Target(error) => Some(error),
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Failure> for MoveError {
    fn from(failure: Failure) -> Self {
        Self::Store(failure.into())
    }
}

/// What the source tells, in this order: its tables; then for each of them its rows in pieces, and
/// what they come to.
enum Piece {
    Tables(Vec<Table>),
    Rows { lines: Vec<u8>, count: u64 },
    Figures(Vec<String>),
}

/// Moves everything. The source stays as it is; the target holds everything, or nothing.
///
/// # Errors
/// [`MoveError`] says what is in the way.
pub async fn transfer(
    wanted: Move,
    progress: impl Fn(Progress<'_>) + Send + Sync,
) -> Result<Moved, MoveError> {
    let Place::Postgres(url) = Place::of(&wanted.to.url) else { return Err(MoveError::TargetKind) };
    let opens = Sealer::new(wanted.from_keys.clone().into(), Arc::clone(&wanted.to.randomness));
    let seals = Sealer::new(wanted.to.keys.clone(), Arc::clone(&wanted.to.randomness));
    let (pieces, mut told) = mpsc::channel(PIECES);
    let from = wanted.from;
    let reading = tokio::task::spawn_blocking(move || source::read(&from, &opens, &seals, &pieces));
    let written = async {
        // A source that cannot be used leaves the target as it is.
        let Some(Piece::Tables(tables)) = told.recv().await else { return Ok(None) };
        // Makes the tables, and notes the keys that the target belongs to.
        drop(crate::open(wanted.to).await.map_err(MoveError::Target)?);
        target::write(&url, &tables, told, &progress).await
    };
    let written: Result<Option<Moved>, MoveError> = written.await;
    let read = reading.await.unwrap_or_else(|error| Err(Failure::Bug(error.to_string()).into()));
    match (written, read) {
        (Ok(Some(moved)), Ok(())) => Ok(moved),
        (Err(error), Ok(())) | (Ok(_), Err(error)) | (Err(_), Err(error)) => Err(error),
        (Ok(None), Ok(())) => Err(Failure::Bug("the source has ended early".to_owned()).into()),
    }
}
