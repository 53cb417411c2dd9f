//! Sessions of operators' browsers: an operator key is exchanged for one, so that no script of a page holds
//! the key.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::id::OperatorSessionId;

use crate::StoreError;
use crate::applications::SecretHash;
use crate::write::By;

pub use payroll_domain::operator_key::OperatorSession;

/// The sessions that a key has at once, so that signing in again and again fills no table: when one more is
/// made, the oldest ends.
pub const MAX_SESSIONS_OF_KEY: i64 = 20;

/// What became of a new session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionMade {
    /// The session is stored.
    Stored,
    /// Its key has been revoked meanwhile.
    NoKey,
    /// The mark of its idempotency key was no longer its own.
    MarkLost,
}

/// Keeping sessions. A session ends with its key. Every change acts on the very next request, on every
/// process, and leaves its row in the audit trail, without what the browser sends.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait OperatorSessionStore: Send + Sync {
    /// The session whose value has that hash, if it has not expired.
    ///
    /// # Errors
    /// Those of the trait.
    async fn operator_session(
        &self,
        hash: &SecretHash,
        now: Timestamp,
    ) -> Result<Option<OperatorSession>, StoreError>;

    /// All sessions that have not expired, the newest first.
    ///
    /// # Errors
    /// Those of the trait.
    async fn operator_sessions(&self, now: Timestamp) -> Result<Vec<OperatorSession>, StoreError>;

    /// Stores a new session, and removes those that have expired and those of its key that are more than
    /// [`MAX_SESSIONS_OF_KEY`].
    ///
    /// # Errors
    /// Those of the trait.
    async fn create_operator_session(
        &self,
        session: &OperatorSession,
        hash: &SecretHash,
        by: &By,
    ) -> Result<SessionMade, StoreError>;

    /// Ends a session; whether there was one.
    ///
    /// # Errors
    /// Those of the trait.
    async fn end_operator_session(&self, session_id: &OperatorSessionId, by: &By)
    -> Result<bool, StoreError>;
}
