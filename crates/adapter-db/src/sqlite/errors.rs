//! What SQLite's errors mean.

use crate::error::Failure;

/// Whether another connection is in the way.
pub(crate) fn is_busy(error: &diesel::result::Error) -> bool {
    matches!(error, diesel::result::Error::DatabaseError(_, reported) if says_busy(reported.message()))
}

fn says_busy(message: &str) -> bool {
    message.contains("locked") || message.contains("busy")
}

/// Sorts an error by SQLite's words.
pub(crate) fn failure(error: diesel::result::Error) -> Failure {
    Failure::sort(error, |message| {
        let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
        // Whose writer is in the way is not known, so this is never the company's fault.
        if says_busy(message) || says(&UNAVAILABLE) {
            Some(Failure::Unavailable(message.to_owned()))
        } else if says(&UNWRITABLE) {
            Some(Failure::Unwritable(message.to_owned()))
        } else {
            None
        }
    })
}

/// What SQLite says when the file cannot be used now (SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_NOMEM,
/// SQLITE_PROTOCOL).
const UNAVAILABLE: [&str; 4] =
    ["disk image is malformed", "unable to open", "out of memory", "locking protocol"];
/// What it says when nothing can be written (SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY).
const UNWRITABLE: [&str; 3] = ["disk is full", "disk I/O error", "readonly"];

/// Whether a transaction that was to be undone was undone by SQLite itself, as it does where a
/// commit or a statement fails for want of space.
pub(super) fn is_undone_already(failure: &Failure) -> bool {
    matches!(failure, Failure::Bug(message) if message.contains("no transaction is active"))
}
