//! What stands between this program and PostgreSQL, as far as it matters: whether a connection is one
//! session, from its first statement to its last.
//!
//! A pooler that lends its connections for the length of a transaction (PgBouncer's `pool_mode =
//! transaction`) gives each transaction another session. Limits of a session, its locks, its prepared
//! statements and what it listens to would then be somebody else's. There is no question that a pooler
//! answers to everybody, so it is found out by what it does.

use tokio_postgres::{Client, SimpleQueryMessage};

use super::causes::with_causes;
use super::connect::Way;
use crate::error::{Failure, Outcome};

/// How often it is tried to catch two connections in one session: other processes may have been lent the
/// session meanwhile.
const ATTEMPTS: usize = 5;
/// The database on which PgBouncer answers for itself, to those whom it lets (`stats_users`), and what it
/// is asked there.
const CONSOLE: (&str, &str) = ("pgbouncer", "SHOW VERSION");
const BACKEND: &str = "SELECT pg_backend_pid()";

/// Refuses a way whose connections share sessions.
///
/// # Errors
/// They do, or none can be opened.
pub(crate) async fn refuse_shared(way: &Way) -> Outcome<()> {
    let (one, other) = (way.bare().await?, way.bare().await?);
    for _ in 0..ATTEMPTS {
        // Free again from here on, if it is not the connection's own.
        let of_one = session(&one).await?;
        other.batch_execute("BEGIN").await.map_err(failed)?;
        let of_other = session(&other).await?;
        other.batch_execute("ROLLBACK").await.map_err(failed)?;
        if of_one == of_other {
            let who = version(way).await.unwrap_or_else(|| "a pooler".to_owned());
            return Err(Failure::Unavailable(format!(
                "{who} stands before PostgreSQL, and lends a connection for one transaction (pool_mode = \
                 transaction or statement): set pool_mode = session for this database, or connect without \
                 the pooler"
            )));
        }
    }
    Ok(())
}

/// Which pooler stands before PostgreSQL, where it says that: its name and version.
pub(crate) async fn version(way: &Way) -> Option<String> {
    let (database, question) = CONSOLE;
    let client = way.to_database(database).bare().await.ok()?;
    // PostgreSQL itself, if it has a database of that name, knows no such setting.
    let rows = client.simple_query(question).await.ok()?;
    rows.iter().find_map(|row| match row {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    })
}

/// The session in which PostgreSQL carries out a statement of the connection.
async fn session(client: &Client) -> Outcome<Option<String>> {
    let rows = client.simple_query(BACKEND).await.map_err(failed)?;
    Ok(rows.iter().find_map(|row| match row {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}

fn failed(error: tokio_postgres::Error) -> Failure {
    Failure::Unavailable(with_causes(&error))
}
