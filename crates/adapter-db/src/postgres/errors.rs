//! What PostgreSQL's errors mean.

use crate::error::Failure;

/// What PostgreSQL says when trying again later may help: time-outs, a restart (57P01 to 57P03), too
/// little memory or too many connections (53200, 53300, 53400).
const UNAVAILABLE: [&str; 9] = [
    "timeout",
    "terminating connection",
    "canceling statement",
    "the database system is",
    "out of memory",
    "out of shared memory",
    "too many clients",
    "connection slots are reserved",
    "too many connections",
];

/// What it says when nothing can be written: a full disk or quota (53100), a broken one (58030), a
/// limit on temporary files (53400). That the server is a reader (25006) is known by its code.
const UNWRITABLE: [&str; 6] = [
    "No space left",
    "could not extend file",
    "Disk quota exceeded",
    "Input/output error",
    "Read-only file system",
    "temporary file size exceeds",
];

/// Sorts an error by PostgreSQL's words, because diesel passes on no more than a few codes. A server
/// whose `lc_messages` is another language than English is a known quirk: except for what has a code
/// here, its time-outs and full disks are then reported as faults.
pub(crate) fn failure(error: diesel::result::Error) -> Failure {
    Failure::sort(error, |message| {
        let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
        if says(&["lock timeout", "deadlock detected"]) {
            Some(Failure::Busy)
        } else if says(&UNWRITABLE) {
            Some(Failure::Unwritable(message.to_owned()))
        } else if says(&UNAVAILABLE) {
            Some(Failure::Unavailable(message.to_owned()))
        } else {
            None
        }
    })
}
