//! A connection to the database file, and the methods that run statements on it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use diesel::connection::{LoadConnection, SimpleConnection};
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::sqlite::Sqlite;
use diesel::{Connection, SqliteConnection};

use super::errors;
use super::file::{self, DatabaseFile, FileIdentity};
use super::patience::retry_setup_while_busy;
use crate::columns::{FromColumns, ReadRow, read_row_columns};
use crate::error::{Failure, Outcome};
use crate::statement::Statement;

/// The settings of every connection: WAL mode, commits that wait for the disk, and a limit on waiting for
/// locks.
///
/// `secure_delete` overwrites deleted content with zeros, so that erased personal data does not remain in
/// free pages. The overwriting takes 3 µs for a deleted row of 2 kB and no time for an update. The value
/// `FAST` would leave nine tenths of the deleted content.
const CONFIGURE_CONNECTION: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; \
    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON; \
    PRAGMA synchronous = FULL;";

/// One connection to the database file. Statements block their thread, so only short reads run on the thread
/// of a request.
pub(crate) struct Conn {
    /// The identity of the log file that the connection has open. This field is dropped before the connection
    /// closes, because closing the connection may remove the log.
    pub(super) log: Option<Arc<FileIdentity>>,
    connection: Mutex<SqliteConnection>,
    /// Whether the transaction has queued deliveries.
    pub(super) queued: AtomicBool,
    /// Whether a transaction may still be open. In that case, the connection must not be used again.
    pub(super) broken: AtomicBool,
}

impl Conn {
    /// Returns `None`. The number of a process is only needed with several processes, and SQLite has only
    /// one.
    #[expect(clippy::unused_self, reason = "PostgreSQL's has several")]
    pub(crate) const fn process_number(&self) -> Option<i32> {
        None
    }

    /// Opens the file, which must exist.
    pub(crate) fn open(path: &Path, cache_kib: u32) -> Outcome<Self> {
        Self::open_file(&DatabaseFile::from_path(path), cache_kib)
    }

    /// Opens the file, which must still be the file that this process opened first.
    pub(super) fn open_file(file: &DatabaseFile, cache_kib: u32) -> Outcome<Self> {
        let unavailable = |error: &dyn std::fmt::Display| Failure::Unavailable(error.to_string());
        file.check_openable()?;
        let address = file::sqlite_uri(file.path());
        let mut connection = SqliteConnection::establish(&address).map_err(|error| unavailable(&error))?;
        let pragmas = format!("{CONFIGURE_CONNECTION} PRAGMA cache_size = -{cache_kib};");
        retry_setup_while_busy(|| connection.batch_execute(&pragmas)).map_err(|error| unavailable(&error))?;
        let log = file.shared_log_identity()?;
        let (queued, broken) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok(Self { log, connection: Mutex::new(connection), queued, broken })
    }

    /// Rolls the transaction back, unless SQLite has already done so. If the rollback fails, the caller still
    /// reports the original error.
    pub(super) async fn rollback(&self) {
        if let Err(failure) = self.execute_batch("ROLLBACK").await
            && !errors::is_already_rolled_back(&failure)
        {
            self.broken.store(true, Ordering::Relaxed);
        }
    }

    /// Runs the statement and returns every row.
    pub(crate) async fn query_rows<R: FromColumns + Send>(
        &self,
        statement: Statement<'_>,
    ) -> Outcome<Vec<R>> {
        let mut rows = Vec::new();
        self.for_each_row(statement, &mut |columns| {
            rows.push(R::from_columns(columns)?);
            Ok(())
        })?;
        Ok(rows)
    }

    fn for_each_row(&self, statement: Statement<'_>, read: &mut ReadRow<'_>) -> Outcome<()> {
        self.run_query(|connection| {
            let mut cursor = LoadConnection::load(connection, statement)?;
            cursor.try_for_each(|row| read_row_columns::<Sqlite, _>(&row?, read))
        })
    }

    /// Runs the statement and returns its only row. `None` if the statement returns no row.
    pub(crate) async fn query_row<R: FromColumns + Send>(
        &self,
        statement: Statement<'_>,
    ) -> Outcome<Option<R>> {
        Ok(self.query_rows(statement).await?.pop())
    }

    /// Runs the statement and returns the number of affected rows.
    pub(crate) async fn execute(&self, statement: Statement<'_>) -> Outcome<usize> {
        self.run_query(|connection| connection.execute_returning_count(&statement))
    }

    /// Runs several statements once each, in order, on this connection.
    pub(crate) fn execute_all<'q, Q>(&self, statements: impl Iterator<Item = Q>) -> Outcome<usize>
    where
        Q: QueryFragment<Sqlite> + QueryId + 'q,
    {
        self.run_query(|connection| {
            let mut touched = 0;
            for statement in statements {
                touched += connection.execute_returning_count(&statement)?;
            }
            Ok(touched)
        })
    }

    /// Begins a write transaction without waiting. Returns `false` if another connection is writing.
    pub(super) fn begin_immediate(&self) -> Outcome<bool> {
        const BEGIN_IMMEDIATE_SQL: &str =
            "PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; PRAGMA busy_timeout = 5000";
        match self.run_on_diesel_connection(|connection| connection.batch_execute(BEGIN_IMMEDIATE_SQL)) {
            Ok(()) => Ok(true),
            Err(error) if errors::is_busy(&error) => Ok(false),
            Err(error) => Err(errors::to_failure(error)),
        }
    }

    /// Runs the last work of a transaction. The work and the commit are not combined, because SQLite has no
    /// round trips to save.
    pub(crate) async fn run_and_commit<T>(
        &self,
        work: impl Future<Output = Outcome<T>> + Send,
    ) -> Outcome<T> {
        work.await
    }

    /// Runs statements without values, such as those for transactions and settings.
    pub(crate) async fn execute_batch(&self, sql: &'static str) -> Outcome<()> {
        self.run_query(|connection| connection.batch_execute(sql))
    }

    /// Records that this transaction has queued deliveries. The sender is notified after the commit.
    pub(crate) fn wake_sender_on_commit(&self) {
        self.queued.store(true, Ordering::Relaxed);
    }

    /// Runs work that needs the Diesel connection itself, such as migrations.
    pub(crate) fn run_on_diesel_connection<T>(&self, work: impl FnOnce(&mut SqliteConnection) -> T) -> T {
        work(&mut self.connection.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn run_query<T>(&self, work: impl FnOnce(&mut SqliteConnection) -> diesel::QueryResult<T>) -> Outcome<T> {
        self.run_on_diesel_connection(work).map_err(errors::to_failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn overwrites_deleted_content_in_the_file() {
        const CREATE_AND_FILL_TABLE: &str = "CREATE TABLE person (name TEXT); \
            WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000) \
            INSERT INTO person SELECT 'a name to forget ' || n FROM n; PRAGMA wal_checkpoint(TRUNCATE)";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("payroll.db");
        crate::migrations::migrate_sqlite_file(&path).await.unwrap();
        let conn = Conn::open(&path, 1024).unwrap();
        let holds_names = || {
            let bytes = std::fs::read(&path).unwrap();
            bytes.windows(16).any(|window| window == b"a name to forget")
        };
        conn.execute_batch(CREATE_AND_FILL_TABLE).await.unwrap();
        assert!(holds_names());
        conn.execute_batch("DELETE FROM person WHERE rowid > 3; UPDATE person SET name = 'x'").await.unwrap();
        conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").await.unwrap();
        assert!(!holds_names());
    }
}
