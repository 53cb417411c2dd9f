//! Opening a database, and what is done to all of it by command: migrating, distributing, dividing it into
//! partitions, sealing anew.

use std::sync::Arc;

use payroll_ports::{Randomness, Store, StoreError};

use crate::error::{Failure, Outcome};
use crate::keys::{KeysFound, OpenError, Resealed};
use crate::postgres::partition::Partitioned;
use crate::seal::Sealer;
use crate::settings::{DatabaseUrl, ReplicaSettings, Settings};
use crate::{migrations, postgres, sqlite};

/// Brings the database up to date. Safe when several processes do it at once.
///
/// On PostgreSQL this needs tokio's multi-threaded runtime, and an address whose connections are sessions.
///
/// # Errors
/// [`StoreError`] when it cannot be reached, or a migration fails (which changes nothing).
pub async fn migrate(url: &str) -> Result<(), StoreError> {
    let migrated: Outcome<()> = match DatabaseUrl::of(url) {
        DatabaseUrl::Sqlite(path) => migrations::sqlite(&path).await,
        // Boxed, or the type of everything that opens a database would be too deep for the compiler.
        DatabaseUrl::Postgres(url) => Box::pin(migrations::postgres(&url)).await,
    };
    Ok(migrated?)
}

/// Brings a PostgreSQL database up to date and distributes its tables over the nodes of its cluster, by the
/// extension Citus: over that number of shards, which this program cannot change later, or what Citus is set to.
/// What is distributed already stays. Returns the names of the tables that it has distributed.
///
/// # Errors
/// [`StoreError`] when it cannot be reached, is no coordinator of a cluster, or its tables are distributed in
/// another way. Nothing is changed then.
pub async fn distribute(url: &str, shards: Option<u32>) -> Result<Vec<&'static str>, StoreError> {
    use postgres::distributed;
    let way = postgres::connect::Way::of(url)?;
    let client = way.client().await?;
    client.batch_execute(migrations::PATIENCE).await.map_err(postgres::causes::failed)?;
    distributed::may_begin(&client).await?;
    postgres::partition::refuse(&client).await?;
    // A distributed database is migrated only where each table lies as it has to.
    let mut tables = match distributed::is_begun(&client).await? {
        true => distributed::distribute(&client, shards).await?,
        false => Vec::new(),
    };
    migrate(url).await?;
    tables.extend(distributed::distribute(&client, shards).await?);
    Ok(tables)
}

/// Brings a PostgreSQL database up to date and divides its checks into that number of partitions, companies by a
/// hash of their ids; 1 makes one table of them again. All checks are moved, or none.
///
/// # Errors
/// [`StoreError`] when it cannot be reached, is distributed over several nodes, the table has additions that
/// it would lose, or others use it all the time. Nothing is changed then.
pub async fn partition(url: &str, partitions: u32) -> Result<Partitioned, StoreError> {
    let way = postgres::connect::Way::of(url)?;
    postgres::pooler::refuse_shared(&way).await?;
    let client = way.client().await?;
    client.batch_execute(migrations::PATIENCE).await.map_err(postgres::causes::failed)?;
    if postgres::distributed::is_begun(&client).await? {
        return Err(StoreError::Unavailable(
            "its tables are distributed over several machines (Citus), each of which has its own part of the \
             checks already"
                .into(),
        ));
    }
    migrate(url).await?;
    Ok(postgres::partition::partition(&client, partitions).await?)
}

/// Opens a database, brings it up to date and makes sure that its secrets can be opened.
///
/// # Errors
/// [`OpenError`] says what is wrong.
pub async fn open(settings: Settings) -> Result<Arc<dyn Store>, OpenError> {
    migrate(settings.direct_url.as_deref().unwrap_or(&settings.url)).await.map_err(OpenError::Store)?;
    let process = process_number(&*settings.randomness);
    let sealer = Arc::new(Sealer::new(settings.keys, settings.randomness));
    let failed = |failure: Failure| OpenError::Store(failure.into());
    let (store, keys): (Arc<dyn Store>, KeysFound) = match DatabaseUrl::of(&settings.url) {
        DatabaseUrl::Sqlite(path) => {
            let db = sqlite::Db::open(&path, settings.streams);
            if settings.alone {
                db.doubt_log();
            }
            let store = sqlite::store::Store::new(db, sealer);
            let keys = store.accepts_keys().await.map_err(failed)?;
            store.settle_restored().await.map_err(failed)?;
            if settings.alone {
                store.release_marks_of_the_dead().await.map_err(failed)?;
            }
            (Arc::new(store), keys)
        }
        DatabaseUrl::Postgres(url) => {
            let place = postgres::Place { url, direct: settings.direct_url };
            let (connections, streams) = (settings.connections, settings.streams);
            let size = postgres::Size { connections, node_connections: settings.node_connections, streams };
            let db = Box::pin(postgres::Db::open(&place, size, process)).await;
            let db = db.map_err(failed)?;
            let store = postgres::store::Store::new(db, sealer);
            let keys = Box::pin(store.accepts_keys()).await.map_err(failed)?;
            Box::pin(store.settle_restored()).await.map_err(failed)?;
            if settings.alone {
                Box::pin(store.release_marks_of_the_dead()).await.map_err(failed)?;
            }
            (Arc::new(store), keys)
        }
    };
    match keys {
        KeysFound::All => Ok(store),
        KeysFound::Others => Err(OpenError::WrongKeys),
        KeysFound::Missing(missing) => Err(OpenError::MissingKeys(missing)),
    }
}

/// Opens a replica of a PostgreSQL database, from which is only read: a standby that follows the primary. Its
/// schema and its keys are those of the primary, and come with the data. `pulse` reports an error while the
/// replica is more than a minute behind; an address that does not respond at present is no error here.
///
/// # Errors
/// [`StoreError`] for what is no address of PostgreSQL.
pub fn open_replica(url: &str, settings: ReplicaSettings) -> Result<Arc<dyn Store>, StoreError> {
    let ReplicaSettings { connections, streams, keys, randomness } = settings;
    let db = postgres::Db::open_replica(url, connections, streams)?;
    Ok(Arc::new(postgres::store::Store::new(db, Arc::new(Sealer::new(keys, randomness)))))
}

/// A number that no other process on the database is likely to have. Where two have the same, each takes
/// the other for itself: the marks that one leaves behind end by themselves.
fn process_number(randomness: &dyn Randomness) -> i32 {
    let mut bytes = [0; 4];
    randomness.fill(&mut bytes);
    i32::from_le_bytes(bytes)
}

/// Seals everything anew with the active key that another one of the set has sealed, a few rows in a
/// transaction, next to a server that serves the database. What is sealed stays so: when it is interrupted,
/// the next call does the rest. What is written meanwhile is left alone; its writer
/// seals it.
///
/// # Errors
/// The same as those of [`open`].
pub async fn reseal(settings: Settings, mut progress: impl FnMut(Resealed)) -> Result<Resealed, OpenError> {
    let (url, direct) = (settings.url.clone(), settings.direct_url.clone());
    let keys = settings.keys.clone();
    let (connections, streams) = (settings.connections, settings.streams);
    let process = process_number(&*settings.randomness);
    let sealer = Arc::new(Sealer::new(keys, Arc::clone(&settings.randomness)));
    drop(open(settings).await?);
    let failed = |failure: Failure| OpenError::Store(failure.into());
    match DatabaseUrl::of(&url) {
        DatabaseUrl::Sqlite(path) => {
            let store = sqlite::store::Store::new(sqlite::Db::open(&path, streams), sealer);
            store.reseal(&mut progress).await.map_err(failed)
        }
        DatabaseUrl::Postgres(url) => {
            let place = postgres::Place { url, direct };
            let size = postgres::Size { connections, node_connections: 0, streams };
            let db = Box::pin(postgres::Db::open(&place, size, process)).await;
            let db = db.map_err(failed)?;
            let store = postgres::store::Store::new(db, sealer);
            Box::pin(store.reseal(&mut progress)).await.map_err(failed)
        }
    }
}
