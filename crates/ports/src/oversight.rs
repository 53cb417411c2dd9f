//! What a process finds out about itself and its surroundings for operators (specification §10.27, §10.28),
//! in addition to what it counts ([`metrics`](crate::metrics)).

use async_trait::async_trait;
use payroll_domain::date::Timestamp;

use crate::minutes::Minute;

/// The state of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingState {
    /// As it should be.
    Fine,
    /// It works, and a person should know.
    Warning,
    /// The server does not start, or does not do what it promises.
    Problem,
}

impl FindingState {
    /// Every state of a finding.
    pub const ALL: [Self; 3] = [Self::Fine, Self::Warning, Self::Problem];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// The checks and their results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about, in a word, such as `storage`.
    pub area: &'static str,
    /// The state of the finding.
    pub state: FindingState,
    /// The description of the finding.
    pub message: String,
    /// What to do, where something is to be done.
    pub advice: Option<String>,
}

/// A copy of the embedded database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// When it was created.
    pub made: Timestamp,
    /// Where it was put.
    pub file: String,
    /// How large it is.
    pub bytes: u64,
}

/// A process that looks after itself.
#[async_trait]
pub trait Oversight: Send + Sync {
    /// Looks whether all is as it has to be: settings, keys, storage, listeners, the hosts of hooks. It changes
    /// nothing, and takes some seconds at most.
    async fn examine(&self) -> Vec<Finding>;

    /// The last copy of the embedded database that is known; `None` on PostgreSQL, whose own tools copy it.
    fn last_backup(&self) -> Option<Backup>;

    /// The attempts to deliver notifications of the hour before that instant, and those of them that failed.
    fn attempts(&self, now: Timestamp) -> Vec<Minute<2>>;
}
