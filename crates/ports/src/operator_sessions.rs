//! Sessions of operators' browsers. An operator signs in with a key and gets a session in exchange. The
//! browser then need not store the key, so scripts of a page cannot read the key.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::id::OperatorSessionId;

use crate::StoreError;
use crate::applications::SecretHash;
use crate::write::AuditContext;

pub use payroll_domain::operator_key::OperatorSession;

/// The maximum number of sessions of one operator key. A further session ends the oldest one. The limit
/// prevents repeated sign-ins from filling the table.
pub const MAX_SESSIONS_PER_KEY: i64 = 20;

/// The result of creating a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionCreationOutcome {
    /// The session is stored.
    Stored,
    /// The operator key does not exist, because it was revoked in the meantime.
    NoKey,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    RecordLost,
}

/// Stores sessions. A session ends when its operator key is revoked. Every change takes effect on the next
/// request in every process. A change writes an audit row, which does not contain the browser's token.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait OperatorSessionStore: Send + Sync {
    /// Returns the session whose token has the given hash. `None` if no session has the hash, or if the
    /// session has expired.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn operator_session(
        &self,
        hash: &SecretHash,
        now: Timestamp,
    ) -> Result<Option<OperatorSession>, StoreError>;

    /// Returns all sessions that have not expired, newest first.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn operator_sessions(&self, now: Timestamp) -> Result<Vec<OperatorSession>, StoreError>;

    /// Stores a new session. Deletes expired sessions, and the oldest sessions of the same operator key if
    /// the key has more than [`MAX_SESSIONS_PER_KEY`].
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn create_operator_session(
        &self,
        session: &OperatorSession,
        hash: &SecretHash,
        audit: &AuditContext,
    ) -> Result<SessionCreationOutcome, StoreError>;

    /// Ends a session. Returns whether the session existed.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn end_operator_session(
        &self,
        session_id: &OperatorSessionId,
        audit: &AuditContext,
    ) -> Result<bool, StoreError>;
}
