//! Opens a database, and runs the maintenance commands: migrate, distribute, partition and re-encrypt.

use std::sync::Arc;

use payroll_ports::{Randomness, Store, StoreError};

use crate::error::{Failure, Outcome};
use crate::keys::{KeyCheckResult, OpenError, ResealProgress};
use crate::postgres::partition::PartitionResult;
use crate::seal::Sealer;
use crate::settings::{DatabaseSettings, DatabaseUrl, ReplicaSettings};
use crate::{migrations, postgres, sqlite};

/// Migrates the database to the newest schema. Several processes may migrate the same database at the same
/// time.
///
/// PostgreSQL requires tokio's multi-threaded runtime. The PostgreSQL URL must not be the address of a pooler
/// that shares sessions between connections.
///
/// # Errors
/// [`StoreError`] if the database cannot be reached, or if a migration fails. A failed migration changes
/// nothing.
pub async fn migrate(url: &str) -> Result<(), StoreError> {
    let migrated: Outcome<()> = match DatabaseUrl::parse(url) {
        DatabaseUrl::Sqlite(path) => migrations::migrate_sqlite_file(&path).await,
        // Without the box, the nested future types of the callers would exceed the compiler's limit for the
        // depth of a type.
        DatabaseUrl::Postgres(url) => Box::pin(migrations::migrate_postgres(&url)).await,
    };
    Ok(migrated?)
}

/// Migrates a PostgreSQL database and distributes its tables over the nodes of its Citus cluster. `shards` is
/// the number of shards, which this program cannot change later. `None` uses the setting of Citus. Tables
/// that are already distributed do not change. Returns the names of the tables that this call distributed.
///
/// # Errors
/// [`StoreError`] if the database cannot be reached, is not the coordinator of a cluster, or has tables with
/// another distribution. In these cases nothing is changed.
pub async fn distribute(url: &str, shards: Option<u32>) -> Result<Vec<&'static str>, StoreError> {
    use postgres::distributed;
    let way = postgres::connect::DatabaseConnector::from_url(url)?;
    let client = way.connect_client().await?;
    client.batch_execute(migrations::WITHOUT_TIMEOUTS_SQL).await.map_err(postgres::causes::query_failure)?;
    distributed::check_cluster_requirements(&client).await?;
    postgres::partition::check_partitionable(&client).await?;
    // The tables are distributed before the migration if some tables are already distributed. The migration
    // requires that each table has its required distribution.
    let mut tables = match distributed::has_distributed_tables(&client).await? {
        true => distributed::distribute_tables(&client, shards).await?,
        false => Vec::new(),
    };
    migrate(url).await?;
    tables.extend(distributed::distribute_tables(&client, shards).await?);
    Ok(tables)
}

/// Migrates a PostgreSQL database and divides its table `checks` into partitions by a hash of the company id.
/// With one partition, `checks` becomes a normal table again. Either all checks are moved or none.
///
/// # Errors
/// [`StoreError`] if the database cannot be reached, is distributed over several nodes, or is in constant
/// use. The same error is returned if an administrator has added an object to the table that would be lost,
/// such as a trigger. In all these cases nothing is changed.
pub async fn partition(url: &str, partitions: u32) -> Result<PartitionResult, StoreError> {
    let connector = postgres::connect::DatabaseConnector::from_url(url)?;
    postgres::pooler::require_session_pooling(&connector).await?;
    let client = connector.connect_client().await?;
    client.batch_execute(migrations::WITHOUT_TIMEOUTS_SQL).await.map_err(postgres::causes::query_failure)?;
    if postgres::distributed::has_distributed_tables(&client).await? {
        return Err(StoreError::Unavailable(
            "the database is distributed (Citus), so each node already has its own part of the checks, and \
             partitions are not possible"
                .into(),
        ));
    }
    migrate(url).await?;
    Ok(postgres::partition::partition_tables(&client, partitions).await?)
}

/// Opens a database, migrates it to the newest schema and verifies that the keys decrypt its secrets.
///
/// # Errors
/// [`OpenError`] with the reason.
pub async fn open(settings: DatabaseSettings) -> Result<Arc<dyn Store>, OpenError> {
    migrate(settings.direct_url.as_deref().unwrap_or(&settings.url)).await.map_err(OpenError::Store)?;
    let process = random_process_number(&*settings.randomness);
    let sealer = Arc::new(Sealer::new(settings.keys, settings.randomness));
    let failed = |failure: Failure| OpenError::Store(failure.into());
    let (store, keys): (Arc<dyn Store>, KeyCheckResult) = match DatabaseUrl::parse(&settings.url) {
        DatabaseUrl::Sqlite(path) => {
            let db = sqlite::Db::open(&path, settings.streams);
            if settings.is_exclusive {
                db.mark_wal_unsynced();
            }
            let store = sqlite::store::Store::new(db, sealer);
            let keys = store.check_keys().await.map_err(failed)?;
            store.lower_restored_transaction_ids().await.map_err(failed)?;
            if settings.is_exclusive {
                store.release_records_of_dead_processes().await.map_err(failed)?;
            }
            (Arc::new(store), keys)
        }
        DatabaseUrl::Postgres(url) => {
            let urls = postgres::DatabaseUrls { url, direct: settings.direct_url };
            let (connections, streams) = (settings.connections, settings.streams);
            let size =
                postgres::PoolSize { connections, node_connections: settings.node_connections, streams };
            let db = Box::pin(postgres::Db::open(&urls, size, process)).await;
            let db = db.map_err(failed)?;
            let store = postgres::store::Store::new(db, sealer);
            let keys = Box::pin(store.check_keys()).await.map_err(failed)?;
            Box::pin(store.lower_restored_transaction_ids()).await.map_err(failed)?;
            if settings.is_exclusive {
                Box::pin(store.release_records_of_dead_processes()).await.map_err(failed)?;
            }
            (Arc::new(store), keys)
        }
    };
    match keys {
        KeyCheckResult::All => Ok(store),
        KeyCheckResult::Others => Err(OpenError::WrongKeys),
        KeyCheckResult::Missing(missing) => Err(OpenError::MissingKeys(missing)),
    }
}

/// Opens a read-only replica of a PostgreSQL database: a standby that follows the primary. The schema and the
/// data of the replica come from the primary. `ping` reports an error while the replica is more than a minute
/// behind.
///
/// This function opens no connection, so an unresponsive server causes no error here.
///
/// # Errors
/// [`StoreError`] if the URL is not a PostgreSQL URL.
pub fn open_replica(url: &str, settings: ReplicaSettings) -> Result<Arc<dyn Store>, StoreError> {
    let ReplicaSettings { connections, streams, keys, randomness } = settings;
    let db = postgres::Db::open_replica(url, connections, streams)?;
    Ok(Arc::new(postgres::store::Store::new(db, Arc::new(Sealer::new(keys, randomness)))))
}

/// Returns a random number that identifies this process on the database. Two processes with the same number
/// could use each other's idempotency records until these records expire.
fn random_process_number(randomness: &dyn Randomness) -> i32 {
    let mut bytes = [0; 4];
    randomness.fill_with_random_bytes(&mut bytes);
    i32::from_le_bytes(bytes)
}

/// Finds all values that were encrypted with another key of the set, and re-encrypts them with the active
/// key. Each transaction changes a few rows, and a server may use the database at the same time. After an
/// interruption, the next call continues with the remaining rows. Rows that another writer changes at the
/// same time are skipped, because that writer uses the active key.
///
/// # Errors
/// The same errors as for [`open`].
pub async fn reseal(
    settings: DatabaseSettings,
    mut progress: impl FnMut(ResealProgress),
) -> Result<ResealProgress, OpenError> {
    let (url, direct) = (settings.url.clone(), settings.direct_url.clone());
    let keys = settings.keys.clone();
    let (connections, streams) = (settings.connections, settings.streams);
    let process = random_process_number(&*settings.randomness);
    let sealer = Arc::new(Sealer::new(keys, Arc::clone(&settings.randomness)));
    drop(open(settings).await?);
    let failed = |failure: Failure| OpenError::Store(failure.into());
    match DatabaseUrl::parse(&url) {
        DatabaseUrl::Sqlite(path) => {
            let store = sqlite::store::Store::new(sqlite::Db::open(&path, streams), sealer);
            store.reseal(&mut progress).await.map_err(failed)
        }
        DatabaseUrl::Postgres(url) => {
            let urls = postgres::DatabaseUrls { url, direct };
            let size = postgres::PoolSize { connections, node_connections: 0, streams };
            let db = Box::pin(postgres::Db::open(&urls, size, process)).await;
            let db = db.map_err(failed)?;
            let store = postgres::store::Store::new(db, sealer);
            Box::pin(store.reseal(&mut progress)).await.map_err(failed)
        }
    }
}
