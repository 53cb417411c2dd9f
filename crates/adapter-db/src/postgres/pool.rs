//! The connections of this process to one server of PostgreSQL.
//!
//! A connection is driven by the thread that opened it. If another thread uses it, each response wakes two
//! threads instead of one. Therefore each thread of requests gets its own connections back, and those of other
//! threads only if it has none (docs/decisions/connections-of-threads.md).

mod threads;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::PoolableConnection;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use self::threads::{Choice, Owner, Threads};
use super::beginning::WAIT;
use super::connect::Way;
use crate::connections::Connections;
use crate::error::Failure;

/// The maximum numbers of connections and long responses of a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) connections: usize,
    /// The number of connections to each node of a distributed database. 0 sends all work to the coordinator.
    pub(crate) node_connections: usize,
    /// The maximum number of long responses at the same time.
    pub(crate) streams: usize,
}

/// A pool that opens connections when they are needed.
#[derive(Clone)]
pub(super) struct Pool(Arc<Shared>);

struct Shared {
    way: Way,
    max: usize,
    /// One permit for each connection in use. Waiting work gets them in its order.
    permits: Arc<Semaphore>,
    /// The number of units of work that wait for a permit.
    waiting: AtomicUsize,
    threads: Mutex<Threads<AsyncPgConnection>>,
}

/// The reason why the pool lends no connection.
pub(super) enum Unlent {
    /// All connections stayed in use for [`WAIT`].
    Busy,
    /// A connection could not be opened.
    Unreachable(String),
}

/// A borrowed connection. It returns to the pool when it is dropped, unless it is broken.
pub(super) struct Lent {
    connection: Option<AsyncPgConnection>,
    pool: Arc<Shared>,
    owner: Owner,
    /// Released after the connection is back in the pool, so that the next user finds it there.
    _permit: OwnedSemaphorePermit,
}

impl Pool {
    /// Prepares the pool without opening a connection.
    pub(super) fn new(way: Way, max: usize) -> Self {
        let max = max.min(Semaphore::MAX_PERMITS);
        let (permits, waiting) = (Arc::new(Semaphore::new(max)), AtomicUsize::new(0));
        Self(Arc::new(Shared { way, max, permits, waiting, threads: Mutex::new(Threads::new(max)) }))
    }

    /// Borrows a connection from the pool, waiting for one if necessary.
    pub(super) async fn lend(&self) -> Result<Lent, Unlent> {
        timeout(WAIT, self.lend_now()).await.unwrap_or(Err(Unlent::Busy))
    }

    async fn lend_now(&self) -> Result<Lent, Unlent> {
        let permit = self.permit().await?;
        let Choice { owner, connection } = self.choose(current_owner());
        let mut lent = Lent { connection, pool: Arc::clone(&self.0), owner, _permit: permit };
        if lent.connection.is_none() {
            let opened = self.0.way.establish().await;
            lent.connection = Some(opened.map_err(|error| Unlent::Unreachable(error.to_string()))?);
        }
        Ok(lent)
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, Unlent> {
        let permits = || Arc::clone(&self.0.permits);
        if let Ok(permit) = permits().try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = Waiting::new(&self.0.waiting);
        permits().acquire_owned().await.map_err(|error| Unlent::Unreachable(error.to_string()))
    }

    /// The next connection for a thread. Broken ones are closed.
    fn choose(&self, owner: Owner) -> Choice<AsyncPgConnection> {
        loop {
            let mut choice = self.0.threads().choose(owner);
            if !choice.connection.as_mut().is_some_and(PoolableConnection::is_broken) {
                return choice;
            }
            self.0.threads().closed(choice.owner);
        }
    }

    /// Closes all connections that are not in use.
    pub(super) fn close_idle(&self) {
        let idle = self.0.threads().take_idle();
        drop(idle);
    }

    /// The state of the pool.
    pub(super) fn state(&self) -> Connections {
        let (open, idle) = self.0.threads().counts();
        let waiting = self.0.waiting.load(Ordering::Relaxed);
        Connections { most: self.0.max, used: open.saturating_sub(idle), idle, waiting }
    }
}

impl Unlent {
    /// The error of work that got no connection.
    pub(super) fn into_failure(self) -> Failure {
        Failure::Unavailable(match self {
            Self::Busy => "no connection became free".to_owned(),
            Self::Unreachable(problem) => problem,
        })
    }
}

impl Shared {
    fn threads(&self) -> MutexGuard<'_, Threads<AsyncPgConnection>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lent {
    /// The connection. `None` after [`Lent::close`].
    pub(super) const fn connection(&self) -> Option<&AsyncPgConnection> {
        self.connection.as_ref()
    }

    /// Closes the connection instead of returning it to the pool.
    pub(super) fn close(&mut self) {
        self.connection = None;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let connection = self.connection.take();
        match connection.and_then(|mut it| (!it.is_broken()).then_some(it)) {
            Some(connection) => self.pool.threads().give_back(self.owner, connection),
            None => self.pool.threads().closed(self.owner),
        }
    }
}

/// The owner of connections that are opened by the current task. The threads of a runtime with several threads
/// share one owner, because any of them may drive a connection.
fn current_owner() -> Owner {
    match Handle::try_current() {
        Ok(runtime) if runtime.runtime_flavor() == RuntimeFlavor::CurrentThread => {
            Some(std::thread::current().id())
        }
        _ => None,
    }
}

/// Counts one waiting unit of work.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
