//! Connection pools and their sizes.

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use futures_util::future::FutureExt;
use tokio::time::timeout;

use super::begin_statements::CONNECTION_WAIT;
use super::connect::DatabaseConnector;
use crate::error::{Failure, Outcome};

/// The maximum numbers of connections and long responses of a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolSize {
    pub(crate) connections: usize,
    /// The number of connections to each node of a distributed database. 0 sends all work to the coordinator.
    pub(crate) node_connections: usize,
    /// The maximum number of long responses at the same time.
    pub(crate) streams: usize,
}

/// Returns a pool that opens connections when they are needed.
pub(super) fn create_pool(
    connector: DatabaseConnector,
    connections: usize,
) -> Outcome<Pool<AsyncPgConnection>> {
    let mut config = ManagerConfig::default();
    config.recycling_method = RecyclingMethod::Fast;
    config.custom_setup = Box::new(move |_| {
        let connector = connector.clone();
        async move { connector.open_connection().await }.boxed()
    });
    // The manager gets an empty address, because the setup function opens the connections.
    let manager = AsyncDieselConnectionManager::new_with_config("", config);
    let pool = Pool::builder(manager).max_size(connections).build();
    pool.map_err(|error| Failure::Unavailable(error.to_string()))
}

/// Borrows a connection from the pool. If none is free, the call waits for one at most for
/// [`CONNECTION_WAIT`].
pub(super) async fn checkout(pool: &Pool<AsyncPgConnection>) -> Outcome<Object<AsyncPgConnection>> {
    timeout(CONNECTION_WAIT, pool.get())
        .await
        .map_err(|_| Failure::Unavailable("all connections to the database are in use".to_owned()))?
        .map_err(|error| Failure::Unavailable(error.to_string()))
}
