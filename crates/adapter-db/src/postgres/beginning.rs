//! The texts that begin transactions. They are sent together with the first statements and cost no extra
//! round trip.

use std::time::Duration;

/// The maximum time that a caller waits for a connection or a session of a pooler, before it gets 503.
pub(super) const WAIT: Duration = Duration::from_secs(5);

/// The text of each kind of transaction.
#[derive(Debug)]
pub(super) struct Beginnings {
    pub(super) write: String,
    /// Begins one of many write transactions. A statement that is prepared while its tables are empty would
    /// get a plan with sequential scans and keep it while the tables grow. This text prevents that.
    pub(super) one_of_many: String,
    /// Begins a transaction that may be lost in a power failure, because its data is short-lived. It does not
    /// wait for the disk, and its plans do not depend on statistics.
    pub(super) passing: String,
    /// Begins a transaction in which every statement sees the same snapshot.
    pub(super) snapshot: String,
    /// Begins a snapshot in which every statement finds rows by their keys.
    ///
    /// In large tables such a statement has one good plan. PostgreSQL estimates ten keys for a list of unknown
    /// length, finds the plan for a list of one key cheaper, and plans the statement again each time. For a
    /// request with one check, that took two thirds of the database's time.
    pub(super) keyed_snapshot: String,
    /// Begins a write transaction that finds rows by their keys like [`Self::keyed_snapshot`].
    pub(super) keyed_write: String,
}

impl Beginnings {
    /// Creates the texts. `limits` sets the limits in each transaction. It is `None` if connections are
    /// sessions, which set them once.
    ///
    /// Citus cannot keep the plan of a statement over several nodes, so plans are not kept where tables are
    /// distributed.
    pub(super) fn of(limits: Option<&str>, is_distributed: bool) -> Self {
        let limits = limits.map(|limits| format!("; {limits}")).unwrap_or_default();
        let keyed = match is_distributed {
            true => "",
            false => "; SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off",
        };
        Self {
            write: format!("BEGIN{limits}"),
            one_of_many: format!("BEGIN{limits}; SET LOCAL enable_seqscan = off"),
            passing: format!(
                "BEGIN{limits}; SET LOCAL synchronous_commit = off; SET LOCAL enable_seqscan = off; \
                 SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
            ),
            snapshot: format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY{limits}"),
            keyed_snapshot: format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY{limits}{keyed}"),
            keyed_write: format!("BEGIN{limits}{keyed}"),
        }
    }
}
