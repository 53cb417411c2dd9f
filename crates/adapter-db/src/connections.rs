//! Connection handling that both databases share: units of work, permits for long responses, and metrics.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use payroll_ports::metrics::{Metric, to_f64};
use payroll_ports::schema::ClusterNodes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Failure, Outcome};

/// The numbers of connections and waiting callers of a pool, for metrics.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ConnectionCounts {
    /// The maximum number of connections.
    pub(crate) max_connections: usize,
    pub(crate) used: usize,
    pub(crate) idle: usize,
    /// The number of units of work that wait for a connection.
    pub(crate) waiting: usize,
}

impl ConnectionCounts {
    pub(crate) fn to_metrics(self) -> [Metric; 4] {
        const CONNECTIONS_HELP: &str = "Open connections of this process to the database.";
        const MAX_CONNECTIONS_HELP: &str = "The maximum number of database connections of this process.";
        const WAITING_HELP: &str = "Database operations that wait for a connection.";
        let level = |name, meaning, count| {
            Metric::gauge(name, meaning, to_f64(u64::try_from(count).unwrap_or(u64::MAX)))
        };
        [
            level("payroll_database_connections", CONNECTIONS_HELP, self.used).with_label("state", "used"),
            level("payroll_database_connections", CONNECTIONS_HELP, self.idle).with_label("state", "idle"),
            level("payroll_database_connections_max", MAX_CONNECTIONS_HELP, self.max_connections),
            level("payroll_database_waiting", WAITING_HELP, self.waiting),
        ]
    }
}

/// Returns metrics about the responding and silent nodes of a distributed database.
pub(crate) fn to_node_metrics(nodes: ClusterNodes) -> [Metric; 2] {
    const NODES_HELP: &str = "Database nodes that store companies.";
    let level = |state, count: u32| {
        Metric::gauge("payroll_database_nodes", NODES_HELP, count.into()).with_label("state", state)
    };
    [level("answering", nodes.responsive), level("silent", nodes.total.saturating_sub(nodes.responsive))]
}

/// Permits for long responses. Each response keeps a database snapshot open until the client has read the
/// response.
///
/// The number of waiting requests is limited to the number of permits. Further requests fail immediately,
/// because a slow client can keep its permit for minutes. Each waiting request would take memory during this
/// time.
#[derive(Clone)]
pub(crate) struct StreamPermits {
    permits: Arc<Semaphore>,
    queue: Arc<Semaphore>,
}

impl StreamPermits {
    pub(crate) fn new(max: usize) -> Self {
        let max = max.min(Semaphore::MAX_PERMITS);
        Self { permits: Arc::new(Semaphore::new(max)), queue: Arc::new(Semaphore::new(max)) }
    }

    /// Waits for a free permit, at most for the time `max_wait`.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] if too many requests already wait, or if no permit became free in that time.
    pub(crate) async fn acquire_permit(&self, max_wait: Duration) -> Outcome<OwnedSemaphorePermit> {
        let busy = || Failure::Unavailable("too many streamed responses are in progress".to_owned());
        let free = || Arc::clone(&self.permits);
        if let Ok(permit) = free().try_acquire_owned() {
            return Ok(permit);
        }
        let _queued = self.queue.try_acquire().map_err(|_| busy())?;
        let permit = tokio::time::timeout(max_wait, free().acquire_owned()).await;
        permit.map_err(|_| busy())?.map_err(|error| Failure::Unavailable(error.to_string()))
    }
}

/// Work on a connection `C`, as a boxed function. All statements share this type, so the database code is
/// compiled once and not for each return type.
pub(crate) type ConnectionWork<C> = Box<dyn for<'c> FnOnce(&'c C) -> BoxFuture<'c, Outcome<()>> + Send>;

/// The slot in which [`into_connection_work`] stores its result.
pub(crate) struct ResultSlot<T>(Arc<Mutex<Option<T>>>);

impl<T> ResultSlot<T> {
    /// Returns the result of successful work.
    ///
    /// # Errors
    /// [`Failure::Bug`] if the work never ran.
    pub(crate) fn into_result(self) -> Outcome<T> {
        let value = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| Failure::Bug("work that was not done has succeeded".to_owned()))
    }
}

/// Turns a function into [`ConnectionWork`]. Also returns the slot in which the result of the function will
/// be stored.
pub(crate) fn into_connection_work<C, T, F>(function: F) -> (ConnectionWork<C>, ResultSlot<T>)
where
    C: Sync + 'static,
    T: Send + 'static,
    F: for<'c> FnOnce(&'c C) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
{
    let slot = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&slot);
    let work: ConnectionWork<C> = Box::new(move |conn| {
        let done = function(conn);
        Box::pin(async move {
            let value = done.await?;
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            Ok(())
        })
    });
    (work, ResultSlot(slot))
}

/// Runs work on a connection of a store with a method of its `Db` (`read`, `write`, …), and returns the
/// outcome of the work. Another thread may run the work, so the macro clones the arguments after `conn`:
/// `run_on_connection!(self.read, |conn, caller| read_hooks_of_caller(conn, &caller))`.
macro_rules! run_on_connection {
    ($store:ident.$way:ident, |$conn:ident $(, $argument:ident)*| $work:expr) => {{
        $(let $argument = $argument.to_owned();)*
        $store.db.$way(move |$conn| Box::pin(async move { $work.await })).await
    }};
}
pub(crate) use run_on_connection;
