//! One connection, and its statements.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use diesel::pg::Pg;
use diesel_async::pooled_connection::deadpool::Object;
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::future::FutureExt;
use futures_util::{TryStreamExt, try_join};
use tokio::time::timeout;

use super::beginning::WAIT;
use super::errors;
use super::reports::Reports;
use crate::columns::{FromColumns, ReadRow, Source, decode};
use crate::error::{Failure, Outcome};
use crate::fixed::{Fixed, command};

/// One connection, lent by the pool.
pub(crate) struct Conn {
    pub(super) object: Option<Object<AsyncPgConnection>>,
    /// What the database reports of its errors.
    pub(super) reports: Arc<Reports>,
    /// The process whose session it is; `None` where it is lent for a transaction.
    pub(super) process: Option<i32>,
    /// It is a session of a node that companies lie on, and not of the coordinator.
    pub(super) is_at_node: bool,
    /// The transaction did not begin: what follows must not run outside it.
    pub(super) refused: AtomicBool,
    /// A transaction may be open: the connection must not go back to the pool.
    pub(super) open: AtomicBool,
    /// The transaction has queued deliveries.
    pub(super) queued: AtomicBool,
    /// The commit is in progress with the last statements: none may follow it.
    pub(super) sealed: AtomicBool,
}

impl Conn {
    /// Which process this is, of several on one database.
    pub(crate) const fn process(&self) -> Option<i32> {
        self.process
    }

    /// Every row that the statement returns.
    pub(crate) async fn rows<R: FromColumns + Send>(&self, statement: Fixed<'_>) -> Outcome<Vec<R>> {
        let mut rows = Vec::new();
        let mut read = |columns: &mut dyn Source| {
            rows.push(R::from_columns(columns)?);
            Ok(())
        };
        self.each(statement, &mut read).await?;
        Ok(rows)
    }

    async fn each(&self, statement: Fixed<'_>, read: &mut ReadRow<'_>) -> Outcome<()> {
        let mut connection = self.connection()?;
        let answers = AsyncConnectionCore::load(&mut connection, statement);
        let mut stream = answers.await.map_err(|error| self.failure(error))?;
        while let Some(row) = stream.try_next().await.map_err(|error| self.failure(error))? {
            decode::<Pg, _>(&row, read).map_err(|error| self.failure(error))?;
        }
        Ok(())
    }

    /// The only row that the statement can return, if there is one.
    pub(crate) async fn row<R: FromColumns + Send>(&self, statement: Fixed<'_>) -> Outcome<Option<R>> {
        Ok(self.rows(statement).await?.pop())
    }

    /// Runs the statement and says how many rows it touched.
    pub(crate) async fn execute(&self, statement: Fixed<'_>) -> Outcome<usize> {
        let mut connection = self.connection()?;
        let answer = AsyncConnectionCore::execute_returning_count(&mut connection, statement);
        answer.await.map_err(|error| self.failure(error))
    }

    /// Does the last work of a transaction, and commits it in the same round trip. Every statement of
    /// the work must be in progress as soon as it is begun: what is sent later comes behind the commit.
    /// Where a statement fails, PostgreSQL undoes the transaction, even where a commit follows.
    pub(crate) async fn and_commit<T>(&self, work: impl Future<Output = Outcome<T>> + Send) -> Outcome<T> {
        let mut work = std::pin::pin!(work);
        // What cannot even be sent must not be missing from what is committed.
        if let Poll::Ready(done) = futures_util::poll!(&mut work) {
            return done;
        }
        // Prepared like what goes before: it waits with that for statements that are not yet known.
        let commit = self.execute(command("COMMIT", []));
        let sealed = async { self.sealed.store(true, Ordering::Relaxed) };
        let (value, _, ()) = try_join!(work, commit, sealed.map(Ok))?;
        Ok(value)
    }

    /// Begins a transaction. A pooler that lends sessions may have none free: that is waited for no longer
    /// than for a connection.
    pub(super) async fn begin(&self, text: &str) -> Outcome<()> {
        let mut connection = self.connection()?;
        let begun = connection.batch_execute(text).map(|begun| begun.map_err(|error| self.failure(error)));
        match self.process {
            Some(_) => begun.await,
            None => timeout(WAIT, begun)
                .await
                .unwrap_or_else(|_| Err(Failure::Unavailable("the pooler had no session free".to_owned()))),
        }
    }

    /// Runs text that has no values: the end of a transaction, and settings.
    pub(crate) async fn batch(&self, sql: &'static str) -> Outcome<()> {
        let mut connection = self.connection()?;
        connection.batch_execute(sql).await.map_err(|error| self.failure(error))
    }

    /// Notes that this transaction has put something into the queue of deliveries: the sender is
    /// notified behind the commit.
    pub(crate) fn queued(&self) {
        self.queued.store(true, Ordering::Relaxed);
    }

    fn failure(&self, error: diesel::result::Error) -> Failure {
        errors::failure(error, &self.reports)
    }

    fn connection(&self) -> Outcome<&AsyncPgConnection> {
        if self.refused.load(Ordering::Relaxed) {
            return Err(Failure::Unavailable("the transaction did not begin".to_owned()));
        }
        if self.sealed.load(Ordering::Relaxed) {
            return Err(Failure::Bug("a statement came behind the commit".to_owned()));
        }
        match &self.object {
            Some(object) => Ok(object),
            None => Err(Failure::Bug("a connection was used after its end".to_owned())),
        }
    }
}

impl Drop for Conn {
    /// A transaction that was left in the middle ends with its connection.
    fn drop(&mut self) {
        if *self.open.get_mut()
            && let Some(object) = self.object.take()
        {
            drop(Object::take(object));
        }
    }
}
