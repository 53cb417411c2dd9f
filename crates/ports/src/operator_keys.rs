//! Operator keys, which grant access to the operator API.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::id::OperatorKeyId;

use crate::StoreError;
use crate::applications::SecretHash;
use crate::write::AuditContext;

pub use payroll_domain::operator_key::{OperatorKey, OperatorRole};

/// The result of creating an operator key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCreationOutcome {
    /// The operator key is stored.
    Stored,
    /// Another operator key has the same name, id or value.
    Taken,
    /// The operator name of another key looks the same as the name of the new key's owner but is spelled
    /// differently.
    OperatorLooksTheSame,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    RecordLost,
}

/// Stores operator keys. Every change takes effect on the next request in every process. A change writes an
/// audit row, which does not contain the value of the key or its hash.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait OperatorKeyStore: Send + Sync {
    /// Returns the key whose value has the given hash. `None` if no key has the hash.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn operator_key(&self, hash: &SecretHash) -> Result<Option<OperatorKey>, StoreError>;

    /// Returns all keys, sorted by name.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn operator_keys(&self) -> Result<Vec<OperatorKey>, StoreError>;

    /// Stores a new key.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn create_operator_key(
        &self,
        key: &OperatorKey,
        hash: &SecretHash,
        audit: &AuditContext,
    ) -> Result<KeyCreationOutcome, StoreError>;

    /// Records the use of a key at the given instant, without an audit row. If a later use is already stored,
    /// or if the key is unknown, nothing changes.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn record_operator_key_use(
        &self,
        key_id: &OperatorKeyId,
        used: Timestamp,
    ) -> Result<(), StoreError>;

    /// Deletes a key. Returns whether the key existed.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn revoke_operator_key(
        &self,
        key_id: &OperatorKeyId,
        audit: &AuditContext,
    ) -> Result<bool, StoreError>;
}
