//! One connection to the file, and how a statement runs on it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use diesel::connection::{LoadConnection, SimpleConnection};
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::sqlite::Sqlite;
use diesel::{Connection, SqliteConnection};

use super::errors;
use super::file::{self, DatabaseFile, Identity};
use super::patience::patiently;
use crate::columns::{FromColumns, ReadRow, decode};
use crate::error::{Failure, Outcome};
use crate::fixed::Fixed;

/// Every connection: rows are written ahead, and are on the disk before the commit returns; waits
/// are bounded. Deleted content is overwritten with zeros, so that erased personal data is not left in free pages:
/// a deleted row of 2 kB costs 3 µs more, an update nothing. `FAST` would leave nine tenths of it.
const PRAGMAS: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; \
    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON; \
    PRAGMA synchronous = FULL;";

/// One connection. Its statements return at once, so it lives on a blocking thread only.
pub(crate) struct Conn {
    /// The log that it has open. It is let go of before the connection is closed, which may remove it.
    pub(super) log: Option<Arc<Identity>>,
    connection: Mutex<SqliteConnection>,
    /// The transaction has queued deliveries.
    pub(super) queued: AtomicBool,
    /// A transaction may still be open: the connection must not be used again.
    pub(super) broken: AtomicBool,
}

impl Conn {
    /// Which process this is, of several: there is one.
    #[expect(clippy::unused_self, reason = "PostgreSQL's has several")]
    pub(crate) const fn process(&self) -> Option<i32> {
        None
    }

    /// Opens the file, which must be there.
    pub(crate) fn open(path: &Path, cache_kib: u32) -> Outcome<Self> {
        Self::of(&DatabaseFile::now_at(path), cache_kib)
    }

    /// Opens the file, which must still be the one that it was.
    pub(super) fn of(file: &DatabaseFile, cache_kib: u32) -> Outcome<Self> {
        let unavailable = |error: &dyn std::fmt::Display| Failure::Unavailable(error.to_string());
        file.may_be_opened()?;
        let address = file::address(file.path());
        let mut connection = SqliteConnection::establish(&address).map_err(|error| unavailable(&error))?;
        let pragmas = format!("{PRAGMAS} PRAGMA cache_size = -{cache_kib};");
        patiently(|| connection.batch_execute(&pragmas)).map_err(|error| unavailable(&error))?;
        let log = file.opened_log()?;
        let (queued, broken) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok(Self { log, connection: Mutex::new(connection), queued, broken })
    }

    /// Undoes the transaction, if SQLite has not done so by itself. The caller gets the reason for undoing
    /// it, even if this fails.
    pub(super) async fn undo(&self) {
        if let Err(failure) = self.batch("ROLLBACK").await
            && !errors::is_undone_already(&failure)
        {
            self.broken.store(true, Ordering::Relaxed);
        }
    }

    /// Every row that the statement returns.
    pub(crate) async fn rows<R: FromColumns + Send>(&self, statement: Fixed<'_>) -> Outcome<Vec<R>> {
        let mut rows = Vec::new();
        self.each(statement, &mut |columns| {
            rows.push(R::from_columns(columns)?);
            Ok(())
        })?;
        Ok(rows)
    }

    fn each(&self, statement: Fixed<'_>, read: &mut ReadRow<'_>) -> Outcome<()> {
        self.with(|connection| {
            let mut cursor = LoadConnection::load(connection, statement)?;
            cursor.try_for_each(|row| decode::<Sqlite, _>(&row?, read))
        })
    }

    /// The only row that the statement can return, if there is one.
    pub(crate) async fn row<R: FromColumns + Send>(&self, statement: Fixed<'_>) -> Outcome<Option<R>> {
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
    pub(super) fn begin_immediate(&self) -> Outcome<bool> {
        const BEGIN: &str = "PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; PRAGMA busy_timeout = 5000";
        match self.raw(|connection| connection.batch_execute(BEGIN)) {
            Ok(()) => Ok(true),
            Err(error) if errors::is_busy(&error) => Ok(false),
            Err(error) => Err(errors::failure(error)),
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

    /// Notes that this transaction has put something into the queue of deliveries: the sender is notified
    /// after the commit.
    pub(crate) fn queued(&self) {
        self.queued.store(true, Ordering::Relaxed);
    }

    /// The connection itself, for what is not a query (migrations).
    pub(crate) fn raw<T>(&self, work: impl FnOnce(&mut SqliteConnection) -> T) -> T {
        work(&mut self.connection.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with<T>(&self, work: impl FnOnce(&mut SqliteConnection) -> diesel::QueryResult<T>) -> Outcome<T> {
        self.raw(work).map_err(errors::failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn deleted_content_is_in_no_page_of_the_file() {
        const FILL: &str = "CREATE TABLE person (name TEXT); \
            WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000) \
            INSERT INTO person SELECT 'a name to forget ' || n FROM n; PRAGMA wal_checkpoint(TRUNCATE)";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("payroll.db");
        crate::migrations::sqlite(&path).await.unwrap();
        let conn = Conn::open(&path, 1024).unwrap();
        let holds_names = || {
            let bytes = std::fs::read(&path).unwrap();
            bytes.windows(16).any(|window| window == b"a name to forget")
        };
        conn.batch(FILL).await.unwrap();
        assert!(holds_names());
        conn.batch("DELETE FROM person WHERE rowid > 3; UPDATE person SET name = 'x'").await.unwrap();
        conn.batch("PRAGMA wal_checkpoint(TRUNCATE)").await.unwrap();
        assert!(!holds_names());
    }
}
