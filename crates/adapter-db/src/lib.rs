//! Storage on SQLite (the embedded default) and PostgreSQL (for more than one machine).
//!
//! [`open`] is the only place that asks which database it is. Both databases compile the same
//! queries (`store`), each with its own `Conn`, `Db` and `dialect`; what a query says differently
//! is in the two `dialect` modules and nowhere else:
//!
//! | Written twice | Because |
//! |---|---|
//! | `Conn`, `Db` | SQLite runs a unit of work in one hop on a blocking thread, with one writer, who leaves room for other processes; PostgreSQL pools connections and sends independent statements together |
//! | `Db::queued` | on SQLite one process sends; on PostgreSQL any number, which notify each other by `NOTIFY` (`postgres/news.rs`) |
//! | `dialect::any!`, `dialect::list`, `dialect::numbers` | a list is an array on PostgreSQL, a JSON text on SQLite |
//! | `dialect::in_company!` | PostgreSQL may be distributed, and has to know the company of a statement; SQLite would take it for another index |
//! | `dialect::by_index` | PostgreSQL guesses what one of many owns, SQLite takes the index that fits |
//! | `dialect::lock_rows!` | SQLite has one writer, who needs no locks |
//! | `dialect::alone_among_parents` | SQLite has one writer, PostgreSQL an advisory lock |
//! | `dialect::bulk`, `dialect::bulk_update`, `dialect::erase` | PostgreSQL takes many rows as arrays in one statement, SQLite runs a prepared one for each |
//! | `dialect::feed`, `dialect::settle_restored` | PostgreSQL commits in another order than it hands out positions, and counts transactions for each cluster |
//! | `fan_out::tell` | PostgreSQL inserts events and their deliveries in one statement (with the row of the trail, where there is one of each), SQLite runs prepared ones for each event |
//! | `queue::CLAIM`, `queue::record` | PostgreSQL locks what it claims and passes over what is locked, and takes many results as arrays |
//! | `errors::failure` | PostgreSQL reports an SQLSTATE, SQLite has words |
//! | the migrations | collations, and tables without row ids |

#![expect(clippy::duplicate_mod, reason = "the queries are compiled once for each database")]

mod backup;
mod columns;
mod connections;
mod error;
mod fan_out;
mod fixed;
mod inspect;
#[cfg(test)]
mod migrated;
mod migrations;
#[cfg(test)]
mod plans;
mod postgres;
mod rows;
mod seal;
mod sqlite;
#[cfg(test)]
mod statements;
mod table;
mod texts;
mod transfer;
mod writable;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use payroll_ports::keys::LiveKeys;
use payroll_ports::{Randomness, Store, StoreError};

use crate::error::Outcome;
use crate::seal::Sealer;

pub use crate::backup::{Copied, back_up};
pub use crate::inspect::{
    EmbeddedInspection, Inspected, Inspection, PostgresInspection, inspect, replica_is_recent,
};
pub use crate::postgres::distributed::ClusterInspection;
pub use crate::postgres::partition::{MOST_PARTITIONS, Partitioned};
pub use crate::transfer::{Amounts, Anonymise, Move, MoveError, Moved, Progress, transfer};

/// Where the data is, and how it is used.
pub struct Settings {
    /// `postgres://…`, or the path of a SQLite file, with or without `sqlite:` before it. A file
    /// that is not there is made.
    pub url: String,
    /// The address of the same PostgreSQL database without a pooler, where a pooler lends its connections for
    /// one transaction: for migrations, and notifications between processes.
    pub direct_url: Option<String>,
    /// PostgreSQL connections of this process.
    pub connections: usize,
    /// Connections of this process to each machine that companies lie on, where the database is distributed; 0:
    /// everything goes through the coordinator.
    pub node_connections: usize,
    /// Long answers that may be under way at the same time; each holds a snapshot.
    pub streams: usize,
    /// No other process serves the database, as who has the lock of an embedded one knows: what a request
    /// was doing there before has ended.
    pub alone: bool,
    /// What seals the secrets at rest; it may be replaced meanwhile.
    pub keys: LiveKeys,
    /// Where nonces come from.
    pub randomness: Arc<dyn Randomness>,
}

/// Why a database was not opened.
#[derive(Debug)]
pub enum OpenError {
    /// The database belongs to another key set.
    WrongKeys,
    /// Rows need keys that the key set does not have.
    MissingKeys(Vec<MissingKey>),
    /// The database could not be reached, made or migrated.
    Store(StoreError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongKeys => f.write_str(
                "the keys are not those that this database was made with: its secrets cannot be opened",
            ),
            Self::MissingKeys(missing) => write!(
                f,
                "rows are sealed with keys that are not among its keys: {}. Put their lines back behind the \
                 others; `payroll-server key reseal` seals those rows anew, and then the keys can go",
                list_of_keys(missing)
            ),
            Self::Store(error) => error.fmt(f),
        }
    }
}

/// A key that is still needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKey {
    /// Its id.
    pub key_id: String,
    /// How many rows hold what it has sealed.
    pub rows: u64,
}

impl fmt::Display for MissingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = if self.rows == 1 { "row" } else { "rows" };
        write!(f, "{} ({} {rows})", self.key_id, self.rows)
    }
}

/// Keys that are still needed, one behind the other, for people.
#[must_use]
pub fn list_of_keys(missing: &[MissingKey]) -> String {
    missing.iter().map(MissingKey::to_string).collect::<Vec<_>>().join(", ")
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::WrongKeys | Self::MissingKeys(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}

/// Which database an address means.
enum Place {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Place {
    fn of(url: &str) -> Self {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Self::Postgres(url.to_owned());
        }
        Self::Sqlite(url.strip_prefix("sqlite:").unwrap_or(url).into())
    }
}

/// Whether the address is that of an embedded database, and then the path of its file.
#[must_use]
pub fn embedded_file(url: &str) -> Option<PathBuf> {
    match Place::of(url) {
        Place::Sqlite(path) => Some(path),
        Place::Postgres(_) => None,
    }
}

/// The version of the newest schema that this program knows.
#[must_use]
pub fn newest_schema_version() -> String {
    migrations::newest()
}

/// Brings the database up to date. Safe when several processes do it at once.
///
/// On PostgreSQL this needs tokio's multi-threaded runtime, and an address whose connections are sessions.
///
/// # Errors
/// [`StoreError`] when it cannot be reached, or a migration fails (which changes nothing).
pub async fn migrate(url: &str) -> Result<(), StoreError> {
    let migrated: Outcome<()> = match Place::of(url) {
        Place::Sqlite(path) => migrations::sqlite(&path).await,
        // Boxed, or the type of everything that opens a database would be too deep for the compiler.
        Place::Postgres(url) => Box::pin(migrations::postgres(&url)).await,
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
/// [`StoreError`] when it cannot be reached, is distributed over several nodes, somebody has added to the table what
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
    let failed = |failure: error::Failure| OpenError::Store(failure.into());
    let (store, keys): (Arc<dyn Store>, KeysFound) = match Place::of(&settings.url) {
        Place::Sqlite(path) => {
            let store = sqlite::store::Store::new(sqlite::Db::open(&path, settings.streams), sealer);
            let keys = store.accepts_keys().await.map_err(failed)?;
            store.settle_restored().await.map_err(failed)?;
            if settings.alone {
                store.release_marks_of_the_dead().await.map_err(failed)?;
            }
            (Arc::new(store), keys)
        }
        Place::Postgres(url) => {
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
/// replica is more than a minute behind; an address that does not answer at present is no error here.
///
/// # Errors
/// [`StoreError`] for what is no address of PostgreSQL.
pub fn open_replica(url: &str, settings: ReplicaSettings) -> Result<Arc<dyn Store>, StoreError> {
    let ReplicaSettings { connections, streams, keys, randomness } = settings;
    let db = postgres::Db::open_replica(url, connections, streams)?;
    Ok(Arc::new(postgres::store::Store::new(db, Arc::new(Sealer::new(keys, randomness)))))
}

/// How a replica is read.
pub struct ReplicaSettings {
    /// Connections of this process.
    pub connections: usize,
    /// Long responses that may be under way at the same time; each holds a snapshot.
    pub streams: usize,
    /// What the secrets at rest were sealed with.
    pub keys: LiveKeys,
    /// Where nonces come from; none is needed.
    pub randomness: Arc<dyn Randomness>,
}

/// A number that no other process on the database is likely to have. Where two have the same, each takes
/// the other for itself: the marks that one leaves behind end by themselves.
fn process_number(randomness: &dyn Randomness) -> i32 {
    let mut bytes = [0; 4];
    randomness.fill(&mut bytes);
    i32::from_le_bytes(bytes)
}

/// Whether the keys of the key set open what a database holds.
pub(crate) enum KeysFound {
    /// They open everything.
    All,
    /// They are those of another database.
    Others,
    /// Some are missing.
    Missing(Vec<MissingKey>),
}

/// How far sealing anew has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resealed {
    /// Rows that were looked at.
    pub rows: u64,
    /// Of these, rows that another key had sealed, and the active one has now.
    pub sealed: u64,
}

/// Seals everything anew with the active key that another one of the set has sealed, a few rows in a
/// transaction, beside a server that serves the database. What is sealed stays so: when it is interrupted,
/// the next call does the rest. What is written meanwhile is left alone; its writer
/// seals it.
///
/// # Errors
/// Those of [`open`].
pub async fn reseal(settings: Settings, mut progress: impl FnMut(Resealed)) -> Result<Resealed, OpenError> {
    let (url, direct) = (settings.url.clone(), settings.direct_url.clone());
    let keys = settings.keys.clone();
    let (connections, streams) = (settings.connections, settings.streams);
    let process = process_number(&*settings.randomness);
    let sealer = Arc::new(Sealer::new(keys, Arc::clone(&settings.randomness)));
    drop(open(settings).await?);
    let failed = |failure: error::Failure| OpenError::Store(failure.into());
    match Place::of(&url) {
        Place::Sqlite(path) => {
            let store = sqlite::store::Store::new(sqlite::Db::open(&path, streams), sealer);
            store.reseal(&mut progress).await.map_err(failed)
        }
        Place::Postgres(url) => {
            let place = postgres::Place { url, direct };
            let size = postgres::Size { connections, node_connections: 0, streams };
            let db = Box::pin(postgres::Db::open(&place, size, process)).await;
            let db = db.map_err(failed)?;
            let store = postgres::store::Store::new(db, sealer);
            Box::pin(store.reseal(&mut progress)).await.map_err(failed)
        }
    }
}
