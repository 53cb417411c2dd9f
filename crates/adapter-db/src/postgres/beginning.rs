//! How transactions begin. The beginning travels with the first statements, so what it holds costs no round
//! trip.

use std::time::Duration;

/// How long a caller waits for a connection, or for a session behind it, before it gets 503.
pub(super) const WAIT: Duration = Duration::from_secs(5);

/// The text of each kind of transaction.
#[derive(Debug)]
pub(super) struct Beginnings {
    pub(super) write: String,
    /// One of many transactions that write. A statement that is prepared while its tables are empty is planned
    /// to read them completely, and the plan is kept while they grow.
    pub(super) one_of_many: String,
    /// A transaction that may be lost with the server's power: what it does ends by itself. It does not wait
    /// for the disk, and its plans do not depend on how much is known of the tables.
    pub(super) passing: String,
    /// A transaction in which every statement sees the same state.
    pub(super) snapshot: String,
}

impl Beginnings {
    /// Where connections are sessions, the limits are set when one begins; elsewhere by this statement in each
    /// transaction.
    pub(super) fn of(limits: Option<&str>) -> Self {
        let limits = limits.map(|limits| format!("; {limits}")).unwrap_or_default();
        Self {
            write: format!("BEGIN{limits}"),
            one_of_many: format!("BEGIN{limits}; SET LOCAL enable_seqscan = off"),
            passing: format!(
                "BEGIN{limits}; SET LOCAL synchronous_commit = off; SET LOCAL enable_seqscan = off; \
                 SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
            ),
            snapshot: format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY{limits}"),
        }
    }
}
