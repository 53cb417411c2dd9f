//! Runs units of work on a connection, on the current thread or on a blocking thread.

use tracing::{Instrument, Span};

use super::connection::Conn;
use super::connection_pool::PooledConnection;
use crate::connections::ConnectionWork;
use crate::error::{Failure, Outcome};

/// Wraps the work in a transaction, so that all its statements see the same snapshot.
pub(super) fn wrap_in_snapshot(work: ConnectionWork<Conn>) -> ConnectionWork<Conn> {
    Box::new(move |conn| {
        Box::pin(async move {
            conn.execute_batch("BEGIN").await?;
            commit_or_roll_back(conn, work(conn)).await
        })
    })
}

/// Runs the work in the current transaction, which is committed if the work succeeds and rolled back
/// otherwise.
pub(super) async fn commit_or_roll_back(conn: &Conn, work: impl Future<Output = Outcome<()>>) -> Outcome<()> {
    let outcome = match work.await {
        Ok(()) => conn.execute_batch("COMMIT").await,
        Err(failure) => Err(failure),
    };
    if outcome.is_err() {
        conn.rollback().await;
    }
    outcome
}

/// Runs short work on the current thread. The connection returns to its pool, unless a transaction may still
/// be open on it.
pub(super) async fn run_on_this_thread(
    pooled_connection: PooledConnection,
    work: ConnectionWork<Conn>,
) -> Outcome<()> {
    let outcome = work(&pooled_connection.conn).instrument(database_span()).await;
    pooled_connection.return_to_pool();
    outcome
}

/// Runs the work on a blocking thread. The connection returns to its pool, unless a transaction may still be
/// open on it.
pub(super) async fn run_blocking(
    pooled_connection: PooledConnection,
    work: ConnectionWork<Conn>,
) -> Outcome<()> {
    let ran = tokio::task::spawn_blocking(move || {
        let outcome = tokio::runtime::Handle::current().block_on(work(&pooled_connection.conn));
        pooled_connection.return_to_pool();
        outcome
    });
    ran.instrument(database_span()).await.unwrap_or_else(|error| Err(Failure::Bug(error.to_string())))
}

fn database_span() -> Span {
    tracing::info_span!(target: "payroll_trace", "database", "db.system.name" = "sqlite")
}
