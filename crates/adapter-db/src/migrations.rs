//! Runs the migrations, which are included in the binary. Several processes may run the migrations at the
//! same time.

use std::path::Path;

use diesel::SqliteConnection;
use diesel_async::{AsyncMigrationHarness, AsyncPgConnection, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::error::{Failure, Outcome};
use crate::{postgres, sqlite};

const SQLITE_MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
const POSTGRES_MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// Acquires an advisory lock. If several processes start at the same time, one migrates and the others wait.
/// The lock number is arbitrary, but no other program may use it in the database.
const LOCK_MIGRATIONS: &str = "SELECT pg_advisory_lock(7219044)";
const UNLOCK_MIGRATIONS: &str = "SELECT pg_advisory_unlock(7219044)";
/// The page cache in KiB for migrating a SQLite file.
const MIGRATION_CACHE_KIB: u32 = 4096;
/// Removes the time limits of a session. The session may have to wait until another process has finished a
/// long migration.
pub(crate) const WITHOUT_TIMEOUTS_SQL: &str = "SET lock_timeout = 0; SET statement_timeout = 0";

/// Returns the version of the newest schema that this program knows.
#[must_use]
pub fn newest_schema_version() -> String {
    use diesel::migration::{Migration, MigrationSource};
    let all: Vec<Box<dyn Migration<diesel::sqlite::Sqlite>>> =
        SQLITE_MIGRATIONS.migrations().unwrap_or_default();
    all.iter().map(|migration| migration.name().version().to_string()).max().unwrap_or_default()
}

/// Migrates a SQLite file to the newest schema, and creates it if necessary.
pub(crate) async fn migrate_sqlite_file(path: &Path) -> Outcome<()> {
    let path = path.to_owned();
    let ran = tokio::task::spawn_blocking(move || {
        restrict_file_permissions(&path)?;
        sqlite::require_single_link(&path)?;
        let conn = sqlite::Conn::open(&path, MIGRATION_CACHE_KIB)?;
        conn.run_on_diesel_connection(migrate_sqlite)
    });
    ran.await.unwrap_or_else(|error| Err(Failure::Bug(error.to_string())))
}

/// Creates a missing file with permissions for its owner only, because the file will contain personal data.
/// SQLite gives the same mode to the files that it creates next to the database, such as the WAL.
///
/// An existing file is not opened here, because closing it would release the file locks that this process
/// holds.
fn restrict_file_permissions(path: &Path) -> Outcome<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(Failure::Unavailable(format!("{} cannot be made: {error}", path.display())))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Runs all pending migrations in one transaction, so that no other process can write between two migrations.
fn migrate_sqlite(connection: &mut SqliteConnection) -> Outcome<()> {
    let migrated = connection.immediate_transaction(|connection| {
        let ran = connection.run_pending_migrations(SQLITE_MIGRATIONS).map(|_| ());
        ran.map_err(diesel::result::Error::QueryBuilderError)
    });
    migrated.map_err(|error| Failure::Bug(error.to_string()))
}

/// Migrates a PostgreSQL database to the newest schema.
pub(crate) async fn migrate_postgres(url: &str) -> Outcome<()> {
    let connector = postgres::connect::DatabaseConnector::from_url(url)?;
    // Through a pooler in transaction mode, later statements may run in another session. The statement that
    // releases the advisory lock would then not reach the session that holds the lock.
    postgres::pooler::require_session_pooling(&connector).await?;
    let side_client = connector.connect_client().await?;
    let is_distributed = postgres::distributed::load_cluster(&side_client).await?.is_some();
    let mut connection: AsyncPgConnection =
        connector.open_connection().await.map_err(|error| Failure::Unavailable(error.to_string()))?;
    for text in [WITHOUT_TIMEOUTS_SQL, LOCK_MIGRATIONS] {
        connection
            .batch_execute(text)
            .await
            .map_err(|error| postgres::errors::to_failure(error, connector.error_reports()))?;
    }
    let mut harness = AsyncMigrationHarness::new(connection);
    let pending = harness
        .has_pending_migration(POSTGRES_MIGRATIONS)
        .map_err(|error| Failure::Bug(error.to_string()))?;
    // The session limits of the nodes are removed only if a migration is pending. This step needs all nodes,
    // and a server must also start while a node is down.
    let is_to_be_distributed = is_distributed && pending;
    if is_to_be_distributed {
        postgres::distributed::remove_session_time_limits(&side_client).await?;
    }
    let ran = harness.run_pending_migrations(POSTGRES_MIGRATIONS).map(|_| ());
    let mut connection = harness.into_inner();
    if is_to_be_distributed {
        // Distributes new tables. The following statements also restore the limits, even if a migration
        // failed.
        postgres::distributed::distribute_tables(&side_client, None).await?;
    }
    // Closing the connection would also release the lock, but only later.
    drop(connection.batch_execute(UNLOCK_MIGRATIONS).await);
    ran.map_err(|error| Failure::Bug(error.to_string()))
}

#[cfg(test)]
mod tests;
