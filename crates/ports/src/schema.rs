//! The store itself: its availability and its schema version.

use async_trait::async_trait;

use crate::StoreError;
use crate::metrics::Metric;

/// Information about the store itself.
#[async_trait]
pub trait SchemaStore: Send + Sync {
    /// The version of the newest migration in the database.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the version cannot be read, or [`StoreError::Bug`].
    async fn schema_version(&self) -> Result<String, StoreError>;

    /// The schema version that was read less than two seconds ago. It may be called at any rate, because it
    /// does not wait for anything that requests wait for. A busy store therefore responds.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] while the store does not respond, and before its first response.
    async fn ping(&self) -> Result<String, StoreError>;

    /// The nodes over which the data of companies is distributed, as of less than ten seconds ago. `None` if
    /// the data is not distributed. This never waits.
    fn nodes(&self) -> Option<Nodes> {
        None
    }

    /// The metrics of the store's work in this process. This never waits.
    fn metrics(&self) -> Vec<Metric>;

    /// The ids of the first few companies that lists of this process have omitted because of invalid rows,
    /// until they can be read again. This never waits.
    fn unreadable_companies(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether the store has no company and no application.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if this cannot be read, or [`StoreError::Bug`].
    async fn is_empty(&self) -> Result<bool, StoreError>;

    /// Refreshes the statistics for the query planner of the database. A store without such statistics does
    /// nothing.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] or [`StoreError::Bug`]. The statistics may then be old.
    async fn refresh_statistics(&self, _of: StatisticsOf) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The tables whose statistics are refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatisticsOf {
    /// Every table, for example after an import.
    EveryTable,
    /// The tables that have grown a lot since their statistics were made.
    GrownTables,
}

/// The nodes over which data is distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nodes {
    /// The number of nodes.
    pub total: u32,
    /// The number of nodes that respond. Data on the others cannot be read or written.
    pub responsive: u32,
}
