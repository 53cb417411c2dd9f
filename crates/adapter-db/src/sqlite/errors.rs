//! Classifies the errors that SQLite reports.

use crate::error::Failure;

/// Returns whether the statement failed because another connection holds a lock.
pub(crate) fn is_busy(error: &diesel::result::Error) -> bool {
    matches!(error, diesel::result::Error::DatabaseError(_, reported) if is_busy_message(reported.message()))
}

fn is_busy_message(message: &str) -> bool {
    message.contains("locked") || message.contains("busy")
}

/// Converts an error of SQLite to a failure. The text of the error determines the kind of failure.
pub(crate) fn to_failure(error: diesel::result::Error) -> Failure {
    Failure::from_diesel_error(error, |message| {
        let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
        // Another process holds the lock of the file. It is unknown for which company that process writes, so
        // the failure is not reported as a busy company.
        if is_busy_message(message) || says(&UNAVAILABLE_MESSAGES) {
            Some(Failure::Unavailable(message.to_owned()))
        } else if says(&UNWRITABLE_MESSAGES) {
            Some(Failure::Unwritable(message.to_owned()))
        } else if message.contains(OVERFLOW_MESSAGE) {
            Some(Failure::TotalTooLarge)
        } else {
            None
        }
    })
}

/// The message of SQLite if the result of `sum()` exceeds 64 bits. The operator `+` would return a
/// floating-point number instead.
const OVERFLOW_MESSAGE: &str = "integer overflow";
/// The messages of SQLite if the file cannot be used now (SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_NOMEM,
/// SQLITE_PROTOCOL).
const UNAVAILABLE_MESSAGES: [&str; 4] =
    ["disk image is malformed", "unable to open", "out of memory", "locking protocol"];
/// The messages of SQLite if nothing can be written (SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY).
const UNWRITABLE_MESSAGES: [&str; 3] = ["disk is full", "disk I/O error", "readonly"];

/// Returns whether a ROLLBACK failed because SQLite had already rolled back the transaction itself. SQLite
/// does this if a commit or a statement fails for lack of space.
pub(super) fn is_already_rolled_back(failure: &Failure) -> bool {
    matches!(failure, Failure::Bug(message) if message.contains("no transaction is active"))
}
