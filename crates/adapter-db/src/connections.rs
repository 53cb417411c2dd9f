//! What the connections of either database do, as work and as metrics.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use payroll_ports::metrics::{Metric, real};
use payroll_ports::schema::Nodes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Failure, Outcome};

/// How many connections there are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Connections {
    /// The most that there may be.
    pub(crate) most: usize,
    pub(crate) used: usize,
    pub(crate) idle: usize,
    /// Units of work that wait for one.
    pub(crate) waiting: usize,
}

impl Connections {
    pub(crate) fn metrics(self) -> [Metric; 4] {
        const CONNECTIONS: &str = "Connections of this process to its database.";
        const MOST: &str = "The most connections that there may be.";
        const WAITING: &str = "Units of work that wait for a connection.";
        let level = |name, meaning, count| {
            Metric::level(name, meaning, real(u64::try_from(count).unwrap_or(u64::MAX)))
        };
        [
            level("payroll_database_connections", CONNECTIONS, self.used).with("state", "used"),
            level("payroll_database_connections", CONNECTIONS, self.idle).with("state", "idle"),
            level("payroll_database_connections_max", MOST, self.most),
            level("payroll_database_waiting", WAITING, self.waiting),
        ]
    }
}

/// How many nodes of a distributed database respond.
pub(crate) fn nodes(nodes: Nodes) -> [Metric; 2] {
    const NODES: &str = "Nodes that companies are distributed over.";
    let level =
        |state, count: u32| Metric::level("payroll_database_nodes", NODES, count.into()).with("state", state);
    [level("answering", nodes.answering), level("silent", nodes.all.saturating_sub(nodes.answering))]
}

/// The places of long responses, each of which keeps a snapshot until its client has read it.
///
/// Only as many requests wait for a place as there are places. A client that reads nothing keeps its place for
/// minutes, and every request that waits holds memory.
#[derive(Clone)]
pub(crate) struct StreamPlaces {
    free: Arc<Semaphore>,
    queue: Arc<Semaphore>,
}

impl StreamPlaces {
    pub(crate) fn new(max: usize) -> Self {
        let max = max.min(Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(max)), queue: Arc::new(Semaphore::new(max)) }
    }

    /// A place, as soon as one is free.
    ///
    /// # Errors
    /// [`Failure::Unavailable`]: too many requests wait already, or no place became free in that time.
    pub(crate) async fn take(&self, longest: Duration) -> Outcome<OwnedSemaphorePermit> {
        let busy = || Failure::Unavailable("too many long responses".to_owned());
        let free = || Arc::clone(&self.free);
        if let Ok(place) = free().try_acquire_owned() {
            return Ok(place);
        }
        let _queued = self.queue.try_acquire().map_err(|_| busy())?;
        let place = tokio::time::timeout(longest, free().acquire_owned()).await;
        place.map_err(|_| busy())?.map_err(|error| Failure::Unavailable(error.to_string()))
    }
}

/// What is done on a connection `C`, of one type for every return type: how a database does it is compiled
/// once, and not once for each statement of the program.
pub(crate) type Work<C> = Box<dyn for<'c> FnOnce(&'c C) -> BoxFuture<'c, Outcome<()>> + Send>;

/// Where [`work`] leaves its value.
pub(crate) struct Slot<T>(Arc<Mutex<Option<T>>>);

impl<T> Slot<T> {
    /// The value of work that has succeeded.
    ///
    /// # Errors
    /// [`Failure::Bug`]: it was never done.
    pub(crate) fn value(self) -> Outcome<T> {
        let value = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| Failure::Bug("work that was not done has succeeded".to_owned()))
    }
}

/// Makes [`Work`] of a function, and the place where its value will be.
pub(crate) fn work<C, T, F>(function: F) -> (Work<C>, Slot<T>)
where
    C: Sync + 'static,
    T: Send + 'static,
    F: for<'c> FnOnce(&'c C) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
{
    let slot = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&slot);
    let work: Work<C> = Box::new(move |conn| {
        let done = function(conn);
        Box::pin(async move {
            let value = done.await?;
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            Ok(())
        })
    });
    (work, Slot(slot))
}

/// Runs work on a connection of a store, by one of the ways of its `Db` (`read`, `write`, …), and returns
/// its outcome. The work gets clones of the arguments that are named, since it may be done by another
/// thread: `on_connection!(self.read, |conn, caller| hooks_of(conn, &caller))`.
macro_rules! on_connection {
    ($store:ident.$way:ident, |$conn:ident $(, $argument:ident)*| $work:expr) => {{
        $(let $argument = $argument.to_owned();)*
        $store.db.$way(move |$conn| Box::pin(async move { $work.await })).await
    }};
}
pub(crate) use on_connection;
