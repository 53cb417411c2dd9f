//! The store itself: whether it answers, and which schema it has.

use async_trait::async_trait;

use crate::StoreError;

/// Asking the store about itself.
#[async_trait]
pub trait SchemaStore: Send + Sync {
    /// The version of the newest migration that the database has had.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] or [`StoreError::Bug`].
    async fn schema_version(&self) -> Result<String, StoreError>;

    /// Whether the store has no company and no application.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] or [`StoreError::Bug`].
    async fn is_empty(&self) -> Result<bool, StoreError>;
}
