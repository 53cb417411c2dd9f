//! Pools of connections, and how many there may be.

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use futures_util::future::FutureExt;
use tokio::time::timeout;

use super::beginning::WAIT;
use super::connect::Way;
use crate::error::{Failure, Outcome};

/// How many connections a process has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) connections: usize,
    /// To each node of a distributed database; 0: all work goes to the coordinator.
    pub(crate) node_connections: usize,
    /// Long responses that may be in progress at the same time.
    pub(crate) streams: usize,
}

/// Connections of a way, made when they are needed.
pub(super) fn pool(way: Way, connections: usize) -> Outcome<Pool<AsyncPgConnection>> {
    let mut config = ManagerConfig::default();
    config.recycling_method = RecyclingMethod::Fast;
    config.custom_setup = Box::new(move |_| {
        let way = way.clone();
        async move { way.establish().await }.boxed()
    });
    // What it is given as an address is not used: connections are made by the setup.
    let manager = AsyncDieselConnectionManager::new_with_config("", config);
    let pool = Pool::builder(manager).max_size(connections).build();
    pool.map_err(|error| Failure::Unavailable(error.to_string()))
}

/// A connection of a pool, once one is free.
pub(super) async fn lent(pool: &Pool<AsyncPgConnection>) -> Outcome<Object<AsyncPgConnection>> {
    timeout(WAIT, pool.get())
        .await
        .map_err(|_| Failure::Unavailable("no connection became free".to_owned()))?
        .map_err(|error| Failure::Unavailable(error.to_string()))
}
