//! A pool of connections for each kind of use, with the number of waiting callers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use payroll_ports::metrics::Metric;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::Conn;
use super::file::DatabaseFile;
use super::patience::MAX_WAIT;
use crate::connections::ConnectionCounts;
use crate::error::{Failure, Outcome};

/// The connections for one kind of use, up to a maximum number.
#[derive(Clone)]
pub(super) struct ConnectionPool {
    file: Arc<DatabaseFile>,
    cache_kib: u32,
    slots: Arc<Semaphore>,
    waiter_count: Arc<AtomicUsize>,
    idle_connections: Arc<Mutex<Vec<Conn>>>,
}

/// A connection that is currently borrowed.
pub(super) struct PooledConnection {
    pub(super) conn: Conn,
    idle_connections: Arc<Mutex<Vec<Conn>>>,
    _place: OwnedSemaphorePermit,
}

impl ConnectionPool {
    pub(super) fn new(file: &Arc<DatabaseFile>, slots: usize, cache_kib: u32) -> Self {
        Self {
            file: Arc::clone(file),
            cache_kib,
            slots: Arc::new(Semaphore::new(slots)),
            waiter_count: Arc::default(),
            idle_connections: Arc::default(),
        }
    }

    /// Returns metrics about the connections. `max_connections` is their maximum number.
    pub(super) fn metrics(&self, max_connections: usize) -> [Metric; 4] {
        let used = max_connections.saturating_sub(self.slots.available_permits());
        let idle = self.idle_connections.lock().unwrap_or_else(PoisonError::into_inner).len();
        let waiting = self.waiter_count.load(Ordering::Relaxed);
        ConnectionCounts { max_connections, used, idle, waiting }.to_metrics()
    }

    pub(super) async fn checkout_connection(&self) -> Outcome<PooledConnection> {
        let waiting = WaitingGuard::start_waiting(&self.waiter_count);
        let permit = tokio::time::timeout(MAX_WAIT, Arc::clone(&self.slots).acquire_owned())
            .await
            .map_err(|_| Failure::Unavailable("the database is busy".to_owned()))?
            .map_err(|error| Failure::Unavailable(error.to_string()))?;
        drop(waiting);
        let idle = self.idle_connections.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => Conn::open_file(&self.file, self.cache_kib)?,
        };
        Ok(PooledConnection { conn, idle_connections: Arc::clone(&self.idle_connections), _place: permit })
    }
}

impl PooledConnection {
    /// Returns the connection to its pool. A connection that may still have an open transaction is closed
    /// instead.
    pub(super) fn return_to_pool(self) {
        if self.conn.broken.load(Ordering::Relaxed) {
            return;
        }
        self.idle_connections.lock().unwrap_or_else(PoisonError::into_inner).push(self.conn);
    }
}

/// Counts a caller while it waits for a connection.
struct WaitingGuard<'l>(&'l AtomicUsize);

impl<'l> WaitingGuard<'l> {
    fn start_waiting(count: &'l AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for WaitingGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
