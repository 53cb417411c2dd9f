//! Reports the state of a database for diagnostics, without changing anything. An inspection creates no file,
//! runs no migration and stores no canary for the keys.
//!
//! The caller decides which findings are problems.

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
use crate::postgres::connect::DatabaseConnector;
use crate::postgres::distributed::ClusterInspection;
use crate::postgres::durability::{self, DurabilityWeakness};
use crate::postgres::notifications::SELECT_IS_CURRENT;
use crate::postgres::pooler::PoolingMode;
use crate::postgres::{distributed, partition, pooler};
use crate::seal::{COUNT_ROWS_OF_KEY, SELECT_CANARIES, Sealer, ciphertext_bounds};
use crate::settings::DatabaseUrl;
use crate::sqlite::errors::to_failure;

/// The maximum number of hook addresses in the report. The report is used to verify that host names can be
/// resolved, and a sample suffices for this.
const MAX_REPORTED_HOOK_ADDRESSES: u32 = 50;
/// Reads the schema version. This query requires that a schema exists.
const SELECT_SCHEMA_VERSION: &str = "SELECT max(version) AS text FROM __diesel_schema_migrations";
/// Reads the instant of the last change, which is the newest entry of the audit log.
const SELECT_LAST_CHANGE: &str = "SELECT max(at) AS number FROM audit";
/// The maximum number of archives in the report. The newest archives are reported. Verifying the files of 200
/// archives takes some minutes.
const MAX_REPORTED_ARCHIVES: u32 = 200;
/// The maximum size in bytes of a database file whose structure is verified. The verification reads the
/// complete file, which takes some seconds for this size.
const MAX_CHECKED_BYTES: u64 = 1024 * 1024 * 1024;
const TRY_TO_WRITE: &str = "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE; ROLLBACK";

/// The database to inspect: its URLs and the keys for its values.
pub struct InspectionTarget {
    /// The URL of the database, which must exist.
    pub url: String,
    /// The URL of the same PostgreSQL database without a pooler. `None` if no such URL is configured.
    pub direct_url: Option<String>,
    /// Whether to connect to the nodes of a distributed database as well.
    pub nodes_too: bool,
    /// The keys that decrypt stored values. `None` if no keys are configured.
    pub keys: Option<KeySet>,
    /// The source of nonces for encryption. An inspection encrypts nothing, but the cipher cannot be created
    /// without a source of nonces.
    pub randomness: std::sync::Arc<dyn Randomness>,
}

/// The findings about a database.
#[derive(Debug, Clone, Default)]
pub struct Inspection {
    /// The version of the schema. `None` if the database has no schema yet.
    pub schema_version: Option<String>,
    /// Whether the keys decrypt the canaries of the database. A canary is a stored text that shows whether a
    /// key belongs to the database. `None` if there are no canaries or no keys.
    pub keys_fit: Option<bool>,
    /// The keys that rows need and that the key set does not have.
    pub missing_keys: Vec<MissingKey>,
    /// The instant of the last change, in microseconds since 1970.
    pub last_change: Option<i64>,
    /// The addresses of active hooks.
    pub hook_addresses: Vec<String>,
    /// The newest archives of checks: company, pay period, and the SHA-256 of the file, separated by spaces.
    pub archives: Vec<String>,
    /// Findings that only an embedded database has.
    pub embedded: Option<EmbeddedInspection>,
    /// Findings that only PostgreSQL has.
    pub postgres: Option<PostgresInspection>,
}

/// The findings about an embedded database.
#[derive(Debug, Clone)]
pub struct EmbeddedInspection {
    /// The journal mode of the file: `wal` after a server has opened it. Empty if the structure of the file
    /// has errors.
    pub journal_mode: String,
    /// The reason why the file cannot be written. `None` if the file can be written.
    pub not_writable: Option<String>,
    /// The first errors in the structure of the file, empty if there are none. `None` if the structure was
    /// not verified, for example because the file is too large.
    pub damage: Option<Vec<String>>,
}

/// The findings about a PostgreSQL server and a session on it.
#[derive(Debug, Clone)]
pub struct PostgresInspection {
    /// The version of the server, such as 170002 for 17.2.
    pub version: i32,
    /// The settings of the server with which committed changes can be lost in a power failure.
    pub weaknesses: Vec<DurabilityWeakness>,
    /// The maximum number of connections for users who are not superusers.
    pub max_connections: i64,
    /// The number of open connections.
    pub connections: i64,
    /// Whether the server is a standby, which rejects writes.
    pub standby: bool,
    /// The encoding of text, such as `UTF8`.
    pub encoding: String,
    /// The server's clock, in microseconds since 1970.
    pub clock: i64,
    /// Whether the database user may create tables.
    pub may_create: bool,
    /// The number of open transactions that have changed data and are older than five minutes.
    pub old_transactions: i64,
    /// The name and version of the pooler in front of the server, if it reports them.
    pub pooler: Option<String>,
    /// Whether each transaction of a connection may run in a different session. A pooler in transaction mode
    /// causes this.
    pub transaction_pooling: bool,
    /// The number of partitions of the checks table. 1 if the table is not partitioned.
    pub partitions: u32,
    /// The cluster over which the tables are distributed. `None` if they are not distributed.
    pub cluster: Option<ClusterInspection>,
}

/// Inspects a database without changing it.
///
/// # Errors
/// [`StoreError::Unavailable`] if the database cannot be reached. [`StoreError::Bug`] if the database does
/// not belong to this program.
pub async fn inspect(target: InspectionTarget) -> Result<Inspection, StoreError> {
    let sealer = target.keys.map(|keys| Sealer::new(keys.into(), target.randomness));
    let inspection = match DatabaseUrl::parse(&target.url) {
        DatabaseUrl::Sqlite(path) => {
            let inspected =
                tokio::task::spawn_blocking(move || inspect_embedded(path, sealer.as_ref())).await;
            inspected.unwrap_or_else(|error| Err(Failure::Bug(error.to_string())))?
        }
        DatabaseUrl::Postgres(url) => {
            let mut found = inspect_postgres(&url, target.direct_url.as_deref(), sealer.as_ref()).await?;
            let cluster = found.postgres.as_mut().and_then(|found| found.cluster.as_mut());
            if let Some(cluster) = cluster.filter(|_| target.nodes_too) {
                let way = DatabaseConnector::from_url(target.direct_url.as_deref().unwrap_or(&url))?;
                cluster.unreachable = distributed::find_unreachable_nodes(&way, &cluster.nodes).await?;
            }
            found
        }
    };
    Ok(inspection)
}

/// Returns whether a replica is at most one minute behind its primary.
///
/// # Errors
/// [`StoreError::Unavailable`] if the replica cannot be reached. [`StoreError::Bug`] if the database does not
/// belong to this program.
pub async fn is_replica_recent(url: &str) -> Result<bool, StoreError> {
    let client = DatabaseConnector::from_url(url)?.connect_without_session().await?;
    let row = client.query_one(SELECT_IS_CURRENT, &[]).await.map_err(unavailable_failure)?;
    Ok(row.try_get::<_, Option<bool>>(1).map_err(unavailable_failure)?.unwrap_or_default())
}

fn can_decrypt_canaries(canaries: &[(String, String)], sealer: Option<&Sealer>) -> Option<bool> {
    sealer.filter(|_| !canaries.is_empty()).map(|sealer| sealer.can_decrypt_canaries(canaries))
}

fn unknown_key_ids(canaries: &[(String, String)], sealer: Option<&Sealer>) -> Vec<String> {
    sealer.map(|sealer| sealer.unknown_key_ids(canaries)).unwrap_or_default()
}

fn to_missing_key(key_id: String, rows: i64) -> Option<MissingKey> {
    let rows = u64::try_from(rows).ok().filter(|rows| *rows > 0)?;
    Some(MissingKey { key_id, rows })
}

fn hook_addresses_query() -> String {
    format!("SELECT DISTINCT uri AS text FROM hooks WHERE active LIMIT {MAX_REPORTED_HOOK_ADDRESSES}")
}

/// Returns the query for the newest archives. Run the query only on the newest schema, because an older
/// schema may lack the table of archives.
fn archives_query() -> String {
    format!(
        "SELECT company_id || ' ' || pay_period_id || ' ' || sha256 AS text FROM check_archives \
         WHERE archived IS NOT NULL ORDER BY archived DESC LIMIT {MAX_REPORTED_ARCHIVES}"
    )
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = Nullable<Text>)]
    text: Option<String>,
}

#[derive(QueryableByName)]
struct NumberRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
}

#[derive(QueryableByName)]
struct CanaryRow {
    #[diesel(sql_type = Text)]
    key_id: String,
    #[diesel(sql_type = Text)]
    sealed: String,
}

fn inspect_embedded(path: PathBuf, sealer: Option<&Sealer>) -> Outcome<Inspection> {
    const SELECT_KNOWN_TABLES: &str = "SELECT name AS text FROM sqlite_schema WHERE name IN ('__diesel_schema_migrations', 'audit', 'hooks')";
    let mut connection = open_embedded_database(&path)?;
    let not_writable = connection.batch_execute(TRY_TO_WRITE).err().map(|error| error.to_string());
    let damage = find_damage(&path, &mut connection);
    if damage.as_ref().is_some_and(|damage| !damage.is_empty()) {
        // In a damaged file, all other queries would fail. The inspection therefore ends here.
        let embedded = EmbeddedInspection { journal_mode: String::new(), not_writable, damage };
        return Ok(Inspection { embedded: Some(embedded), ..Inspection::default() });
    }
    let journal_mode =
        query_strings(&mut connection, "SELECT journal_mode AS text FROM pragma_journal_mode")?.pop();
    let journal_mode = journal_mode.unwrap_or_default();
    let embedded = Some(EmbeddedInspection { journal_mode, not_writable, damage });
    if query_strings(&mut connection, SELECT_KNOWN_TABLES)?.len() < 3 {
        return Ok(Inspection { embedded, ..Inspection::default() });
    }
    let canaries: Vec<CanaryRow> =
        diesel::sql_query(SELECT_CANARIES).load(&mut connection).map_err(to_failure)?;
    let canaries: Vec<_> = canaries.into_iter().map(|canary| (canary.key_id, canary.sealed)).collect();
    let mut missing_keys = Vec::new();
    for key_id in unknown_key_ids(&canaries, sealer) {
        let [from, before] = ciphertext_bounds(&key_id);
        let counting = diesel::sql_query(COUNT_ROWS_OF_KEY).bind::<Text, _>(from).bind::<Text, _>(before);
        let rows: NumberRow = counting.get_result(&mut connection).map_err(to_failure)?;
        missing_keys.extend(to_missing_key(key_id, rows.number.unwrap_or_default()));
    }
    let last: NumberRow =
        diesel::sql_query(SELECT_LAST_CHANGE).get_result(&mut connection).map_err(to_failure)?;
    let schema_version = query_strings(&mut connection, SELECT_SCHEMA_VERSION)?.pop();
    let is_current = schema_version.as_deref() == Some(migrations::newest_schema_version().as_str());
    Ok(Inspection {
        archives: if is_current { query_strings(&mut connection, &archives_query())? } else { Vec::new() },
        schema_version,
        keys_fit: can_decrypt_canaries(&canaries, sealer),
        missing_keys,
        last_change: last.number,
        hook_addresses: query_strings(&mut connection, &hook_addresses_query())?,
        embedded,
        postgres: None,
    })
}

/// Verifies the structure of the file and returns the errors. The list is empty if the structure is valid.
/// `None` if the file is too large or could not be verified.
fn find_damage(path: &Path, connection: &mut SqliteConnection) -> Option<Vec<String>> {
    const QUICK_CHECK: &str = "SELECT quick_check AS text FROM pragma_quick_check LIMIT 3";
    let bytes = std::fs::metadata(path).map(|file| file.len()).unwrap_or_default();
    if bytes > MAX_CHECKED_BYTES {
        return None;
    }
    let found: Vec<TextRow> = match diesel::sql_query(QUICK_CHECK).load(connection) {
        Ok(found) => found,
        // In a severely damaged file, the integrity query itself fails with this error.
        Err(error) if error.to_string().contains("malformed") => return Some(vec![error.to_string()]),
        Err(error) => {
            tracing::warn!(%error, "the structure of the database was not checked");
            return None;
        }
    };
    Some(found.into_iter().filter_map(|row| row.text).filter(|text| text != "ok").collect())
}

fn open_embedded_database(path: &Path) -> Outcome<SqliteConnection> {
    SqliteConnection::establish(&path.to_string_lossy())
        .map_err(|error| Failure::Unavailable(error.to_string()))
}

fn query_strings(connection: &mut SqliteConnection, sql: &str) -> Outcome<Vec<String>> {
    let lines: Vec<TextRow> = diesel::sql_query(sql).load(connection).map_err(to_failure)?;
    Ok(lines.into_iter().filter_map(|line| line.text).collect())
}

async fn inspect_postgres(
    url: &str,
    direct_url: Option<&str>,
    sealer: Option<&Sealer>,
) -> Outcome<Inspection> {
    const SELECT_HAS_KNOWN_TABLES: &str = "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL \
        AND to_regclass('audit') IS NOT NULL AND to_regclass('hooks') IS NOT NULL";
    let connector = DatabaseConnector::from_url(url)?;
    let pooler = pooler::query_pooler_version(&connector).await;
    let (direct_connector, transaction_pooling) =
        match direct_url.map(DatabaseConnector::from_url).transpose()? {
            None => {
                pooler::require_session_pooling(&connector).await?;
                (connector, false)
            }
            Some(direct) => {
                pooler::require_session_pooling(&direct).await?;
                let lending = pooler::pooling_mode_with_direct_address(&connector, &direct).await?;
                (direct, lending == PoolingMode::Transaction)
            }
        };
    let client = direct_connector.connect_client().await?;
    let cluster = distributed::inspect_cluster(&client).await?;
    let partitions = partition::count_partitions(&client).await?;
    let found = read_server_settings(&client).await.map_err(unavailable_failure)?;
    let weaknesses = durability::find_weaknesses_of_server(&client).await?;
    let postgres =
        Some(PostgresInspection { weaknesses, pooler, transaction_pooling, cluster, partitions, ..found });
    let known: bool = client
        .query_one(SELECT_HAS_KNOWN_TABLES, &[])
        .await
        .and_then(|row| row.try_get(0))
        .map_err(unavailable_failure)?;
    if !known {
        return Ok(Inspection { postgres, ..Inspection::default() });
    }
    let canaries = client.query(SELECT_CANARIES, &[]).await.map_err(unavailable_failure)?;
    let canaries: Result<Vec<(String, String)>, _> =
        canaries.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect();
    let canaries = canaries.map_err(unavailable_failure)?;
    let mut missing_keys = Vec::new();
    for key_id in unknown_key_ids(&canaries, sealer) {
        let [from, before] = ciphertext_bounds(&key_id);
        let row =
            client.query_one(COUNT_ROWS_OF_KEY, &[&from, &before]).await.map_err(unavailable_failure)?;
        missing_keys.extend(to_missing_key(key_id, row.try_get(0).map_err(unavailable_failure)?));
    }
    let one = async |sql: &str| client.query_one(sql, &[]).await.map_err(unavailable_failure);
    let addresses = client.query(&hook_addresses_query(), &[]).await.map_err(unavailable_failure)?;
    let addresses: Result<_, _> = addresses.iter().map(|row| row.try_get(0)).collect();
    let schema_version: Option<String> =
        one(SELECT_SCHEMA_VERSION).await?.try_get(0).map_err(unavailable_failure)?;
    let is_current = schema_version.as_deref() == Some(migrations::newest_schema_version().as_str());
    // The rows of archives are distributed over all nodes. If a node does not respond, the report contains no
    // archives, because their query would fail.
    let cluster = postgres.as_ref().and_then(|it| it.cluster.as_ref());
    let lists_archives = is_current && cluster.is_none_or(|it| it.unresponsive_nodes.is_empty());
    let archives = if lists_archives {
        client.query(&archives_query(), &[]).await.map_err(unavailable_failure)?
    } else {
        Vec::new()
    };
    let archives: Result<_, _> = archives.iter().map(|row| row.try_get(0)).collect();
    Ok(Inspection {
        schema_version,
        archives: archives.map_err(unavailable_failure)?,
        keys_fit: can_decrypt_canaries(&canaries, sealer),
        missing_keys,
        last_change: one(SELECT_LAST_CHANGE).await?.try_get(0).map_err(unavailable_failure)?,
        hook_addresses: addresses.map_err(unavailable_failure)?,
        embedded: None,
        postgres,
    })
}

async fn read_server_settings(client: &Client) -> Result<PostgresInspection, tokio_postgres::Error> {
    const SELECT_SERVER_SETTINGS: &str = "SELECT current_setting('server_version_num')::int4, \
        current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8, \
        (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), \
        pg_is_in_recovery(), current_setting('server_encoding'), \
        (extract(epoch FROM clock_timestamp()) * 1000000)::int8, \
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), FALSE), \
        (SELECT count(*) FROM pg_stat_activity \
            WHERE backend_xid IS NOT NULL AND xact_start < now() - interval '5 minutes')";
    let row = client.query_one(SELECT_SERVER_SETTINGS, &[]).await?;
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
        transaction_pooling: false,
        partitions: 1,
        cluster: None,
    })
}

fn unavailable_failure(error: tokio_postgres::Error) -> Failure {
    let reported = error.as_db_error().map(|reported| reported.message().to_owned());
    Failure::Unavailable(reported.unwrap_or_else(|| error.to_string()))
}
