//! The SQL texts that begin transactions. Each text is sent together with the first statements of the
//! transaction, so it costs no extra round trip.

use std::time::Duration;

/// The maximum time that a caller waits for a connection or for a session of a pooler. After this time the
/// caller gets status 503.
pub(super) const CONNECTION_WAIT: Duration = Duration::from_secs(5);

/// The SQL that begins each kind of transaction.
#[derive(Debug)]
pub(super) struct BeginStatements {
    pub(super) write: String,
    /// Begins one of many consecutive write transactions, such as those of an import, and disables sequential
    /// scans. Otherwise PostgreSQL would plan sequential scans for tables that are still empty. PostgreSQL
    /// would keep these plans while the tables grow.
    pub(super) one_of_many: String,
    /// Begins a transaction with short-lived data. A power failure may undo the transaction, because its
    /// commit does not wait for the disk. The text disables all plans except index scans, so that the plans
    /// do not depend on statistics.
    pub(super) passing: String,
    /// Begins a transaction in which every statement sees the same snapshot.
    pub(super) snapshot: String,
}

impl BeginStatements {
    /// Creates the texts that begin transactions. `limits` is the SQL that sets the time limits in each
    /// transaction. If each connection has its own session, `limits` is `None`, because the limits are set
    /// when the session starts.
    pub(super) fn from_transaction_limits(limits: Option<&str>) -> Self {
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
