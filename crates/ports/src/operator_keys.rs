//! Operator keys: who may use the operator's listener.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::id::OperatorKeyId;

use crate::StoreError;
use crate::applications::SecretHash;
use crate::write::By;

pub use payroll_domain::operator_key::{OperatorKey, OperatorRole};

/// What became of a new key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMade {
    /// The key is stored.
    Stored,
    /// Another key has that name, that id or that value.
    Taken,
    /// A key belongs to an operator whose name looks the same and is another text.
    OperatorLooksTheSame,
    /// The mark of its idempotency key was no longer its own.
    MarkLost,
}

/// Keeping operator keys. Every change acts on the very next request, on every process, and leaves
/// its row in the audit trail, without value and hash.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait OperatorKeyStore: Send + Sync {
    /// The key whose value has that hash.
    ///
    /// # Errors
    /// Those of the trait.
    async fn operator_key(&self, hash: &SecretHash) -> Result<Option<OperatorKey>, StoreError>;

    /// All keys, by name.
    ///
    /// # Errors
    /// Those of the trait.
    async fn operator_keys(&self) -> Result<Vec<OperatorKey>, StoreError>;

    /// Stores a new key.
    ///
    /// # Errors
    /// Those of the trait.
    async fn create_operator_key(
        &self,
        key: &OperatorKey,
        hash: &SecretHash,
        by: &By,
    ) -> Result<KeyMade, StoreError>;

    /// Records that a key was used at that instant, without a row in the audit log. An earlier use than the
    /// stored one, and one of a key that does not exist, change nothing.
    ///
    /// # Errors
    /// Those of the trait.
    async fn record_operator_key_use(
        &self,
        key_id: &OperatorKeyId,
        used: Timestamp,
    ) -> Result<(), StoreError>;

    /// Removes a key; whether there was one.
    ///
    /// # Errors
    /// Those of the trait.
    async fn revoke_operator_key(&self, key_id: &OperatorKeyId, by: &By) -> Result<bool, StoreError>;
}
