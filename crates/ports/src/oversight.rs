//! Diagnostics for operators: a process examines itself and its environment (specification §10.27, §10.28).
//! The diagnostics complement the [`metrics`](crate::metrics).

use async_trait::async_trait;
use payroll_domain::date::Timestamp;

use crate::minutes::MinuteCounts;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingSeverity {
    /// Everything is in order.
    Fine,
    /// The server works, but an operator should read the finding.
    Warning,
    /// The server does not start, or does not work as specified.
    Problem,
}

impl FindingSeverity {
    /// Every severity, from `Fine` to `Problem`.
    pub const ALL: [Self; 3] = [Self::Fine, Self::Warning, Self::Problem];

    /// Returns the name of the severity.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// A finding: the result of one test of the diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The area of the finding, as one word such as `storage`.
    pub area: &'static str,
    /// Whether the finding is in order, a warning or a problem.
    pub state: FindingSeverity,
    /// The description of the finding.
    pub message: String,
    /// The recommended action. `None` if no action is necessary.
    pub advice: Option<String>,
}

/// A backup copy of the embedded database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The instant at which the copy was created.
    pub created: Timestamp,
    /// The path of the copy.
    pub file: String,
    /// The size of the copy in bytes.
    pub bytes: u64,
}

/// A process that can examine its own state.
#[async_trait]
pub trait Diagnostics: Send + Sync {
    /// Runs the diagnostics: examines the settings, keys, storage, listeners and hosts of hooks. The
    /// diagnostics change nothing and take at most some seconds.
    async fn run_checks(&self) -> Vec<Finding>;

    /// Returns the last known backup copy of the embedded database. `None` if no copy is known. On PostgreSQL
    /// the result is always `None`, because PostgreSQL has its own backup tools.
    fn read_last_backup(&self) -> Option<Backup>;

    /// Returns the number of attempts to deliver notifications for each minute of the hour before the instant
    /// `now`. The first counter contains all attempts, and the second contains the failed attempts.
    fn attempts_by_minute(&self, now: Timestamp) -> Vec<MinuteCounts<2>>;
}
