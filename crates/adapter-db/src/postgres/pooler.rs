//! Detects poolers between this program and PostgreSQL, and determines whether a connection keeps one session
//! from its first to its last statement.
//!
//! A pooler in transaction mode (PgBouncer's `pool_mode = transaction`) may use another session for each
//! transaction. API requests work with such a pooler if it supports prepared statements. All time limits are
//! then set in each transaction instead of once for a session. Migrations, and notifications between servers,
//! need their own session and use the direct address.
//!
//! An ordinary user cannot query the mode of a pooler, so this module detects the mode from its behaviour.

use tokio_postgres::{Client, SimpleQueryMessage};

use super::causes::query_failure;
use super::connect::{DatabaseConnector, PROCESS_LOCK_CLASS};
use crate::error::{Failure, Outcome};

/// The number of attempts to detect that two connections share a session. One attempt is not enough, because
/// another process may get the session between the two queries.
const MAX_ATTEMPTS: usize = 5;
/// PgBouncer's admin database, and the query for its version, which the users in `stats_users` may run.
const POOLER_CONSOLE_QUERY: (&str, &str) = ("pgbouncer", "SHOW VERSION");
const SELECT_BACKEND_PID: &str = "SELECT pg_backend_pid()";
/// Reads a new random UUID, which the server generates.
const SELECT_UNIQUE_ID: &str = "SELECT gen_random_uuid()";

/// Whether the pooler of an address may change the session of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PoolingMode {
    /// A connection is one session.
    Session,
    /// Each transaction may use another session.
    Transaction,
}

/// Detects whether each connection to an address has its own session, or whether a pooler shares sessions
/// between connections.
///
/// # Errors
/// No connection can be opened.
pub(crate) async fn detect_pooling_mode(connector: &DatabaseConnector) -> Outcome<PoolingMode> {
    let (one, other) =
        (connector.connect_without_session().await?, connector.connect_without_session().await?);
    for _ in 0..MAX_ATTEMPTS {
        // The session of `one` is free after the query. A pooler in transaction mode may therefore give this
        // session to `other`.
        let of_one = query_text(&one, SELECT_BACKEND_PID).await?;
        other.batch_execute("BEGIN").await.map_err(query_failure)?;
        let of_other = query_text(&other, SELECT_BACKEND_PID).await?;
        other.batch_execute("ROLLBACK").await.map_err(query_failure)?;
        if of_one == of_other {
            return Ok(PoolingMode::Transaction);
        }
    }
    Ok(PoolingMode::Session)
}

/// Rejects an address whose connections share sessions. Work that needs its own session calls this function.
///
/// # Errors
/// The connections share sessions, or no connection can be opened.
pub(crate) async fn require_session_pooling(connector: &DatabaseConnector) -> Outcome<()> {
    match detect_pooling_mode(connector).await? {
        PoolingMode::Session => Ok(()),
        PoolingMode::Transaction => Err(Failure::Unavailable(format!(
            "the pooler {} in front of PostgreSQL assigns a connection to each transaction (pool_mode = \
             transaction or statement). Set `direct_database_url` to the URL of the same database without \
             the pooler, or set pool_mode = session",
            pooler_display_name(connector).await
        ))),
    }
}

/// Detects the pooling mode of an address and verifies that API requests work with this mode.
/// `direct_connector` connects to a second address, which leads to the same database without sharing
/// sessions.
///
/// # Errors
/// The pooler does not support prepared statements, connections to the direct address share sessions, the
/// direct address leads to another database, or a connection cannot be opened.
pub(crate) async fn pooling_mode_with_direct_address(
    connector: &DatabaseConnector,
    direct_connector: &DatabaseConnector,
) -> Outcome<PoolingMode> {
    check_same_database(connector, direct_connector).await?;
    let pooling_mode = detect_pooling_mode(connector).await?;
    if pooling_mode == PoolingMode::Transaction && !supports_prepared_statements(connector).await? {
        return Err(Failure::Unavailable(format!(
            "the pooler {} assigns a connection to each transaction and does not support prepared \
             statements. Use PgBouncer 1.21 or newer with max_prepared_statements above 0, or set pool_mode \
             = session",
            pooler_display_name(connector).await
        )));
    }
    Ok(pooling_mode)
}

/// Returns whether a pooler recognizes a prepared statement by its text and prepares it in each session. Such
/// a pooler renames the statement.
async fn supports_prepared_statements(connector: &DatabaseConnector) -> Outcome<bool> {
    let client = connector.connect_without_session().await?;
    client.batch_execute("BEGIN").await.map_err(query_failure)?;
    let unique = query_text(&client, SELECT_UNIQUE_ID).await?.unwrap_or_default();
    let prepared = client.prepare(&format!("SELECT '{unique}'")).await.map_err(query_failure)?;
    // The driver names its statements s0, s1 and so on. A statement with any other name was renamed by a
    // pooler.
    let renamed = format!(
        "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%{unique}%' AND name !~ '^s[0-9]+$'"
    );
    let name = query_text(&client, &renamed).await?;
    client.batch_execute("ROLLBACK").await.map_err(query_failure)?;
    drop(prepared);
    Ok(name.is_some())
}

/// Verifies that both addresses lead to the same database. To do so, the function acquires an advisory lock
/// through the direct address, and looks for the lock through the other address.
async fn check_same_database(
    connector: &DatabaseConnector,
    direct_connector: &DatabaseConnector,
) -> Outcome<()> {
    const ACQUIRE_RANDOM_LOCK: &str =
        "SELECT n, pg_advisory_lock_shared({PRESENCE}, n) FROM (SELECT hashtext('{UNIQUE}') AS n) AS random";
    const FIND_LOCK: &str = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted \
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
        AND classid = CAST({PRESENCE} AS oid) AND objid = CAST(CAST({NUMBER} AS bigint) & 4294967295 AS oid)";
    let (one, other) =
        (direct_connector.connect_without_session().await?, connector.connect_without_session().await?);
    let presence = PROCESS_LOCK_CLASS.to_string();
    let unique = query_text(&one, SELECT_UNIQUE_ID).await?.unwrap_or_default();
    let take = ACQUIRE_RANDOM_LOCK.replace("{PRESENCE}", &presence).replace("{UNIQUE}", &unique);
    let number = query_text(&one, &take).await?.unwrap_or_default();
    let see = FIND_LOCK.replace("{PRESENCE}", &presence).replace("{NUMBER}", &number);
    match query_text(&other, &see).await? {
        Some(_) => Ok(()),
        None => Err(Failure::Unavailable(
            "`direct_database_url` and `database_url` are different databases. They must be URLs of the \
             same one"
                .to_owned(),
        )),
    }
}

/// Returns the name and version of the pooler for messages, or `a pooler` if the pooler does not report them.
async fn pooler_display_name(connector: &DatabaseConnector) -> String {
    query_pooler_version(connector).await.unwrap_or_else(|| "a pooler".to_owned())
}

/// Returns the name and version of the pooler in front of PostgreSQL, if the pooler reports them.
pub(crate) async fn query_pooler_version(connector: &DatabaseConnector) -> Option<String> {
    let (database, question) = POOLER_CONSOLE_QUERY;
    let client = connector.with_database(database).connect_without_session().await.ok()?;
    // PostgreSQL itself rejects the query `SHOW VERSION`, even if it has a database with the name of
    // PgBouncer's admin database.
    query_text(&client, question).await.ok()?
}

/// Reads the first value of the first row that a statement returns.
async fn query_text(client: &Client, sql: &str) -> Outcome<Option<String>> {
    let rows = client.simple_query(sql).await.map_err(query_failure)?;
    Ok(rows.iter().find_map(|row| match row {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}
