//! What lies between this program and PostgreSQL, as far as it matters: whether a connection is one session,
//! from its first statement to its last.
//!
//! A pooler that lends its connections for the length of a transaction (PgBouncer's `pool_mode =
//! transaction`) gives each transaction another session. Requests work there when the pooler keeps track of
//! prepared statements, since every limit is then set in each transaction. What needs a session of its own
//! (migrations, notifications between servers) takes the direct address. No query reports the mode to every
//! user, so it is found out by what the pooler does.

use tokio_postgres::{Client, SimpleQueryMessage};

use super::causes::failed;
use super::connect::{PRESENCE, Way};
use crate::error::{Failure, Outcome};

/// How often it is tried to catch two connections in one session: other processes may have been lent the
/// session meanwhile.
const ATTEMPTS: usize = 5;
/// The database on which PgBouncer responds itself, to the users that it allows (`stats_users`), and what it
/// shows there.
const CONSOLE: (&str, &str) = ("pgbouncer", "SHOW VERSION");
const BACKEND: &str = "SELECT pg_backend_pid()";
/// A text that no other connection has.
const UNIQUE: &str = "SELECT gen_random_uuid()";

/// What a connection of an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lending {
    /// One session, to its end.
    Session,
    /// Another session for each transaction.
    Transaction,
}

/// What the connections of an address are.
///
/// # Errors
/// None can be opened.
pub(crate) async fn lending(way: &Way) -> Outcome<Lending> {
    let (one, other) = (way.bare().await?, way.bare().await?);
    for _ in 0..ATTEMPTS {
        // Free again from here on, if it is not the connection's own.
        let of_one = text(&one, BACKEND).await?;
        other.batch_execute("BEGIN").await.map_err(failed)?;
        let of_other = text(&other, BACKEND).await?;
        other.batch_execute("ROLLBACK").await.map_err(failed)?;
        if of_one == of_other {
            return Ok(Lending::Transaction);
        }
    }
    Ok(Lending::Session)
}

/// Rejects an address whose connections share sessions, for work that needs one of its own.
///
/// # Errors
/// They do, or none can be opened.
pub(crate) async fn refuse_shared(way: &Way) -> Outcome<()> {
    match lending(way).await? {
        Lending::Session => Ok(()),
        Lending::Transaction => Err(Failure::Unavailable(format!(
            "{} is between this program and PostgreSQL, and lends a connection for one transaction (pool_mode = \
             transaction or statement): set `direct_database_url` to the address of the same database without \
             the pooler, or pool_mode = session",
            name(way).await
        ))),
    }
}

/// Finds out what the connections of an address are, and whether requests work on them. In addition to the address
/// there is a direct one, where connections are sessions.
///
/// # Errors
/// The pooler does not keep track of prepared statements; the direct address is no session, or leads to
/// another database; one of them cannot be opened.
pub(crate) async fn lending_beside(way: &Way, direct: &Way) -> Outcome<Lending> {
    must_be_one_database(way, direct).await?;
    let lending = lending(way).await?;
    if lending == Lending::Transaction && !tracks_prepared_statements(way).await? {
        return Err(Failure::Unavailable(format!(
            "{} lends a connection for one transaction and keeps no track of prepared statements: PgBouncer \
             1.21 or newer does, with max_prepared_statements above 0; or set pool_mode = session",
            name(way).await
        )));
    }
    Ok(lending)
}

/// Whether a pooler knows a statement by its text, so that it is prepared in whichever session comes next.
/// It then gives the statement a name of its own.
async fn tracks_prepared_statements(way: &Way) -> Outcome<bool> {
    let client = way.bare().await?;
    client.batch_execute("BEGIN").await.map_err(failed)?;
    let unique = text(&client, UNIQUE).await?.unwrap_or_default();
    let prepared = client.prepare(&format!("SELECT '{unique}'")).await.map_err(failed)?;
    // The driver's own names are s0, s1 and so on.
    let renamed = format!(
        "SELECT name FROM pg_prepared_statements \
         WHERE statement LIKE '%{unique}%' AND name !~ '^s[0-9]+$'"
    );
    let name = text(&client, &renamed).await?;
    client.batch_execute("ROLLBACK").await.map_err(failed)?;
    drop(prepared);
    Ok(name.is_some())
}

/// A lock that is taken by the direct address is seen by the other one, and by that of no other database.
async fn must_be_one_database(way: &Way, direct: &Way) -> Outcome<()> {
    const TAKE: &str =
        "SELECT n, pg_advisory_lock_shared({PRESENCE}, n) FROM (SELECT hashtext('{UNIQUE}') AS n) AS random";
    const SEE: &str = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted \
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
        AND classid = CAST({PRESENCE} AS oid) AND objid = CAST(CAST({NUMBER} AS bigint) & 4294967295 AS oid)";
    let (one, other) = (direct.bare().await?, way.bare().await?);
    let presence = PRESENCE.to_string();
    let unique = text(&one, UNIQUE).await?.unwrap_or_default();
    let take = TAKE.replace("{PRESENCE}", &presence).replace("{UNIQUE}", &unique);
    let number = text(&one, &take).await?.unwrap_or_default();
    let see = SEE.replace("{PRESENCE}", &presence).replace("{NUMBER}", &number);
    match text(&other, &see).await? {
        Some(_) => Ok(()),
        None => Err(Failure::Unavailable(
            "`direct_database_url` leads to another database than `database_url`".to_owned(),
        )),
    }
}

/// The pooler, for people.
async fn name(way: &Way) -> String {
    version(way).await.unwrap_or_else(|| "a pooler".to_owned())
}

/// Which pooler is before PostgreSQL, where it reports that: its name and version.
pub(crate) async fn version(way: &Way) -> Option<String> {
    let (database, question) = CONSOLE;
    let client = way.to_database(database).bare().await.ok()?;
    // PostgreSQL itself, if it has a database of that name, knows no such setting.
    text(&client, question).await.ok()?
}

/// The first value of the first row that a statement returns.
async fn text(client: &Client, sql: &str) -> Outcome<Option<String>> {
    let rows = client.simple_query(sql).await.map_err(failed)?;
    Ok(rows.iter().find_map(|row| match row {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}
