//! The settings of a PostgreSQL server that decide whether a commit survives a loss of power.

use payroll_ports::StoreError;
use tokio_postgres::{Client, Row};

use super::causes::query_failure;
use super::connect::DatabaseConnector;
use crate::error::Outcome;
use crate::settings::DatabaseUrl;

/// A setting of a PostgreSQL server with which acknowledged changes can be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DurabilityWeakness {
    /// The setting `fsync` is off.
    Fsync,
    /// The setting `full_page_writes` is off.
    FullPageWrites,
    /// The setting `synchronous_commit` is off in the sessions of this payroll server.
    SynchronousCommit,
    /// A table is unlogged and loses its rows in a crash.
    UnloggedTables,
}

impl DurabilityWeakness {
    /// All weaknesses, in the order of the columns of the query that detects them.
    pub const ALL: [Self; 4] =
        [Self::Fsync, Self::FullPageWrites, Self::SynchronousCommit, Self::UnloggedTables];

    /// Returns the name with which the setting `accept_unsafe_database` accepts this weakness.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fsync => "fsync",
            Self::FullPageWrites => "full_page_writes",
            Self::SynchronousCommit => "synchronous_commit",
            Self::UnloggedTables => "unlogged_tables",
        }
    }

    /// Returns the problem and its consequence, as human-readable text.
    #[must_use]
    pub const fn problem(self) -> &'static str {
        match self {
            Self::Fsync => "fsync is off: a power failure can destroy the complete database",
            Self::FullPageWrites => {
                "full_page_writes is off: a power failure can destroy pages of the database"
            }
            Self::SynchronousCommit => {
                "synchronous_commit is off: acknowledged changes can be lost in a power failure"
            }
            Self::UnloggedTables => "a table is unlogged: a crash of PostgreSQL empties it",
        }
    }

    /// Returns, as human-readable text, what an administrator must change to remove the weakness.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Fsync => "turn fsync on",
            Self::FullPageWrites => "turn full_page_writes on",
            Self::SynchronousCommit => "remove synchronous_commit from the options of `database_url`",
            Self::UnloggedTables => "ALTER TABLE … SET LOGGED for each table that pg_class has as unlogged",
        }
    }
}

/// Returns the weaknesses of the server at the address. An embedded database has none.
///
/// # Errors
/// [`StoreError::Unavailable`] if the server cannot be reached.
pub async fn find_weaknesses(
    url: &str,
    direct_url: Option<&str>,
) -> Result<Vec<DurabilityWeakness>, StoreError> {
    match DatabaseUrl::parse(direct_url.unwrap_or(url)) {
        DatabaseUrl::Sqlite(_) => Ok(Vec::new()),
        DatabaseUrl::Postgres(url) => {
            Ok(find_weaknesses_of_server(&DatabaseConnector::from_url(&url)?.connect_client().await?).await?)
        }
    }
}

/// Returns the weaknesses of a server. The client must be opened with this program's session settings,
/// because one of the settings (`synchronous_commit`) belongs to the session.
pub(crate) async fn find_weaknesses_of_server(client: &Client) -> Outcome<Vec<DurabilityWeakness>> {
    const SELECT_WEAK_SETTINGS: &str = "SELECT current_setting('fsync') <> 'on', current_setting('full_page_writes') <> 'on', \
        current_setting('synchronous_commit') = 'off', \
        EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.relpersistence = 'u')";
    let row: Row = client.query_one(SELECT_WEAK_SETTINGS, &[]).await.map_err(query_failure)?;
    let mut weaknesses = Vec::new();
    for (at, weakness) in DurabilityWeakness::ALL.into_iter().enumerate() {
        if row.try_get::<_, bool>(at).map_err(query_failure)? {
            weaknesses.push(weakness);
        }
    }
    Ok(weaknesses)
}
