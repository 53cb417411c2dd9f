//! SQLite, the embedded default: one file, one writer and a few readers.
//!
//! A complete unit of work runs on one blocking thread. If each statement switched threads, the throughput
//! would drop to a tenth. A unit of work runs to its end even if the caller disconnects, so no transaction
//! stays open. Only reads of a few rows by their keys run on the thread of the request.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use payroll_ports::metrics::Metric;
use payroll_ports::schema::ClusterNodes;
use tokio::sync::Notify;

use crate::connections::{self, ConnectionWork, StreamPermits};
use crate::error::{Failure, Outcome};
use crate::statement::query;
use crate::write_availability::WriteAvailability;

use self::connection_pool::{ConnectionPool, PooledConnection};
use self::file::DatabaseFile;
use self::group::{QueuedWriteHandle, WriteDurability, WriteGroup, WriteQueue};
use self::patience::MAX_WAIT;
use self::run::{commit_or_roll_back, run_blocking, run_on_this_thread, wrap_in_snapshot};

#[path = "store/mod.rs"]
pub(crate) mod store;

mod connection;
mod connection_pool;
pub(crate) mod dialect;
pub(crate) mod errors;
mod fan_out;
mod file;
mod group;
mod patience;
mod queue;
mod run;
mod write_timer;

pub(crate) use self::connection::Conn;
pub(crate) use self::file::require_single_link;
#[cfg(test)]
pub(crate) use self::queue::CLAIM_DELIVERIES_IN_ORDER;

/// The number of concurrent readers. The page cache usually contains the pages that a read needs. Reads are
/// therefore short, and a few readers are enough.
const READER_CONNECTIONS: usize = 4;

/// The page cache of a connection in KiB, for each kind of connection. The writer uses many pages, and a
/// stream uses each page once. The operating system caches the rest of the file.
const WRITER_CACHE_KIB: u32 = 4096;
const READER_CACHE_KIB: u32 = 2048;
const STREAM_CACHE_KIB: u32 = 512;
const PING_CACHE_KIB: u32 = 64;

/// The time limit for reading the version of the schema in a health check.
const PING_TIMEOUT: Duration = Duration::from_secs(1);

/// The database: one writer, the readers, and the connections for long (streamed) responses.
#[derive(Clone)]
pub(crate) struct Db {
    writer: ConnectionPool,
    queue: WriteQueue,
    readers: ConnectionPool,
    snapshots: ConnectionPool,
    streams: StreamPermits,
    ping: ConnectionPool,
    write_timer: write_timer::WriteTimer,
    queue_signal: Arc<Notify>,
    file: Arc<DatabaseFile>,
    write_availability: Arc<WriteAvailability>,
}

impl Db {
    /// Returns whether the tables are distributed over several nodes. SQLite has only one file, so the result
    /// is always `false`.
    #[expect(clippy::unused_self, reason = "the other database has nodes")]
    pub(crate) const fn is_distributed(&self) -> bool {
        false
    }

    /// Opens an existing file. Connections are opened when they are needed.
    pub(crate) fn open(path: &Path, streams: usize) -> Self {
        let file = Arc::new(DatabaseFile::from_path(path));
        let lane = |places, cache_kib| ConnectionPool::new(&file, places, cache_kib);
        let (writer, readers) = (lane(1, WRITER_CACHE_KIB), lane(READER_CONNECTIONS, READER_CACHE_KIB));
        let (snapshots, ping) = (lane(streams, STREAM_CACHE_KIB), lane(1, PING_CACHE_KIB));
        let streams = StreamPermits::new(streams);
        let (turn, bell, writable) = (write_timer::WriteTimer::default(), Arc::default(), Arc::default());
        let queue = WriteQueue::default();
        Self {
            writer,
            queue,
            readers,
            snapshots,
            streams,
            ping,
            write_timer: turn,
            queue_signal: bell,
            file,
            write_availability: writable,
        }
    }

    /// Records that the log (WAL) of the previous process may not be completely on disk. The first write then
    /// flushes the log to disk. Only a process with exclusive use of the file may call this.
    pub(crate) fn mark_wal_unsynced(&self) {
        self.file.mark_wal_unsynced();
    }

    /// Waits until this process may have queued deliveries since the last call.
    pub(crate) async fn wait_for_deliveries(&self) {
        self.queue_signal.notified().await;
    }

    /// Returns the same database, because all companies are in one file.
    #[expect(clippy::unused_async, reason = "the method of PostgreSQL looks up the node of the company")]
    pub(crate) async fn route_to_node(&self, _: &str) -> Self {
        self.clone()
    }

    /// Notifies no process, because only this process sends deliveries of a SQLite database.
    #[expect(clippy::unused_self, reason = "the method of PostgreSQL notifies other processes")]
    pub(crate) const fn notify_other_processes(&self) {}

    /// Returns metrics about the connections for reading. There is only one connection for writing.
    pub(crate) fn metrics(&self) -> [Metric; 4] {
        self.readers.metrics(READER_CONNECTIONS)
    }

    /// Returns `None`, because SQLite stores all data in one file and not on several nodes.
    pub(crate) const fn nodes(&self) -> Option<ClusterNodes> {
        None
    }

    /// Returns the version of the schema from the file. The method uses a separate connection, so that it
    /// does not wait for the connections of requests. If the last write failed, the ping also tests a write.
    pub(crate) async fn ping(&self) -> Outcome<String> {
        const SELECT_SCHEMA_VERSION: &str =
            "SELECT coalesce(max(version), '') FROM __diesel_schema_migrations";
        let (file, writable) = (Arc::clone(&self.file), Arc::clone(&self.write_availability));
        let (ask, slot) = connections::into_connection_work(move |conn: &Conn| {
            Box::pin(async move {
                file.check_still_at_path(conn.log.as_deref())?;
                if writable.cause().is_some() {
                    check_writable(&file, conn).await?;
                    writable.record_success();
                }
                conn.query_row::<(String,)>(query!(SELECT_SCHEMA_VERSION, [])).await
            })
        });
        let query = async {
            run_blocking(self.ping.checkout_connection().await?, ask).await?;
            slot.into_result()
        };
        let late = || Failure::Unavailable("the database does not respond".to_owned());
        let answered = tokio::time::timeout(PING_TIMEOUT, query).await.map_err(|_| late()).flatten();
        self.write_availability.record_outcome(&answered);
        Ok(answered?.map(|(version,)| version).unwrap_or_default())
    }

    /// Runs a unit of reads in its own snapshot.
    pub(crate) async fn read<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(work);
        run_blocking(self.readers.checkout_connection().await?, wrap_in_snapshot(work)).await?;
        slot.into_result()
    }

    /// Runs one statement that reads.
    pub(crate) async fn query_once<T, F>(&self, statement: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(statement);
        run_blocking(self.readers.checkout_connection().await?, work).await?;
        slot.into_result()
    }

    /// Runs one statement that finds a few rows by their keys.
    ///
    /// The statement runs on the current thread, because it takes less time than switching to a blocking
    /// thread and back. For statements without a fixed limit on the rows, use [`Self::query_once`].
    pub(crate) async fn query_by_key<T, F>(&self, statement: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(statement);
        run_on_this_thread(self.readers.checkout_connection().await?, work).await?;
        slot.into_result()
    }

    /// Like [`Self::query_by_key`], for several statements in one snapshot.
    pub(crate) async fn read_by_key<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(work);
        run_on_this_thread(self.readers.checkout_connection().await?, wrap_in_snapshot(work)).await?;
        slot.into_result()
    }

    /// Reads a page of a list with several statements in one snapshot.
    pub(crate) async fn read_list<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.read(work).await
    }

    /// Runs a write transaction, which is committed if the work succeeds and rolled back otherwise.
    pub(crate) async fn write<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.write_with_durability(WriteDurability::Durable, work).await
    }

    /// Runs a write transaction with short-lived data, which a power failure may undo. The commit does not
    /// wait for the disk.
    pub(crate) async fn write_without_sync<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.write_with_durability(WriteDurability::WithoutSync, work).await
    }

    async fn write_with_durability<T, F>(&self, durability: WriteDurability, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(work);
        self.commit_in_group(self.queue.push(work, durability)).await?;
        slot.into_result()
    }

    /// Waits for the outcome of a queued write. If this caller gets the writer connection first, it runs the
    /// first writes of the queue as a group.
    async fn commit_in_group(&self, mut handle: QueuedWriteHandle) -> Outcome<()> {
        loop {
            let pooled_connection = tokio::select! {
                biased;
                outcome = handle.wait_for_outcome() => return outcome,
                pooled_connection = self.writer.checkout_connection() => pooled_connection,
            };
            match pooled_connection {
                Ok(pooled_connection) => self.run_queued_group(pooled_connection).await?,
                Err(failure) if handle.cancel_if_not_started() => {
                    self.write_availability.record_outcome(&Outcome::<()>::Err(failure.clone()));
                    return Err(failure);
                }
                Err(_) => return handle.wait_for_outcome().await,
            }
        }
    }

    /// Runs the first writes of the queue as a group in one transaction.
    async fn run_queued_group(&self, pooled_connection: PooledConnection) -> Outcome<()> {
        let Some(mut group) = self.queue.take_next_group() else {
            pooled_connection.return_to_pool();
            return Ok(());
        };
        let db = self.clone();
        let work: ConnectionWork<Conn> = Box::new(move |conn| {
            Box::pin(async move {
                let ended = db.run_group(conn, &mut group).await;
                group.send_outcomes(&ended, |outcome| db.write_availability.record_outcome(outcome));
                Ok(())
            })
        });
        run_blocking(pooled_connection, work).await
    }

    /// Runs the writes in a transaction. If the transaction has queued deliveries, the commit wakes the task
    /// that sends deliveries. If the file is no longer at its path after the commit, the commit is reported
    /// as failed.
    async fn run_group(&self, conn: &Conn, group: &mut WriteGroup) -> Outcome<()> {
        self.file.check_still_at_path(conn.log.as_deref())?;
        if group.durability == WriteDurability::WithoutSync {
            conn.execute_batch("PRAGMA synchronous = NORMAL").await?;
        }
        let done = match write_timer::begin_write_transaction(conn) {
            Ok(()) => run_after_wal_sync(&self.file, conn, group.run_writes(conn)).await,
            Err(failure) => Err(failure),
        };
        // Restores the setting with which later commits on this connection wait for the disk.
        if group.durability == WriteDurability::WithoutSync
            && conn.execute_batch("PRAGMA synchronous = FULL").await.is_err()
        {
            conn.broken.store(true, Ordering::Relaxed);
        }
        if let Err(Failure::Unwritable(_)) = &done {
            self.file.mark_wal_unsynced();
        }
        let outcome = done.and_then(|()| self.file.check_still_at_path(conn.log.as_deref()));
        if conn.queued.swap(false, Ordering::Relaxed) && outcome.is_ok() {
            self.queue_signal.notify_one();
        }
        outcome
    }

    /// Runs one of many consecutive write transactions. The method pauses regularly, so that other processes
    /// can write.
    pub(crate) async fn write_in_series<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let started = Arc::new(OnceLock::new());
        let begins = Arc::clone(&started);
        let outcome = self.write_with_durability(WriteDurability::Alone, move |conn| {
            begins.get_or_init(tokio::time::Instant::now);
            work(conn)
        });
        let outcome = outcome.await;
        if let Some(started) = started.get() {
            self.write_timer.record_and_pause(*started).await;
        }
        outcome
    }

    /// Runs work in its own snapshot, independent of other work and without a time limit.
    pub(crate) async fn run_in_snapshot(&self, work: ConnectionWork<Conn>) -> Outcome<()> {
        let permit = self.streams.acquire_permit(MAX_WAIT).await?;
        let pooled_connection = self.snapshots.checkout_connection().await?;
        // The task is detached. The work ends when the reader of the response stops reading.
        drop(tokio::spawn(async move {
            let outcome = run_blocking(pooled_connection, wrap_in_snapshot(work)).await;
            drop(permit);
            outcome
        }));
        Ok(())
    }
}

/// Tests whether the file can be written. The test sets `user_version`, a number in the file that this
/// program does not use, to its current value 0. SQLite writes this number to disk even if the value stays
/// the same. In contrast, SQLite would skip the write of an unchanged row.
async fn check_writable(file: &DatabaseFile, conn: &Conn) -> Outcome<()> {
    write_timer::begin_write_transaction(conn)?;
    run_after_wal_sync(file, conn, conn.execute_batch("PRAGMA user_version = 0")).await
}

/// Runs the work in the current transaction. If part of the log (WAL) may be missing on disk, the log is
/// rewritten first.
async fn run_after_wal_sync(
    file: &DatabaseFile,
    conn: &Conn,
    work: impl Future<Output = Outcome<()>>,
) -> Outcome<()> {
    if let Err(failure) = file.sync_wal() {
        conn.rollback().await;
        return Err(failure);
    }
    commit_or_roll_back(conn, work).await
}
