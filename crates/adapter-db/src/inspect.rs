//! What a database reports about itself, for a check whether all is well. Nothing is changed: no file
//! is made, no schema is brought up to date, no key is noted.
//!
//! Not here: what is good and what is not, which the caller decides.

use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use payroll_ports::keys::KeySet;
use payroll_ports::{Randomness, StoreError};
use tokio_postgres::Client;

use crate::error::{Failure, Outcome};
use crate::keys::MissingKey;
use crate::migrations;
use crate::postgres::connect::Way;
use crate::postgres::distributed::ClusterInspection;
use crate::postgres::durability::{self, Weakness};
use crate::postgres::news::RECENT;
use crate::postgres::pooler::Lending;
use crate::postgres::{distributed, partition, pooler};
use crate::seal::{CANARIES, ROWS_OF_KEY, Sealer, texts_of};
use crate::settings::DatabaseUrl;
use crate::sqlite::errors::failure;

/// Addresses of hooks that are reported at most: enough to see whether names can be resolved.
const MOST_ADDRESSES: u32 = 50;
/// Where the version of the schema stands, once there is one.
const VERSION: &str = "SELECT max(version) AS text FROM __diesel_schema_migrations";
/// The instant of the last change.
const LAST_CHANGE: &str = "SELECT max(at) AS number FROM audit";
/// Archives whose files are named at most: the newest, as many as are read again in some minutes.
const MOST_ARCHIVES: u32 = 200;
const TRY_TO_WRITE: &str = "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE; ROLLBACK";

/// The settings of an inspection.
pub struct Inspected {
    /// The database, which must be there.
    pub url: String,
    /// The address of the same PostgreSQL database without a pooler, if there is one.
    pub direct_url: Option<String>,
    /// The nodes of a distributed database are connected to as well.
    pub nodes_too: bool,
    /// The keys, if there are any.
    pub keys: Option<KeySet>,
    /// Where nonces come from; none is needed.
    pub randomness: std::sync::Arc<dyn Randomness>,
}

/// The findings about a database.
#[derive(Debug, Clone, Default)]
pub struct Inspection {
    /// The version of the schema; absent where there is none yet.
    pub schema_version: Option<String>,
    /// Whether the keys open what is sealed; absent where there is nothing sealed, or no key.
    pub keys_fit: Option<bool>,
    /// Keys that rows need, and that are not among the keys.
    pub missing_keys: Vec<MissingKey>,
    /// The instant of the last change, in microseconds since 1970.
    pub last_change: Option<i64>,
    /// Addresses of active hooks.
    pub hook_addresses: Vec<String>,
    /// The newest archives of checks: company, pay period, and the SHA-256 of the file, separated by spaces.
    pub archives: Vec<String>,
    /// What only an embedded database reports.
    pub embedded: Option<EmbeddedInspection>,
    /// What only PostgreSQL reports.
    pub postgres: Option<PostgresInspection>,
}

/// Of an embedded database.
#[derive(Debug, Clone)]
pub struct EmbeddedInspection {
    /// How it is written: `wal` once a server has opened it.
    pub journal_mode: String,
    /// Why nothing can be written, if nothing can.
    pub not_writable: Option<String>,
}

/// Of a PostgreSQL server and the session that it gives.
#[derive(Debug, Clone)]
pub struct PostgresInspection {
    /// Its version, as 170002 for 17.2.
    pub version: i32,
    /// Settings with which commits can be lost in a power cut.
    pub weaknesses: Vec<Weakness>,
    /// Connections that it takes from users who are not superusers.
    pub max_connections: i64,
    /// Those that are taken.
    pub connections: i64,
    /// It is a standby, which takes no writes.
    pub standby: bool,
    /// How it stores text: `UTF8`.
    pub encoding: String,
    /// Its clock, in microseconds since 1970.
    pub clock: i64,
    /// New tables can be made.
    pub may_create: bool,
    /// Transactions that have changed something and are older than five minutes.
    pub old_transactions: i64,
    /// The pooler before it, by its name and version, if it reports them.
    pub pooler: Option<String>,
    /// A connection is another session in each transaction.
    pub lends_for_transactions: bool,
    /// The partitions that its checks are divided into; 1 where they are one table.
    pub partitions: u32,
    /// The machines that its tables are distributed over, where they are.
    pub cluster: Option<ClusterInspection>,
}

/// Inspects a database without changing it.
///
/// # Errors
/// [`StoreError::Unavailable`] when it cannot be reached, [`StoreError::Bug`] when it is none of ours.
pub async fn inspect(wanted: Inspected) -> Result<Inspection, StoreError> {
    let sealer = wanted.keys.map(|keys| Sealer::new(keys.into(), wanted.randomness));
    let inspection = match DatabaseUrl::of(&wanted.url) {
        DatabaseUrl::Sqlite(path) => {
            let inspected = tokio::task::spawn_blocking(move || embedded(path, sealer.as_ref())).await;
            inspected.unwrap_or_else(|error| Err(Failure::Bug(error.to_string())))?
        }
        DatabaseUrl::Postgres(url) => {
            let mut found = on_postgres(&url, wanted.direct_url.as_deref(), sealer.as_ref()).await?;
            let cluster = found.postgres.as_mut().and_then(|found| found.cluster.as_mut());
            if let Some(cluster) = cluster.filter(|_| wanted.nodes_too) {
                let way = Way::of(wanted.direct_url.as_deref().unwrap_or(&url))?;
                cluster.unreachable = distributed::unreachable(&way, &cluster.nodes).await?;
            }
            found
        }
    };
    Ok(inspection)
}

/// Whether a replica shows what is at most a minute old.
///
/// # Errors
/// [`StoreError::Unavailable`] when it cannot be reached, [`StoreError::Bug`] when it is none of ours.
pub async fn replica_is_recent(url: &str) -> Result<bool, StoreError> {
    let client = Way::of(url)?.bare().await?;
    let row = client.query_one(RECENT, &[]).await.map_err(failed)?;
    Ok(row.try_get::<_, Option<bool>>(1).map_err(failed)?.unwrap_or_default())
}

fn keys_fit(canaries: &[(String, String)], sealer: Option<&Sealer>) -> Option<bool> {
    sealer.filter(|_| !canaries.is_empty()).map(|sealer| sealer.fits(canaries))
}

fn unknown(canaries: &[(String, String)], sealer: Option<&Sealer>) -> Vec<String> {
    sealer.map(|sealer| sealer.unknown(canaries)).unwrap_or_default()
}

fn missing(key_id: String, rows: i64) -> Option<MissingKey> {
    let rows = u64::try_from(rows).ok().filter(|rows| *rows > 0)?;
    Some(MissingKey { key_id, rows })
}

fn addresses() -> String {
    format!("SELECT DISTINCT uri AS text FROM hooks WHERE active LIMIT {MOST_ADDRESSES}")
}

/// The newest archives. A schema that is not up to date may have none.
fn archives() -> String {
    format!(
        "SELECT company_id || ' ' || pay_period_id || ' ' || sha256 AS text FROM check_archives \
         WHERE archived IS NOT NULL ORDER BY archived DESC LIMIT {MOST_ARCHIVES}"
    )
}

#[derive(QueryableByName)]
struct Words {
    #[diesel(sql_type = Nullable<Text>)]
    text: Option<String>,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
}

#[derive(QueryableByName)]
struct Canary {
    #[diesel(sql_type = Text)]
    key_id: String,
    #[diesel(sql_type = Text)]
    sealed: String,
}

fn embedded(path: PathBuf, sealer: Option<&Sealer>) -> Outcome<Inspection> {
    const KNOWN: &str = "SELECT name AS text FROM sqlite_schema WHERE name IN ('__diesel_schema_migrations', 'audit', 'hooks')";
    let mut connection = open(&path)?;
    let not_writable = connection.batch_execute(TRY_TO_WRITE).err().map(|error| error.to_string());
    let journal_mode = words(&mut connection, "SELECT journal_mode AS text FROM pragma_journal_mode")?.pop();
    let embedded = Some(EmbeddedInspection { journal_mode: journal_mode.unwrap_or_default(), not_writable });
    if words(&mut connection, KNOWN)?.len() < 3 {
        return Ok(Inspection { embedded, ..Inspection::default() });
    }
    let canaries: Vec<Canary> = diesel::sql_query(CANARIES).load(&mut connection).map_err(failure)?;
    let canaries: Vec<_> = canaries.into_iter().map(|canary| (canary.key_id, canary.sealed)).collect();
    let mut missing_keys = Vec::new();
    for key_id in unknown(&canaries, sealer) {
        let [from, before] = texts_of(&key_id);
        let counting = diesel::sql_query(ROWS_OF_KEY).bind::<Text, _>(from).bind::<Text, _>(before);
        let rows: Number = counting.get_result(&mut connection).map_err(failure)?;
        missing_keys.extend(missing(key_id, rows.number.unwrap_or_default()));
    }
    let last: Number = diesel::sql_query(LAST_CHANGE).get_result(&mut connection).map_err(failure)?;
    let schema_version = words(&mut connection, VERSION)?.pop();
    let is_current = schema_version.as_deref() == Some(migrations::newest().as_str());
    Ok(Inspection {
        archives: if is_current { words(&mut connection, &archives())? } else { Vec::new() },
        schema_version,
        keys_fit: keys_fit(&canaries, sealer),
        missing_keys,
        last_change: last.number,
        hook_addresses: words(&mut connection, &addresses())?,
        embedded,
        postgres: None,
    })
}

fn open(path: &Path) -> Outcome<SqliteConnection> {
    SqliteConnection::establish(&path.to_string_lossy())
        .map_err(|error| Failure::Unavailable(error.to_string()))
}

fn words(connection: &mut SqliteConnection, sql: &str) -> Outcome<Vec<String>> {
    let lines: Vec<Words> = diesel::sql_query(sql).load(connection).map_err(failure)?;
    Ok(lines.into_iter().filter_map(|line| line.text).collect())
}

async fn on_postgres(url: &str, direct: Option<&str>, sealer: Option<&Sealer>) -> Outcome<Inspection> {
    const KNOWN: &str = "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL \
        AND to_regclass('audit') IS NOT NULL AND to_regclass('hooks') IS NOT NULL";
    let way = Way::of(url)?;
    let pooler = pooler::version(&way).await;
    let (way, lends_for_transactions) = match direct.map(Way::of).transpose()? {
        None => {
            pooler::refuse_shared(&way).await?;
            (way, false)
        }
        Some(direct) => {
            pooler::refuse_shared(&direct).await?;
            let lending = pooler::lending_beside(&way, &direct).await?;
            (direct, lending == Lending::Transaction)
        }
    };
    let client = way.client().await?;
    let cluster = distributed::inspect(&client).await?;
    let partitions = partition::partitions(&client).await?;
    let found = server(&client).await.map_err(failed)?;
    let weaknesses = durability::of_server(&client).await?;
    let postgres =
        Some(PostgresInspection { weaknesses, pooler, lends_for_transactions, cluster, partitions, ..found });
    let known: bool = client.query_one(KNOWN, &[]).await.and_then(|row| row.try_get(0)).map_err(failed)?;
    if !known {
        return Ok(Inspection { postgres, ..Inspection::default() });
    }
    let canaries = client.query(CANARIES, &[]).await.map_err(failed)?;
    let canaries: Result<Vec<(String, String)>, _> =
        canaries.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect();
    let canaries = canaries.map_err(failed)?;
    let mut missing_keys = Vec::new();
    for key_id in unknown(&canaries, sealer) {
        let [from, before] = texts_of(&key_id);
        let row = client.query_one(ROWS_OF_KEY, &[&from, &before]).await.map_err(failed)?;
        missing_keys.extend(missing(key_id, row.try_get(0).map_err(failed)?));
    }
    let one = async |sql: &str| client.query_one(sql, &[]).await.map_err(failed);
    let addresses = client.query(&addresses(), &[]).await.map_err(failed)?;
    let addresses: Result<_, _> = addresses.iter().map(|row| row.try_get(0)).collect();
    let schema_version: Option<String> = one(VERSION).await?.try_get(0).map_err(failed)?;
    let is_current = schema_version.as_deref() == Some(migrations::newest().as_str());
    // Archives lie on all nodes: while one does not respond, they cannot be listed.
    let cluster = postgres.as_ref().and_then(|it| it.cluster.as_ref());
    let lists_archives = is_current && cluster.is_none_or(|it| it.silent.is_empty());
    let archives =
        if lists_archives { client.query(&archives(), &[]).await.map_err(failed)? } else { Vec::new() };
    let archives: Result<_, _> = archives.iter().map(|row| row.try_get(0)).collect();
    Ok(Inspection {
        schema_version,
        archives: archives.map_err(failed)?,
        keys_fit: keys_fit(&canaries, sealer),
        missing_keys,
        last_change: one(LAST_CHANGE).await?.try_get(0).map_err(failed)?,
        hook_addresses: addresses.map_err(failed)?,
        embedded: None,
        postgres,
    })
}

async fn server(client: &Client) -> Result<PostgresInspection, tokio_postgres::Error> {
    const SETTINGS: &str = "SELECT current_setting('server_version_num')::int4, \
        current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8, \
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), \
        pg_is_in_recovery(), current_setting('server_encoding'), \
        (extract(epoch FROM clock_timestamp()) * 1000000)::int8, \
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), FALSE), \
        (SELECT count(*) FROM pg_stat_activity \
            WHERE backend_xid IS NOT NULL AND xact_start < now() - interval '5 minutes')";
    let row = client.query_one(SETTINGS, &[]).await?;
    Ok(PostgresInspection {
        version: row.try_get(0)?,
        weaknesses: Vec::new(),
        max_connections: row.try_get(1)?,
        connections: row.try_get(2)?,
        standby: row.try_get(3)?,
        encoding: row.try_get(4)?,
        clock: row.try_get(5)?,
        may_create: row.try_get(6)?,
        old_transactions: row.try_get(7)?,
        pooler: None,
        lends_for_transactions: false,
        partitions: 1,
        cluster: None,
    })
}

fn failed(error: tokio_postgres::Error) -> Failure {
    let reported = error.as_db_error().map(|reported| reported.message().to_owned());
    Failure::Unavailable(reported.unwrap_or_else(|| error.to_string()))
}
