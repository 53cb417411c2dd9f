//! Classifies the errors that SQLite reports.

use crate::error::Failure;

/// Whether another connection holds the lock.
pub(crate) fn is_busy(error: &diesel::result::Error) -> bool {
    matches!(error, diesel::result::Error::DatabaseError(_, reported) if is_busy_message(reported.message()))
}

fn is_busy_message(message: &str) -> bool {
    message.contains("locked") || message.contains("busy")
}

/// Converts an error by SQLite's message.
pub(crate) fn failure(error: diesel::result::Error) -> Failure {
    Failure::classify(error, |message| {
        let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
        // The company of the other writer is unknown, so this is not reported as a busy company.
        if is_busy_message(message) || says(&UNAVAILABLE) {
            Some(Failure::Unavailable(message.to_owned()))
        } else if says(&UNWRITABLE) {
            Some(Failure::Unwritable(message.to_owned()))
        } else {
            None
        }
    })
}

/// Messages of SQLite if the file cannot be used now (SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_NOMEM,
/// SQLITE_PROTOCOL).
const UNAVAILABLE: [&str; 4] =
    ["disk image is malformed", "unable to open", "out of memory", "locking protocol"];
/// Messages of SQLite if nothing can be written (SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY).
const UNWRITABLE: [&str; 3] = ["disk is full", "disk I/O error", "readonly"];

/// Whether SQLite has already rolled back the transaction itself, as it does if a commit or a statement fails
/// for lack of space.
pub(super) fn is_already_rolled_back(failure: &Failure) -> bool {
    matches!(failure, Failure::Bug(message) if message.contains("no transaction is active"))
}
