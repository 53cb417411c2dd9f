//! SQLite: the embedded default, one file, one writer, a few readers beside it.
//!
//! A whole unit of work runs in one hop to a blocking thread, where every statement answers at
//! once: hopping for each statement would cost nine tenths of the throughput. A caller who goes
//! away cannot leave a transaction open, because the hop runs to its end without him.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use diesel::connection::{LoadConnection, SimpleConnection};
use diesel::query_builder::QueryFragment;
use diesel::query_builder::QueryId;
use diesel::sqlite::Sqlite;
use diesel::{Connection, SqliteConnection};
use futures_util::future::BoxFuture;
use payroll_ports::figures::Figure;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tracing::Instrument;

use crate::columns::{FromColumns, decode};
use crate::connections::Connections;
use crate::error::{Failure, Outcome};
use crate::fixed::{Fixed, query};
use crate::writable::Writable;

use self::file::{DatabaseFile, Identity};

#[path = "store/mod.rs"]
pub(crate) mod store;

pub(crate) mod dialect;
mod fan_out;
mod file;
mod queue;
mod turns;

pub(crate) use self::file::has_one_name;

/// How long a caller waits for a connection or for the writer before it is told to come back.
const WAIT: Duration = Duration::from_secs(5);
/// Readers that work at the same time; SQLite reads from memory, so few are enough.
const READERS: usize = 4;

/// Memory for pages of the file, in KiB: the writer touches many, a stream passes each once, and
/// what is not here is in the system's own cache.
const WRITER_CACHE: u32 = 4096;
const READER_CACHE: u32 = 2048;
const STREAM_CACHE: u32 = 512;
const PULSE_CACHE: u32 = 64;

/// How long the file may take to tell its version.
const PULSE: Duration = Duration::from_secs(1);

/// Every connection: rows are written ahead, and are on the disk before the commit returns; waits
/// are bounded.
const PRAGMAS: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; \
    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \
    PRAGMA synchronous = FULL;";

/// One connection. Its statements answer at once, so it lives on a blocking thread only.
pub(crate) struct Conn {
    connection: Mutex<SqliteConnection>,
    /// The log that it has open.
    log: Option<Identity>,
    /// The transaction has queued deliveries.
    queued: AtomicBool,
    /// A transaction may still be open: the connection must not be used again.
    broken: AtomicBool,
}

impl Conn {
    /// Opens the file, which must be there.
    pub(crate) fn open(path: &Path, cache_kib: u32) -> Outcome<Self> {
        Self::of(&DatabaseFile::now_at(path), cache_kib)
    }

    /// Opens the file, which must still be the one that it was.
    fn of(file: &DatabaseFile, cache_kib: u32) -> Outcome<Self> {
        let unavailable = |error: &dyn std::fmt::Display| Failure::Unavailable(error.to_string());
        file.is_there(None)?;
        let address = file::address(file.path());
        let mut connection = SqliteConnection::establish(&address).map_err(|error| unavailable(&error))?;
        let pragmas = format!("{PRAGMAS} PRAGMA cache_size = -{cache_kib};");
        turns::patiently(|| connection.batch_execute(&pragmas)).map_err(|error| unavailable(&error))?;
        let log = file.log();
        file.is_there(log)?;
        let (queued, broken) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok(Self { connection: Mutex::new(connection), log, queued, broken })
    }

    /// Undoes the transaction, if SQLite has not done so by itself. Why it is undone is what the caller
    /// has to hear, whatever becomes of this.
    async fn undo(&self) {
        if let Err(failure) = self.batch("ROLLBACK").await
            && !dialect::is_undone_already(&failure)
        {
            self.broken.store(true, Ordering::Relaxed);
        }
    }

    /// Every row that the statement answers.
    pub(crate) async fn rows<R: FromColumns>(&self, statement: Fixed<'_>) -> Outcome<Vec<R>> {
        self.with(|connection| {
            let cursor = LoadConnection::load(connection, statement)?;
            cursor.map(|row| decode::<Sqlite, _, R>(&row?)).collect()
        })
    }

    /// The only row that the statement can answer, if there is one.
    pub(crate) async fn row<R: FromColumns>(&self, statement: Fixed<'_>) -> Outcome<Option<R>> {
        Ok(self.rows(statement).await?.pop())
    }

    /// Runs the statement and says how many rows it touched.
    pub(crate) async fn execute(&self, statement: Fixed<'_>) -> Outcome<usize> {
        self.with(|connection| connection.execute_returning_count(&statement))
    }

    /// Runs several statements, each once, in order, without leaving the connection.
    pub(crate) fn execute_all<'q, Q>(&self, statements: impl Iterator<Item = Q>) -> Outcome<usize>
    where
        Q: QueryFragment<Sqlite> + QueryId + 'q,
    {
        self.with(|connection| {
            let mut touched = 0;
            for statement in statements {
                touched += connection.execute_returning_count(&statement)?;
            }
            Ok(touched)
        })
    }

    /// Begins a transaction that writes; `false` while another connection does.
    fn begin_immediate(&self) -> Outcome<bool> {
        const BEGIN: &str = "PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; PRAGMA busy_timeout = 5000";
        match self.raw(|connection| connection.batch_execute(BEGIN)) {
            Ok(()) => Ok(true),
            Err(error) if dialect::is_busy(&error) => Ok(false),
            Err(error) => Err(dialect::failure(error)),
        }
    }

    /// Does the last work of a transaction: here the commit needs no round trip that it could share.
    pub(crate) async fn and_commit<T>(&self, work: impl Future<Output = Outcome<T>> + Send) -> Outcome<T> {
        work.await
    }

    /// Runs text that has no values: transactions and settings.
    pub(crate) async fn batch(&self, sql: &'static str) -> Outcome<()> {
        self.with(|connection| connection.batch_execute(sql))
    }

    /// Notes that this transaction has put something into the queue of deliveries: whoever sends is
    /// told of it behind the commit.
    pub(crate) fn queued(&self) {
        self.queued.store(true, Ordering::Relaxed);
    }

    /// The connection itself, for what is not a query (migrations).
    pub(crate) fn raw<T>(&self, work: impl FnOnce(&mut SqliteConnection) -> T) -> T {
        work(&mut self.connection.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with<T>(&self, work: impl FnOnce(&mut SqliteConnection) -> diesel::QueryResult<T>) -> Outcome<T> {
        self.raw(work).map_err(dialect::failure)
    }
}

/// The database: a writer, its readers, and the readers of long answers.
#[derive(Clone)]
pub(crate) struct Db {
    writer: Lane,
    readers: Lane,
    snapshots: Lane,
    pulse: Lane,
    turn: turns::Turn,
    bell: Arc<Notify>,
    file: Arc<DatabaseFile>,
    writable: Arc<Writable>,
}

impl Db {
    /// Takes the file that is there. Connections are made when needed.
    pub(crate) fn open(path: &Path, streams: usize) -> Self {
        let file = Arc::new(DatabaseFile::now_at(path));
        let lane = |places, cache_kib| Lane {
            file: Arc::clone(&file),
            cache_kib,
            places: Arc::new(Semaphore::new(places)),
            waiting: Arc::default(),
            idle: Arc::default(),
        };
        let (writer, readers) = (lane(1, WRITER_CACHE), lane(READERS, READER_CACHE));
        let (snapshots, pulse) = (lane(streams, STREAM_CACHE), lane(1, PULSE_CACHE));
        let (turn, bell, writable) = (turns::Turn::default(), Arc::default(), Arc::default());
        Self { writer, readers, snapshots, pulse, turn, bell, file, writable }
    }

    /// Returns when something may have been queued since the last call, by this process.
    pub(crate) async fn queued(&self) {
        self.bell.notified().await;
    }

    /// There are no others: one process sends.
    #[expect(clippy::unused_self, reason = "PostgreSQL's has somebody to tell")]
    pub(crate) const fn tell_others(&self) {}

    /// What the connections do that read: there is one that writes.
    pub(crate) fn figures(&self) -> [Figure; 4] {
        let used = READERS.saturating_sub(self.readers.places.available_permits());
        let idle = self.readers.idle.lock().unwrap_or_else(PoisonError::into_inner).len();
        let waiting = self.readers.waiting.load(Ordering::Relaxed);
        Connections { most: READERS, used, idle, waiting }.figures()
    }

    /// What the database says of itself now: the version of its schema. It has a connection of its
    /// own, so that it waits for no request. When the last write has failed, another one is tried.
    pub(crate) async fn pulse(&self) -> Outcome<String> {
        const VERSION: &str = "SELECT coalesce(max(version), '') FROM __diesel_schema_migrations";
        let (file, writable) = (Arc::clone(&self.file), Arc::clone(&self.writable));
        let asked = async {
            let ask = async move |conn: &Conn| {
                file.is_there(conn.log)?;
                if writable.cause().is_some() {
                    try_to_write(conn).await?;
                    writable.succeeded();
                }
                conn.row::<(String,)>(query(VERSION, [])).await
            };
            hop(self.pulse.take().await?, ask).await
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
        hop(self.readers.take().await?, async |conn: &Conn| snapshot(conn, work).await).await
    }

    /// Runs one statement that reads.
    pub(crate) async fn ask<T, F>(&self, statement: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        hop(self.readers.take().await?, async |conn: &Conn| statement(conn).await).await
    }

    /// Runs one transaction that writes: committed when the work succeeds, else undone.
    pub(crate) async fn write<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let db = self.clone();
        let work = async move |conn: &Conn| db.writing(conn, work).await;
        self.writes(work).await
    }

    /// Runs one transaction that writes what holds for a while only, and that a loss of power may
    /// undo: nobody waits for the disk.
    pub(crate) async fn write_in_passing<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let db = self.clone();
        let work = async move |conn: &Conn| {
            conn.batch("PRAGMA synchronous = NORMAL").await?;
            let outcome = db.writing(conn, work).await;
            // What comes next on this connection is on the disk again before its commit returns.
            conn.batch("PRAGMA synchronous = FULL").await?;
            outcome
        };
        self.writes(work).await
    }

    /// Has the writer do something, and notes whether it could.
    async fn writes<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: AsyncFnOnce(&Conn) -> Outcome<T> + Send + 'static,
    {
        let outcome = match self.writer.take().await {
            Ok(lease) => hop(lease, work).await,
            Err(failure) => Err(failure),
        };
        self.writable.note(&outcome);
        outcome
    }

    /// Does the work in a transaction that writes; the bell rings behind the commit of one that queues.
    /// What was committed to a file that is no longer there is not told as done.
    async fn writing<T, F>(&self, conn: &Conn, work: F) -> Outcome<T>
    where
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>>,
    {
        self.file.is_there(conn.log)?;
        turns::begin(conn)?;
        let done = transaction(conn, work).await;
        let outcome = done.and_then(|value| self.file.is_there(conn.log).map(|()| value));
        if conn.queued.swap(false, Ordering::Relaxed) && outcome.is_ok() {
            self.bell.notify_one();
        }
        outcome
    }

    /// Runs one of many transactions that write one behind the other: now and then the writers of
    /// other processes get room behind it.
    pub(crate) async fn write_of_many<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let begun = Arc::new(OnceLock::new());
        let begins = Arc::clone(&begun);
        let outcome = self.write(move |conn| {
            begins.get_or_init(tokio::time::Instant::now);
            work(conn)
        });
        let outcome = outcome.await;
        if let Some(begun) = begun.get() {
            self.turn.end(*begun).await;
        }
        outcome
    }

    /// Runs one snapshot of its own beside everything else, for as long as `work` takes.
    pub(crate) async fn snapshot<F>(&self, work: F) -> Outcome<()>
    where
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<()>> + Send + 'static,
    {
        let lease = self.snapshots.take().await?;
        let work = async |conn: &Conn| snapshot(conn, work).await;
        // Detached: whoever reads the answer ends the work by no longer listening.
        drop(tokio::spawn(hop(lease, work)));
        Ok(())
    }
}

/// Writes a page of the file, with what it holds already, and has it on the disk. The number is for
/// applications to use, and nobody does; writing it is never optimized away, as that of a row is.
async fn try_to_write(conn: &Conn) -> Outcome<()> {
    turns::begin(conn)?;
    transaction(conn, |conn| Box::pin(async move { conn.batch("PRAGMA user_version = 0").await })).await
}

/// Does the work in a transaction that sees one state.
async fn snapshot<T, F>(conn: &Conn, work: F) -> Outcome<T>
where
    F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>>,
{
    conn.batch("BEGIN").await?;
    transaction(conn, work).await
}

/// Does the work in the transaction that has begun: committed when it succeeds, else undone.
async fn transaction<T, F>(conn: &Conn, work: F) -> Outcome<T>
where
    F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>>,
{
    let outcome = match work(conn).await {
        Ok(value) => conn.batch("COMMIT").await.map(|()| value),
        Err(failure) => Err(failure),
    };
    if outcome.is_err() {
        conn.undo().await;
    }
    outcome
}

/// Runs the work on a blocking thread; the connection returns to its lane when it ends well.
async fn hop<T, F>(lease: Lease, work: F) -> Outcome<T>
where
    T: Send + 'static,
    F: AsyncFnOnce(&Conn) -> Outcome<T> + Send + 'static,
{
    let ran = tokio::task::spawn_blocking(move || {
        let outcome = tokio::runtime::Handle::current().block_on(work(&lease.conn));
        lease.give_back();
        outcome
    });
    let span = tracing::info_span!(target: "payroll_trace", "database", "db.system.name" = "sqlite");
    ran.instrument(span).await.unwrap_or_else(|error| Err(Failure::Bug(error.to_string())))
}

/// Connections of one use, so many at a time.
#[derive(Clone)]
struct Lane {
    file: Arc<DatabaseFile>,
    cache_kib: u32,
    places: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    idle: Arc<Mutex<Vec<Conn>>>,
}

/// One who waits for a connection.
struct Waiting<'l>(&'l AtomicUsize);

impl<'l> Waiting<'l> {
    fn begin(count: &'l AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Lease {
    conn: Conn,
    idle: Arc<Mutex<Vec<Conn>>>,
    _place: OwnedSemaphorePermit,
}

impl Lane {
    async fn take(&self) -> Outcome<Lease> {
        let waiting = Waiting::begin(&self.waiting);
        let place = tokio::time::timeout(WAIT, Arc::clone(&self.places).acquire_owned())
            .await
            .map_err(|_| Failure::Unavailable("the database is busy".to_owned()))?
            .map_err(|error| Failure::Unavailable(error.to_string()))?;
        drop(waiting);
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => Conn::of(&self.file, self.cache_kib)?,
        };
        Ok(Lease { conn, idle: Arc::clone(&self.idle), _place: place })
    }
}

impl Lease {
    /// Only after an orderly end: a connection that a panic left in a transaction is closed.
    fn give_back(self) {
        if self.conn.broken.load(Ordering::Relaxed) {
            return;
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(self.conn);
    }
}
