//! Sessions of operators' browsers. An operator key is exchanged for a session, so that scripts of a page
//! cannot read the key.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::id::OperatorSessionId;

use crate::StoreError;
use crate::applications::SecretHash;
use crate::write::AuditContext;

pub use payroll_domain::operator_key::OperatorSession;

/// The maximum number of sessions of one key, so that repeated sign-ins do not fill the table. A further
/// session ends the oldest one.
pub const MAX_SESSIONS_OF_KEY: i64 = 20;

/// The result of creating a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionCreationOutcome {
    /// The session is stored.
    Stored,
    /// The key was revoked in the meantime.
    NoKey,
    /// The idempotency record no longer belongs to the request.
    RecordLost,
}

/// Stores sessions. A session ends with its key. Every change takes effect for the very next request in every
/// process, and writes an audit row without the browser's token.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait OperatorSessionStore: Send + Sync {
    /// The session whose value has that hash, if it has not expired.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn operator_session(
        &self,
        hash: &SecretHash,
        now: Timestamp,
    ) -> Result<Option<OperatorSession>, StoreError>;

    /// All sessions that have not expired, newest first.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn operator_sessions(&self, now: Timestamp) -> Result<Vec<OperatorSession>, StoreError>;

    /// Stores a new session. Deletes expired sessions, and the oldest ones of its key beyond
    /// [`MAX_SESSIONS_OF_KEY`].
    ///
    /// # Errors
    /// The errors of the trait.
    async fn create_operator_session(
        &self,
        session: &OperatorSession,
        hash: &SecretHash,
        audit: &AuditContext,
    ) -> Result<SessionCreationOutcome, StoreError>;

    /// Ends a session. Returns whether it existed.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn end_operator_session(
        &self,
        session_id: &OperatorSessionId,
        audit: &AuditContext,
    ) -> Result<bool, StoreError>;
}
