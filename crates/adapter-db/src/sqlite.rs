//! SQLite: the embedded default, one file, one writer, a few readers in addition.
//!
//! A complete unit of work runs in one hop to a blocking thread, where every statement returns at
//! once: hopping for each statement would cost nine tenths of the throughput. A caller who goes
//! away cannot leave a transaction open, because the hop runs to its end without him.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use payroll_ports::metrics::Metric;
use payroll_ports::schema::Nodes;
use tokio::sync::Notify;
use tracing::Instrument;

use crate::connections::{self, StreamPlaces, Work};
use crate::error::{Failure, Outcome};
use crate::fixed::query;
use crate::writable::Writable;

use self::file::DatabaseFile;
use self::group::{Group, Manner, Queue, Ticket};
use self::lanes::{Lane, Lease};
use self::patience::WAIT;

#[path = "store/mod.rs"]
pub(crate) mod store;

mod connection;
pub(crate) mod dialect;
pub(crate) mod errors;
mod fan_out;
mod file;
mod group;
mod lanes;
mod patience;
mod queue;
mod turns;

pub(crate) use self::connection::Conn;
pub(crate) use self::file::has_one_name;

/// Readers that work at the same time; SQLite reads from memory, so few are enough.
const READERS: usize = 4;

/// Memory for pages of the file, in KiB: the writer touches many, a stream passes each once, and
/// what is not here is in the system's own cache.
const WRITER_CACHE: u32 = 4096;
const READER_CACHE: u32 = 2048;
const STREAM_CACHE: u32 = 512;
const PULSE_CACHE: u32 = 64;

/// How long the file may take to return its version.
const PULSE: Duration = Duration::from_secs(1);

/// The database: a writer, its readers, and the readers of long responses.
#[derive(Clone)]
pub(crate) struct Db {
    writer: Lane,
    queue: Queue,
    readers: Lane,
    snapshots: Lane,
    streams: StreamPlaces,
    pulse: Lane,
    turn: turns::Turn,
    bell: Arc<Notify>,
    file: Arc<DatabaseFile>,
    writable: Arc<Writable>,
}

impl Db {
    /// Whether the tables are distributed over several nodes: never.
    #[expect(clippy::unused_self, reason = "the other database has nodes")]
    pub(crate) const fn is_distributed(&self) -> bool {
        false
    }

    /// Takes the file that is there. Connections are made when needed.
    pub(crate) fn open(path: &Path, streams: usize) -> Self {
        let file = Arc::new(DatabaseFile::now_at(path));
        let lane = |places, cache_kib| Lane::new(&file, places, cache_kib);
        let (writer, readers) = (lane(1, WRITER_CACHE), lane(READERS, READER_CACHE));
        let (snapshots, pulse) = (lane(streams, STREAM_CACHE), lane(1, PULSE_CACHE));
        let streams = StreamPlaces::new(streams);
        let (turn, bell, writable) = (turns::Turn::default(), Arc::default(), Arc::default());
        let queue = Queue::default();
        Self { writer, queue, readers, snapshots, streams, pulse, turn, bell, file, writable }
    }

    /// Writes the log that the previous process left to the disk before the first write, because a sync of it may
    /// have failed. Only a process that has the file for itself may call this.
    pub(crate) fn doubt_log(&self) {
        self.file.doubt_log();
    }

    /// Returns when something may have been queued since the last call, by this process.
    pub(crate) async fn queued(&self) {
        self.bell.notified().await;
    }

    /// The same database: all of it is in one file.
    #[expect(clippy::unused_async, reason = "PostgreSQL's looks up where the company lies")]
    pub(crate) async fn near(&self, _: &str) -> Self {
        self.clone()
    }

    /// There are no others: one process sends.
    #[expect(clippy::unused_self, reason = "PostgreSQL's has other processes to notify")]
    pub(crate) const fn tell_others(&self) {}

    /// What the connections do that read: there is one that writes.
    pub(crate) fn metrics(&self) -> [Metric; 4] {
        self.readers.metrics(READERS)
    }

    /// All of it is in one file.
    pub(crate) const fn nodes(&self) -> Option<Nodes> {
        None
    }

    /// What the database says of itself now: the version of its schema. It has a connection of its
    /// own, so that it waits for no request. When the last write has failed, another one is tried.
    pub(crate) async fn pulse(&self) -> Outcome<String> {
        const VERSION: &str = "SELECT coalesce(max(version), '') FROM __diesel_schema_migrations";
        let (file, writable) = (Arc::clone(&self.file), Arc::clone(&self.writable));
        let (ask, slot) = connections::work(move |conn: &Conn| {
            Box::pin(async move {
                file.is_there(conn.log.as_deref())?;
                if writable.cause().is_some() {
                    try_to_write(&file, conn).await?;
                    writable.succeeded();
                }
                conn.row::<(String,)>(query!(VERSION, [])).await
            })
        });
        let asked = async {
            hop(self.pulse.take().await?, ask).await?;
            slot.value()
        };
        let late = || Failure::Unavailable("the database does not answer".to_owned());
        let answered = tokio::time::timeout(PULSE, asked).await.map_err(|_| late()).flatten();
        self.writable.note(&answered);
        Ok(answered?.map(|(version,)| version).unwrap_or_default())
    }

    /// Runs one unit of reading, in a snapshot of its own.
    pub(crate) async fn read<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::work(work);
        hop(self.readers.take().await?, in_snapshot(work)).await?;
        slot.value()
    }

    /// Runs one statement that reads.
    pub(crate) async fn ask<T, F>(&self, statement: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::work(statement);
        hop(self.readers.take().await?, work).await?;
        slot.value()
    }

    /// Reads a window of a list: here that is several statements, in a snapshot.
    pub(crate) async fn read_list<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.read(work).await
    }

    /// Runs one transaction that writes: committed when the work succeeds, else undone.
    pub(crate) async fn write<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.write_in(Manner::Durable, work).await
    }

    /// Runs one transaction that writes what holds for a while only, and that a loss of power may undo: the
    /// commit does not wait for the disk.
    pub(crate) async fn write_in_passing<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.write_in(Manner::InPassing, work).await
    }

    async fn write_in<T, F>(&self, manner: Manner, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::work(work);
        self.done_in_group(self.queue.enter(work, manner)).await?;
        slot.value()
    }

    /// Waits until a write is done. The write that gets the writer meanwhile does those that come first.
    async fn done_in_group(&self, mut ticket: Ticket) -> Outcome<()> {
        loop {
            let lease = tokio::select! {
                biased;
                outcome = ticket.done() => return outcome,
                lease = self.writer.take() => lease,
            };
            match lease {
                Ok(lease) => self.lead(lease).await?,
                Err(failure) if ticket.withdraw() => {
                    self.writable.note(&Outcome::<()>::Err(failure.clone()));
                    return Err(failure);
                }
                Err(_) => return ticket.done().await,
            }
        }
    }

    /// Does the writes that come first in the queue, in one transaction.
    async fn lead(&self, lease: Lease) -> Outcome<()> {
        let Some(mut group) = self.queue.group() else {
            lease.give_back();
            return Ok(());
        };
        let db = self.clone();
        let work: Work<Conn> = Box::new(move |conn| {
            Box::pin(async move {
                let ended = db.writing(conn, &mut group).await;
                group.end(&ended, |outcome| db.writable.note(outcome));
                Ok(())
            })
        });
        hop(lease, work).await
    }

    /// Does the writes in a transaction; the bell rings after the commit of one that queues. What was committed to a
    /// file that is no longer there is not reported as done.
    async fn writing(&self, conn: &Conn, group: &mut Group) -> Outcome<()> {
        self.file.is_there(conn.log.as_deref())?;
        if group.manner == Manner::InPassing {
            conn.batch("PRAGMA synchronous = NORMAL").await?;
        }
        let done = match turns::begin(conn) {
            Ok(()) => settled(&self.file, conn, group.work(conn)).await,
            Err(failure) => Err(failure),
        };
        // What comes next on this connection is on the disk again before its commit returns.
        if group.manner == Manner::InPassing && conn.batch("PRAGMA synchronous = FULL").await.is_err() {
            conn.broken.store(true, Ordering::Relaxed);
        }
        if let Err(Failure::Unwritable(_)) = &done {
            self.file.doubt_log();
        }
        let outcome = done.and_then(|()| self.file.is_there(conn.log.as_deref()));
        if conn.queued.swap(false, Ordering::Relaxed) && outcome.is_ok() {
            self.bell.notify_one();
        }
        outcome
    }

    /// Runs one of many transactions that write one after the other: now and then it pauses afterwards, so
    /// that other processes can write.
    pub(crate) async fn write_of_many<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let begun = Arc::new(OnceLock::new());
        let begins = Arc::clone(&begun);
        let outcome = self.write_in(Manner::Alone, move |conn| {
            begins.get_or_init(tokio::time::Instant::now);
            work(conn)
        });
        let outcome = outcome.await;
        if let Some(begun) = begun.get() {
            self.turn.end(*begun).await;
        }
        outcome
    }

    /// Runs one snapshot of its own in addition to everything else, for as long as `work` takes.
    pub(crate) async fn snapshot(&self, work: Work<Conn>) -> Outcome<()> {
        let place = self.streams.take(WAIT).await?;
        let lease = self.snapshots.take().await?;
        // Detached: the reader of the answer ends the work by no longer listening.
        drop(tokio::spawn(async move {
            let outcome = hop(lease, in_snapshot(work)).await;
            drop(place);
            outcome
        }));
        Ok(())
    }
}

/// Writes a page of the file, with what it holds already, and has it on the disk. The number is for
/// applications to use, and none does; writing it is never optimized away, as that of a row is.
async fn try_to_write(file: &DatabaseFile, conn: &Conn) -> Outcome<()> {
    turns::begin(conn)?;
    settled(file, conn, conn.batch("PRAGMA user_version = 0")).await
}

/// Runs the work in the transaction that has begun. A log that may be incomplete on the disk is written first.
async fn settled(file: &DatabaseFile, conn: &Conn, work: impl Future<Output = Outcome<()>>) -> Outcome<()> {
    if let Err(failure) = file.settle_log() {
        conn.undo().await;
        return Err(failure);
    }
    transaction(conn, work).await
}

/// The work in a transaction that sees one state.
fn in_snapshot(work: Work<Conn>) -> Work<Conn> {
    Box::new(move |conn| {
        Box::pin(async move {
            conn.batch("BEGIN").await?;
            transaction(conn, work(conn)).await
        })
    })
}

/// Does the work in the transaction that has begun: committed when it succeeds, else undone.
async fn transaction(conn: &Conn, work: impl Future<Output = Outcome<()>>) -> Outcome<()> {
    let outcome = match work.await {
        Ok(()) => conn.batch("COMMIT").await,
        Err(failure) => Err(failure),
    };
    if outcome.is_err() {
        conn.undo().await;
    }
    outcome
}

/// Runs the work on a blocking thread; the connection returns to its lane when it ends well.
async fn hop(lease: Lease, work: Work<Conn>) -> Outcome<()> {
    let ran = tokio::task::spawn_blocking(move || {
        let outcome = tokio::runtime::Handle::current().block_on(work(&lease.conn));
        lease.give_back();
        outcome
    });
    let span = tracing::info_span!(target: "payroll_trace", "database", "db.system.name" = "sqlite");
    ran.instrument(span).await.unwrap_or_else(|error| Err(Failure::Bug(error.to_string())))
}
