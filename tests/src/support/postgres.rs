//! Databases on the PostgreSQL server whose URL is in an environment variable.
//!
//! Creating and dropping a database takes seconds on a busy machine. A test run therefore creates one
//! database for each concurrent test, and later tests reuse it. All databases are copies of one template. The
//! template contains a backup copy of each table, from which a reused database is refilled.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::{Client, NoTls};

use super::settings::settings_with_database;

/// The variable with the URL of a PostgreSQL server on which databases may be created.
pub(crate) const POSTGRES_VARIABLE: &str = "TEST_DATABASE_URL";

/// The variable with the worker nodes if the PostgreSQL server is the coordinator of a Citus cluster:
/// `host:port`, separated by commas.
const NODES_VARIABLE: &str = "TEST_DATABASE_NODES";

/// The variable with the number of partitions for the checks.
const PARTITIONS_VARIABLE: &str = "TEST_DATABASE_PARTITIONS";

/// The variable with the `host:port` of a pooler in front of the PostgreSQL server. Servers under test
/// connect through the pooler. The servers use the direct URL only where they need a database session of
/// their own.
const POOLER_VARIABLE: &str = "TEST_DATABASE_POOLER";

/// The schema with the backup copies of the tables.
const COPIES_SCHEMA: &str = "world";
/// A statement that refills a table from its backup copy. The database inserts the name of the table.
pub(super) const REFILL_TABLE: &str = "INSERT INTO public.%1$I SELECT * FROM world.%1$I;";
/// The prefix of all database names.
const DATABASE_PREFIX: &str = "acceptance";

/// The number of shards of a distributed table, which must exceed the number of nodes. The number is small
/// because each new database creates every shard.
const SHARD_COUNT: u32 = 4;

/// The maximum number of concurrent tests on the PostgreSQL server. Each test has about ten connections, and
/// the server accepts 100 by default.
static TEST_PERMITS: Semaphore = Semaphore::const_new(6);

/// A random number of this run for the names of its databases. Databases of an earlier run with the same
/// process id may still exist.
static RUN_NUMBER: LazyLock<u32> = LazyLock::new(|| {
    let hash = RandomState::new().hash_one(DATABASE_PREFIX);
    u32::try_from(hash >> 32).expect("32 bits")
});

/// The databases of this run that no test currently uses.
static FREE_DATABASES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Waits until fewer tests than the maximum use the PostgreSQL server.
pub(super) async fn acquire_connection_permit() -> SemaphorePermit<'static> {
    TEST_PERMITS.acquire().await.expect("it is never closed")
}

/// Returns a free database, or creates one as a copy of `original`. For each table, deletes all rows and then
/// executes the statement `fill`.
pub(super) async fn acquire_database(fill: &str, original: &str) -> String {
    let free = FREE_DATABASES.lock().expect("no test fails in here").pop();
    let name = match free {
        Some(name) => name,
        None => create_database(&format!("TEMPLATE \"{original}\"")).await,
    };
    let each = format!("DELETE FROM public.%1$I; {fill}");
    execute(&name, &statement_for_each_table(&each)).await;
    name
}

/// Makes a database available to the next test.
pub(super) async fn return_to_pool(name: String) {
    disconnect_sessions(&name).await;
    FREE_DATABASES.lock().expect("no test fails in here").push(name);
}

/// Creates the backup copy of each table in a database, and closes all connections to it.
pub(super) async fn create_copies(name: &str) {
    let each = format!("CREATE TABLE {COPIES_SCHEMA}.%1$I AS TABLE public.%1$I;");
    execute(name, &format!("CREATE SCHEMA {COPIES_SCHEMA}; {}", statement_for_each_table(&each))).await;
    disconnect_sessions(name).await;
}

/// Returns a statement that runs another statement for each table, except tables of the migrations and
/// partitions.
fn statement_for_each_table(each: &str) -> String {
    format!(
        "DO $$ DECLARE name text; BEGIN \
           FOR name IN SELECT tablename FROM pg_tables \
               WHERE schemaname = 'public' AND tablename NOT LIKE '%migrations' \
                 AND tablename NOT LIKE 'checks%of%' LOOP \
             EXECUTE format('{each}', name); \
           END LOOP; \
         END $$"
    )
}

/// Creates an empty database and returns its name.
pub(super) async fn create_database(options: &str) -> String {
    static DATABASE_COUNT: AtomicU32 = AtomicU32::new(1);
    drop_old_databases().await;
    let number = DATABASE_COUNT.fetch_add(1, Ordering::SeqCst);
    let name = format!("{DATABASE_PREFIX}_{}_{}_{number}", std::process::id(), *RUN_NUMBER);
    let create = format!("CREATE DATABASE \"{name}\" {options}");
    execute("postgres", &create).await;
    for node in node_addresses() {
        execute_at(&url_at(&node, "postgres"), &create).await;
    }
    name
}

/// Returns the URL with which servers connect to a database through the pooler. Returns `None` without a
/// pooler.
pub(super) fn pooler_url(url: &str) -> Option<String> {
    let pooler = std::env::var(POOLER_VARIABLE).ok()?;
    let (_, name) = url.rsplit_once('/').expect("an address with a database");
    Some(format!("postgres://postgres@{pooler}/{name}"))
}

/// Returns the worker nodes of the cluster.
fn node_addresses() -> Vec<String> {
    let named = std::env::var(NODES_VARIABLE).unwrap_or_default();
    named.split(',').filter(|node| !node.is_empty()).map(str::to_owned).collect()
}

/// Distributes the tables of a new database over the cluster. Does nothing without a cluster.
pub(super) async fn distribute_tables(name: &str) {
    let nodes = node_addresses();
    if nodes.is_empty() {
        return;
    }
    for node in &nodes {
        execute_at(&url_at(node, name), "CREATE EXTENSION citus").await;
    }
    let coordinator = database_url(name);
    let (_, argument) = coordinator.split_once('@').expect("a user");
    let (argument, _) = argument.split_once('/').expect("a database");
    let call = |function: &str, argument: &str| {
        let (host, port) = argument.split_once(':').expect("a port");
        format!("SELECT {function}('{host}', {port});")
    };
    let added: String = nodes.iter().map(|node| call("citus_add_node", node)).collect();
    let joined = format!("CREATE EXTENSION citus; {} {added}", call("citus_set_coordinator_host", argument));
    execute(name, &joined).await;
    let distributed =
        payroll_server::app::distribute_tables(&settings_with_database(&coordinator), Some(SHARD_COUNT))
            .await;
    distributed.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Partitions the checks of a new database, if the variable is set.
pub(super) async fn partition_checks(name: &str) {
    let Ok(count) = std::env::var(PARTITIONS_VARIABLE) else { return };
    let count = count.parse().expect("a number of partitions");
    let partitioned =
        payroll_server::app::partition_checks(&settings_with_database(&database_url(name)), count).await;
    partitioned.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Ends all connections to a database.
pub(super) async fn disconnect_sessions(name: &str) {
    let query = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname";
    let query = format!("{query} = '{name}'");
    execute("postgres", &query).await;
    for node in node_addresses() {
        execute_at(&url_at(&node, "postgres"), &query).await;
    }
}

/// Allows or rejects connections to a database.
pub(super) async fn allow_connections(name: &str, allow: bool) {
    execute("postgres", &format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS {allow}")).await;
}

/// Sets whether new sessions of a database are read-only.
pub(super) async fn set_read_only(name: &str, read_only: bool) {
    let set = format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = {read_only}");
    execute("postgres", &set).await;
}

/// Returns the URL of a database on another node of the cluster.
fn url_at(node: &str, database: &str) -> String {
    let own = database_url(database);
    let (user, argument) = own.split_once('@').expect("a user");
    let (_, rest) = argument.split_once('/').expect("a database");
    format!("{user}@{node}/{rest}")
}

pub(super) fn database_url(database: &str) -> String {
    let server = std::env::var(POSTGRES_VARIABLE).expect("a PostgreSQL server");
    let (address, options) = server.split_once('?').unwrap_or((&server, ""));
    let (address, _) = address.rsplit_once('/').expect("an address with a database");
    let mark = if options.is_empty() { "" } else { "?" };
    format!("{address}/{database}{mark}{options}")
}

pub(super) async fn connect(database: &str) -> Client {
    connect_to(&database_url(database)).await
}

async fn connect_to(url: &str) -> Client {
    let connected = tokio_postgres::connect(url, NoTls).await;
    let (client, connection) = connected.unwrap_or_else(|error| panic!("{url}: {error}"));
    tokio::spawn(connection);
    client
}

/// Runs statements on a database.
pub(super) async fn execute(database: &str, sql: &str) {
    execute_at(&database_url(database), sql).await;
}

async fn execute_at(url: &str, sql: &str) {
    let done = connect_to(url).await.batch_execute(sql).await;
    done.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
}

/// Drops the databases that earlier runs have left. The processes of those runs have ended.
async fn drop_old_databases() {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.set(()).is_err() {
        return;
    }
    let client = connect("postgres").await;
    let query = "SELECT datname FROM pg_database WHERE datname LIKE $1";
    let rows = client.query(query, &[&format!("{DATABASE_PREFIX}\\_%")]).await.expect("the databases");
    for name in rows.iter().map(|row| row.get::<_, String>(0)).filter(|name| is_old_database(name)) {
        // Another run may drop the same database at the same time, so an error is ignored.
        let _dropped = client.batch_execute(&format!("DROP DATABASE IF EXISTS \"{name}\"")).await;
    }
}

fn is_old_database(name: &str) -> bool {
    let process = name.split('_').nth(1).unwrap_or_default();
    Path::new("/proc/self").exists() && !Path::new("/proc").join(process).exists()
}
