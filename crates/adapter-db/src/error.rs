//! What can go wrong between a statement and its result.
//!
//! Each database turns its own messages into a [`Failure`] (its `dialect` module); the queries
//! turn the failures that mean something to the caller into results of the ports.

use std::sync::atomic::{AtomicU64, Ordering};

use diesel::result::{DatabaseErrorKind, Error};
use payroll_ports::StoreError;
use payroll_ports::import::ImportCounts;
use payroll_ports::metrics::Metric;
use payroll_ports::resources::Refusal;

/// A statement or a row that failed, or a transaction that is to be undone.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// A unique constraint rejected a row; the text names the constraint or its columns.
    Taken(String),
    /// Another writer held what was needed for longer than the wait allowed.
    Busy,
    /// The database does not respond, or not in time.
    Unavailable(String),
    /// Nothing can be written: the disk is full or broken, the file is gone, the server only reads.
    Unwritable(String),
    /// A stored row makes no sense.
    Corrupt { table: &'static str, key: String, problem: String },
    /// The statement itself is wrong: a bug.
    Bug(String),
    /// The data that the change was validated with has changed: undo it.
    FactsChanged,
    /// The request's mark is no longer its own: undo its change.
    MarkLost,
    /// The change does not fit what is stored: undo it, and say so.
    Refused(Vec<String>),
    /// The import is validated, and was not to be stored: undo it.
    Judged(ImportCounts),
    /// Another actor has locked the company: undo the transaction.
    Locked,
    /// The write of an object is rejected: undo what led to that, and say why.
    NotWritten(Box<Refusal>),
    /// The object is stored in that version as it is wanted: undo what was raised for a change.
    Unchanged(i64),
}

/// The result of everything that touches the database.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// Sorts an error of diesel's; `unknown` decides by the database's own message what
    /// diesel does not know.
    pub(crate) fn sort(error: Error, unknown: impl FnOnce(&str) -> Option<Self>) -> Self {
        match error {
            Error::DatabaseError(DatabaseErrorKind::UniqueViolation, information) => {
                Self::Taken(information.constraint_name().unwrap_or(information.message()).to_owned())
            }
            Error::DatabaseError(
                DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection,
                information,
            ) => Self::Unavailable(information.message().to_owned()),
            Error::DatabaseError(DatabaseErrorKind::ReadOnlyTransaction, information) => {
                Self::Unwritable(information.message().to_owned())
            }
            Error::DatabaseError(_, information) => {
                let message = information.message();
                unknown(message).unwrap_or_else(|| Self::Bug(message.to_owned()))
            }
            other => Self::Bug(other.to_string()),
        }
    }
}

/// Units of work of this process that failed, by what went wrong. They are counted where a failure leaves
/// this crate, which each does once, and the counters are static because that place belongs to no store.
static ERRORS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// How many units of work have failed.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    const MEANING: &str = "Units of work that failed.";
    let kinds = ["unavailable", "busy", "fault"].into_iter().zip(&ERRORS);
    kinds.map(|(kind, count)| {
        let count = count.load(Ordering::Relaxed);
        Metric::count("payroll_database_errors_total", MEANING, count).with("kind", kind)
    })
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        let [unavailable, busy, fault] = &ERRORS;
        let count = match failure {
            Failure::Unavailable(_) | Failure::Unwritable(_) => unavailable,
            Failure::Busy => busy,
            _ => fault,
        };
        count.fetch_add(1, Ordering::Relaxed);
        match failure {
            Failure::Busy => Self::CompanyBusy,
            Failure::Unavailable(cause) | Failure::Unwritable(cause) => Self::Unavailable(cause.into()),
            Failure::Corrupt { table, key, problem } => Self::Corrupt { table, key, problem },
            Failure::Bug(cause) => Self::Bug(cause.into()),
            Failure::Taken(name) => Self::Bug(format!("{name} is taken").into()),
            Failure::FactsChanged
            | Failure::MarkLost
            | Failure::Refused(_)
            | Failure::Locked
            | Failure::NotWritten(_)
            | Failure::Judged(_)
            | Failure::Unchanged(_) => Self::Bug("a refusal had no answer".into()),
        }
    }
}
