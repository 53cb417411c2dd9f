//! A connection of the pool, and the methods that run statements on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use diesel::pg::Pg;
use diesel_async::pooled_connection::deadpool::Object;
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::future::FutureExt;
use futures_util::{TryStreamExt, try_join};
use tokio::time::timeout;

use super::begin_statements::CONNECTION_WAIT;
use super::errors;
use super::reports::RecentErrorReports;
use crate::columns::{ColumnReader, FromColumns, ReadRow, read_row_columns};
use crate::error::{Failure, Outcome};
use crate::statement::{Statement, command};

/// A connection that is borrowed from the pool.
pub(crate) struct Conn {
    pub(super) object: Option<Object<AsyncPgConnection>>,
    /// The error reports of the database.
    pub(super) reports: Arc<RecentErrorReports>,
    /// The number of this process. `None` if a pooler may use a different session for each transaction.
    pub(super) process: Option<i32>,
    /// Whether the connection leads to a node that stores companies, and not to the coordinator.
    pub(super) is_at_node: bool,
    /// Whether BEGIN failed. Further statements must not run outside the transaction.
    pub(super) begin_failed: AtomicBool,
    /// Whether a transaction may be open. In that case, the connection must not return to the pool.
    pub(super) in_transaction: AtomicBool,
    /// Whether the transaction has queued deliveries.
    pub(super) queued: AtomicBool,
    /// Whether the commit was sent with the last statements. Further statements would run after the commit
    /// and are not allowed.
    pub(super) commit_sent: AtomicBool,
}

impl Conn {
    /// Returns the number that identifies this process on the database. `None` if a pooler may use a
    /// different session for each transaction.
    pub(crate) const fn process_number(&self) -> Option<i32> {
        self.process
    }

    /// Runs the statement and returns every row.
    pub(crate) async fn query_rows<R: FromColumns + Send>(
        &self,
        statement: Statement<'_>,
    ) -> Outcome<Vec<R>> {
        let mut rows = Vec::new();
        let mut read = |columns: &mut dyn ColumnReader| {
            rows.push(R::from_columns(columns)?);
            Ok(())
        };
        self.for_each_row(statement, &mut read).await?;
        Ok(rows)
    }

    async fn for_each_row(&self, statement: Statement<'_>, read: &mut ReadRow<'_>) -> Outcome<()> {
        let mut connection = self.connection()?;
        let responses = AsyncConnectionCore::load(&mut connection, statement);
        let mut stream = responses.await.map_err(|error| self.to_failure(error))?;
        while let Some(row) = stream.try_next().await.map_err(|error| self.to_failure(error))? {
            read_row_columns::<Pg, _>(&row, read).map_err(|error| self.to_failure(error))?;
        }
        Ok(())
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
        let mut connection = self.connection()?;
        let response = AsyncConnectionCore::execute_returning_count(&mut connection, statement);
        response.await.map_err(|error| self.to_failure(error))
    }

    /// Runs the last work of a transaction and commits it in the same round trip. The work must send all its
    /// statements at the first poll. Later statements would be sent after the commit. If a statement fails,
    /// PostgreSQL rolls the transaction back even though a commit follows.
    pub(crate) async fn run_and_commit<T>(
        &self,
        work: impl Future<Output = Outcome<T>> + Send,
    ) -> Outcome<T> {
        let mut work = std::pin::pin!(work);
        // The work ended at its first poll, for example because a statement could not be sent. In this case
        // the commit must not be sent.
        if let Poll::Ready(done) = futures_util::poll!(&mut work) {
            return done;
        }
        // COMMIT is a prepared statement too, so it queues behind statements that are still being prepared.
        let commit = self.execute(command("COMMIT", []));
        let sealed = async { self.commit_sent.store(true, Ordering::Relaxed) };
        let (value, _, ()) = try_join!(work, commit, sealed.map(Ok))?;
        Ok(value)
    }

    /// Begins a transaction. A pooler may have no free session, so the wait is limited like the wait for a
    /// connection.
    pub(super) async fn begin(&self, text: &str) -> Outcome<()> {
        let mut connection = self.connection()?;
        let started =
            connection.batch_execute(text).map(|started| started.map_err(|error| self.to_failure(error)));
        match self.process {
            Some(_) => started.await,
            None => timeout(CONNECTION_WAIT, started)
                .await
                .unwrap_or_else(|_| Err(Failure::Unavailable("the pooler had no session free".to_owned()))),
        }
    }

    /// Runs statements without parameters, such as settings and the end of a transaction.
    pub(crate) async fn execute_batch(&self, sql: &'static str) -> Outcome<()> {
        let mut connection = self.connection()?;
        connection.batch_execute(sql).await.map_err(|error| self.to_failure(error))
    }

    /// Records that this transaction has queued deliveries. The sender is notified after the commit.
    pub(crate) fn wake_sender_on_commit(&self) {
        self.queued.store(true, Ordering::Relaxed);
    }

    fn to_failure(&self, error: diesel::result::Error) -> Failure {
        errors::to_failure(error, &self.reports)
    }

    fn connection(&self) -> Outcome<&AsyncPgConnection> {
        if self.begin_failed.load(Ordering::Relaxed) {
            return Err(Failure::Unavailable("the transaction did not begin".to_owned()));
        }
        if self.commit_sent.load(Ordering::Relaxed) {
            return Err(Failure::Bug("a statement came behind the commit".to_owned()));
        }
        match &self.object {
            Some(object) => Ok(object),
            None => Err(Failure::Bug("a connection was used after its end".to_owned())),
        }
    }
}

impl Drop for Conn {
    /// Closes the connection if a transaction was left open.
    fn drop(&mut self) {
        if *self.in_transaction.get_mut()
            && let Some(object) = self.object.take()
        {
            drop(Object::take(object));
        }
    }
}
