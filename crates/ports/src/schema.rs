//! Information about the store itself, such as its availability and its schema version.

use async_trait::async_trait;

use crate::StoreError;
use crate::metrics::Metric;

/// Information about the store itself.
#[async_trait]
pub trait SchemaStore: Send + Sync {
    /// Returns the version of the newest migration in the database.
    ///
    /// # Errors
    /// Returns [`StoreError::Unavailable`] if the version cannot be read, or [`StoreError::Bug`].
    async fn schema_version(&self) -> Result<String, StoreError>;

    /// Returns the schema version, which was read from the database less than two seconds ago. This method
    /// does not use the connections for which requests wait. You can therefore call this method at any rate,
    /// and it returns even if the store is busy.
    ///
    /// # Errors
    /// Returns [`StoreError::Unavailable`] while the store does not respond, and before its first response.
    async fn ping(&self) -> Result<String, StoreError>;

    /// Returns the nodes over which the data of companies is distributed. The information is at most ten
    /// seconds old. `None` if the data is not distributed. This method never waits.
    fn nodes(&self) -> Option<ClusterNodes> {
        None
    }

    /// Returns the metrics of the store in this process. This method never waits.
    fn metrics(&self) -> Vec<Metric>;

    /// Returns the ids of companies that were omitted from lists of this process because of invalid rows.
    /// Only the first of these ids are returned. When a company can be read again, its id is no longer
    /// returned. This method never waits.
    fn unreadable_companies(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether the store has no company and no application.
    ///
    /// # Errors
    /// Returns [`StoreError::Unavailable`] if the store cannot be queried, or [`StoreError::Bug`].
    async fn is_empty(&self) -> Result<bool, StoreError>;

    /// Refreshes the statistics for the query planner of the database. A store whose database has no such
    /// statistics does nothing.
    ///
    /// # Errors
    /// Returns [`StoreError::Unavailable`] or [`StoreError::Bug`]. The statistics may then be old.
    async fn refresh_statistics(&self, _scope: StatisticsScope) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The tables whose statistics are refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatisticsScope {
    /// Every table, for example after an import.
    EveryTable,
    /// The tables that have grown a lot since their last refresh of statistics.
    GrownTables,
}

/// The nodes over which data is distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterNodes {
    /// The number of nodes.
    pub total: u32,
    /// The number of nodes that respond. Data on the other nodes cannot be read or written.
    pub responsive: u32,
}
