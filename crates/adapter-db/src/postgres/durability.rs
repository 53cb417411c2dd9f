//! The settings of a PostgreSQL server that decide whether a commit survives a loss of power.

use payroll_ports::StoreError;
use tokio_postgres::{Client, Row};

use super::causes::failed;
use super::connect::Way;
use crate::error::Outcome;
use crate::settings::DatabaseUrl;

/// Why what was acknowledged can be lost with the power, or all of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weakness {
    /// `fsync` is off.
    Fsync,
    /// `full_page_writes` is off.
    FullPageWrites,
    /// `synchronous_commit` is off in the sessions of this server.
    SynchronousCommit,
    /// A table is unlogged.
    UnloggedTables,
}

impl Weakness {
    /// Each, in the order of the columns of the query.
    pub const ALL: [Self; 4] =
        [Self::Fsync, Self::FullPageWrites, Self::SynchronousCommit, Self::UnloggedTables];

    /// Its name in a setting.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fsync => "fsync",
            Self::FullPageWrites => "full_page_writes",
            Self::SynchronousCommit => "synchronous_commit",
            Self::UnloggedTables => "unlogged_tables",
        }
    }

    /// What is wrong, and what it does.
    #[must_use]
    pub const fn problem(self) -> &'static str {
        match self {
            Self::Fsync => "fsync is off: a loss of power can destroy all of it",
            Self::FullPageWrites => "full_page_writes is off: a loss of power can destroy pages",
            Self::SynchronousCommit => {
                "synchronous_commit is off: what was answered 201 can be lost with the power"
            }
            Self::UnloggedTables => "a table is unlogged: it is empty after a crash of PostgreSQL",
        }
    }

    /// How it is mended.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Fsync => "turn fsync on",
            Self::FullPageWrites => "turn full_page_writes on",
            Self::SynchronousCommit => "take synchronous_commit out of the options of `database_url`",
            Self::UnloggedTables => "ALTER TABLE … SET LOGGED for each table that pg_class has as unlogged",
        }
    }
}

/// What is weak about the server of that address. An embedded database has nothing that could be set so.
///
/// # Errors
/// [`StoreError::Unavailable`] when it cannot be reached.
pub async fn weaknesses(url: &str, direct_url: Option<&str>) -> Result<Vec<Weakness>, StoreError> {
    match DatabaseUrl::of(direct_url.unwrap_or(url)) {
        DatabaseUrl::Sqlite(_) => Ok(Vec::new()),
        DatabaseUrl::Postgres(url) => Ok(of_server(&Way::of(&url)?.client().await?).await?),
    }
}

/// What is weak about a server, as a session of this program sees it.
pub(crate) async fn of_server(client: &Client) -> Outcome<Vec<Weakness>> {
    const WEAK: &str = "SELECT current_setting('fsync') <> 'on', current_setting('full_page_writes') <> 'on', \
        current_setting('synchronous_commit') = 'off', \
        EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.relpersistence = 'u')";
    let row: Row = client.query_one(WEAK, &[]).await.map_err(failed)?;
    let mut weaknesses = Vec::new();
    for (at, weakness) in Weakness::ALL.into_iter().enumerate() {
        if row.try_get::<_, bool>(at).map_err(failed)? {
            weaknesses.push(weakness);
        }
    }
    Ok(weaknesses)
}
