//! Operator keys, which grant access to the operator API.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::id::OperatorKeyId;

use crate::StoreError;
use crate::applications::SecretHash;
use crate::write::AuditContext;

pub use payroll_domain::operator_key::{OperatorKey, OperatorRole};

/// The result of creating a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCreationOutcome {
    /// The key is stored.
    Stored,
    /// Another key has the same name, id or value.
    Taken,
    /// The operator's name looks like that of another key's operator but is spelled differently.
    OperatorLooksTheSame,
    /// The idempotency record no longer belongs to the request.
    RecordLost,
}

/// Stores operator keys. Every change takes effect for the very next request in every process, and writes an
/// audit row without the value and the hash.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait OperatorKeyStore: Send + Sync {
    /// The key whose value has that hash.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn operator_key(&self, hash: &SecretHash) -> Result<Option<OperatorKey>, StoreError>;

    /// All keys, by name.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn operator_keys(&self) -> Result<Vec<OperatorKey>, StoreError>;

    /// Stores a new key.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn create_operator_key(
        &self,
        key: &OperatorKey,
        hash: &SecretHash,
        audit: &AuditContext,
    ) -> Result<KeyCreationOutcome, StoreError>;

    /// Records the use of a key at that instant, without an audit row. An earlier use than the stored one, or
    /// a use of an unknown key, changes nothing.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn record_operator_key_use(
        &self,
        key_id: &OperatorKeyId,
        used: Timestamp,
    ) -> Result<(), StoreError>;

    /// Deletes a key. Returns whether it existed.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn revoke_operator_key(
        &self,
        key_id: &OperatorKeyId,
        audit: &AuditContext,
    ) -> Result<bool, StoreError>;
}
