//! Diagnostics of a process about itself and its environment for operators (specification §10.27, §10.28), in
//! addition to its [`metrics`](crate::metrics).

use async_trait::async_trait;
use payroll_domain::date::Timestamp;

use crate::minutes::Minute;

/// The state of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingState {
    /// The state is as it should be.
    Fine,
    /// The server works, but an operator should know about the finding.
    Warning,
    /// The server does not start, or does not work as specified.
    Problem,
}

impl FindingState {
    /// Every state of a finding.
    pub const ALL: [Self; 3] = [Self::Fine, Self::Warning, Self::Problem];

    /// The name of the state.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The area of the check in a word, such as `storage`.
    pub area: &'static str,
    /// The state of the finding.
    pub state: FindingState,
    /// The description of the finding.
    pub message: String,
    /// The recommended action, if there is one.
    pub advice: Option<String>,
}

/// A copy of the embedded database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The instant at which the copy was created.
    pub created: Timestamp,
    /// The path of the copy.
    pub file: String,
    /// The size of the copy in bytes.
    pub bytes: u64,
}

/// A process that can check its own state.
#[async_trait]
pub trait Diagnostics: Send + Sync {
    /// Checks the settings, keys, storage, listeners and hosts of hooks. It changes nothing, and takes some
    /// seconds at most.
    async fn examine(&self) -> Vec<Finding>;

    /// The last known copy of the embedded database. `None` on PostgreSQL, which has its own backup tools.
    fn last_backup(&self) -> Option<Backup>;

    /// The attempts to deliver notifications in the hour before that instant, and the failed ones among them.
    fn attempts(&self, now: Timestamp) -> Vec<Minute<2>>;
}
