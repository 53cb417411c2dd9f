//! The store itself: whether it responds, and which schema it has.

use async_trait::async_trait;

use crate::StoreError;
use crate::metrics::Metric;

/// Asking the store about itself.
#[async_trait]
pub trait SchemaStore: Send + Sync {
    /// The version of the newest migration that the database has had.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if it cannot be read, or [`StoreError::Bug`].
    async fn schema_version(&self) -> Result<String, StoreError>;

    /// The same, as last read less than two seconds ago. It may be called at any rate: it waits for
    /// nothing that requests wait for, so that a store that is busy responds.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] while the store does not respond, and before it has responded once.
    async fn pulse(&self) -> Result<String, StoreError>;

    /// The nodes that the data of companies is distributed over, as they were seen less than ten seconds ago;
    /// `None` where all of it is in one place. It waits for nothing.
    fn nodes(&self) -> Option<Nodes> {
        None
    }

    /// The metrics of the store's work in this process. Waits for nothing.
    fn metrics(&self) -> Vec<Metric>;

    /// The ids of companies that lists of this process have left out because their rows make no sense, until they
    /// can be read again: the first few. Waits for nothing.
    fn unreadable_companies(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether the store has no company and no application.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if it cannot be read, or [`StoreError::Bug`].
    async fn is_empty(&self) -> Result<bool, StoreError>;

    /// Refreshes the statistics by which the database plans its statements. A store that plans without statistics
    /// does nothing.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] or [`StoreError::Bug`]; the statistics may be those of before.
    async fn refresh_statistics(&self, _of: StatisticsOf) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The tables whose statistics are refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatisticsOf {
    /// Each table, as after an import.
    EveryTable,
    /// Tables that have grown much since their statistics were made.
    GrownTables,
}

/// Nodes that data is distributed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nodes {
    /// How many there are.
    pub all: u32,
    /// Those that respond. What lies on the others cannot be read or written.
    pub answering: u32,
}
