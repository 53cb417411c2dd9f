//! The errors of statements and transactions.
//!
//! The modules `dialect` and `errors` of each database convert the error messages of this database to a
//! [`Failure`]. Some failures need a reaction of the caller, such as a changed version. For these failures,
//! the method of the port returns a normal result. All other failures become a `StoreError`.

use std::sync::atomic::{AtomicU64, Ordering};

use diesel::result::{DatabaseErrorKind, Error};
use payroll_ports::StoreError;
use payroll_ports::import::ImportCounts;
use payroll_ports::metrics::Metric;
use payroll_ports::resources::WriteRefusal;

/// A statement that failed, a row that cannot be decoded, or the reason for rolling back a transaction.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// A unique constraint rejected a row. The text contains the name of the constraint, or the columns of
    /// the constraint.
    Taken(String),
    /// Another writer held a lock for longer than the maximum wait.
    Busy,
    /// The database cannot be reached, or it does not respond within the time limit.
    Unavailable(String),
    /// Nothing can be written: the disk is full or broken, the file is missing, or the server is read-only.
    Unwritable(String),
    /// A total would no longer fit into 64 bits. The transaction is rolled back.
    TotalTooLarge,
    /// A stored row is invalid.
    Corrupt { table: &'static str, key: String, problem: String },
    /// The statement is wrong, which is a bug in this program.
    Bug(String),
    /// Stored data was changed after a validation had read it and before the write. The transaction is rolled
    /// back.
    FactsChanged,
    /// The idempotency record no longer belongs to this HTTP request. The transaction is rolled back.
    RecordLost,
    /// The change conflicts with stored data. The transaction is rolled back, and the texts report why.
    Refused(Vec<String>),
    /// The import was a dry run. The transaction is rolled back.
    DryRun(ImportCounts),
    /// Another actor has locked the company. The transaction is rolled back.
    Locked,
    /// The change of an object is rejected. The transaction is rolled back, and the refusal contains the
    /// reason.
    NotWritten(Box<WriteRefusal>),
    /// The object already has the requested content, so the transaction is rolled back. The number is the
    /// current version of the object.
    Unchanged(i64),
}

/// The error texts for violated unique constraints. Each entry is a text by which a constraint is recognized,
/// and an error text. The first text is a part of the name or the columns that PostgreSQL or SQLite reports.
const IN_USE_MESSAGES: [(&str, &str); 8] = [
    ("paycheck_ids", "the id of a check (paycheckId) is already in use"),
    ("checks_paycheck_id", "the id of a check (paycheckId) is already in use"),
    ("worker_ids", "the id of a worker (workerId) is already in use"),
    ("companies_pkey", "the id of a company (companyId) is already in use"),
    ("custom_fields_name", "the name of a custom field is already in use"),
    ("custom_fields.name", "the name of a custom field is already in use"),
    ("job_segments", "an id or the number of a job segment is already in use"),
    ("worker_statuses", "an id of a worker status, or its type and reason, is already in use"),
];

/// Returns the error text for a violated unique constraint. `constraint` is the text in [`Failure::Taken`].
/// The error text does not contain the name of the constraint.
pub(crate) fn unique_violation_message(constraint: &str) -> &'static str {
    let known = IN_USE_MESSAGES.iter().find(|(part, _)| constraint.contains(part));
    known.map_or("an id or a name is already in use", |(_, sentence)| sentence)
}

/// The result of every function that uses the database.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// Converts an error of Diesel to a failure. Diesel reports some errors without a kind. For these errors,
    /// `unknown` chooses the failure from the message of the database.
    pub(crate) fn from_diesel_error(error: Error, unknown: impl FnOnce(&str) -> Option<Self>) -> Self {
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

/// The numbers of failed units of work in this process, by kind of failure. A failure is counted when it
/// leaves this crate. The counters are static, because the conversion to a `StoreError` has no access to a
/// store.
static FAILURE_COUNTS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// Returns metrics about failed units of work.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    const METRIC_HELP: &str = "Database operations that failed.";
    let kinds = ["unavailable", "busy", "fault"].into_iter().zip(&FAILURE_COUNTS);
    kinds.map(|(kind, count)| {
        let count = count.load(Ordering::Relaxed);
        Metric::counter("payroll_database_errors_total", METRIC_HELP, count).with_label("kind", kind)
    })
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        let [unavailable, busy, fault] = &FAILURE_COUNTS;
        let count = match failure {
            Failure::Unavailable(_) | Failure::Unwritable(_) => unavailable,
            Failure::Busy => busy,
            Failure::TotalTooLarge => return Self::TotalTooLarge,
            _ => fault,
        };
        count.fetch_add(1, Ordering::Relaxed);
        match failure {
            Failure::Busy => Self::CompanyBusy,
            Failure::Unavailable(cause) | Failure::Unwritable(cause) => Self::Unavailable(cause.into()),
            Failure::Corrupt { table, key, problem } => Self::Corrupt { table, key, problem },
            Failure::Bug(cause) => Self::Bug(cause.into()),
            Failure::Taken(name) => Self::Bug(format!("{name} is taken").into()),
            Failure::TotalTooLarge
            | Failure::FactsChanged
            | Failure::RecordLost
            | Failure::Refused(_)
            | Failure::Locked
            | Failure::NotWritten(_)
            | Failure::DryRun(_)
            | Failure::Unchanged(_) => Self::Bug("a rejection was not handled".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violated_constraint_is_reported_as_a_sentence() {
        for (constraint, words) in [
            ("paycheck_ids_paycheck_id", "(paycheckId)"),
            ("UNIQUE constraint failed: paycheck_ids.paycheck_id", "(paycheckId)"),
            ("UNIQUE constraint failed: worker_ids.worker_id", "(workerId)"),
            ("UNIQUE constraint failed: custom_fields.company_id, custom_fields.name", "custom field"),
            ("another_constraint", "an id or a name"),
        ] {
            let sentence = unique_violation_message(constraint);
            assert!(sentence.contains(words) && !sentence.contains('_'), "{constraint}: {sentence}");
        }
    }
}
