//! Opens the store of the settings, for the application and for commands that run alongside it.

use std::sync::Arc;

use payroll_adapter_db::{PartitionResult, ReplicaSettings};
use payroll_adapter_http::ReadReplica;
use payroll_ports::keys::CurrentKeys;
use payroll_ports::{Randomness, Store};

use super::http::MAX_OPERATOR_STREAMS;
use crate::config::{Setting, Settings};
use crate::failure::{Failure, Outcome};
use crate::{database_file, keys};

/// Opens the store for a command that runs alongside the server. The function takes no lock, opens no
/// listener and creates no database.
///
/// # Errors
/// Returns the errors of [`build_app`](super::build_app) about keys and database, or an error if the
/// database is missing.
pub async fn open_store(settings: &Settings, randomness: Arc<dyn Randomness>) -> Outcome<Arc<dyn Store>> {
    database_file::require_database_file(settings)?;
    open(settings, keys::load_keys(settings, &*randomness)?.into(), randomness, false).await
}

/// Opens the store like [`open_store`], and creates a missing database with its keys.
///
/// # Errors
/// Returns the errors of [`build_app`](super::build_app) about keys and database.
pub async fn open_or_create_store(
    settings: &Settings,
    randomness: Arc<dyn Randomness>,
) -> Outcome<Arc<dyn Store>> {
    database_file::check_database_creatable(settings)?;
    open(settings, keys::load_keys(settings, &*randomness)?.into(), randomness, false).await
}

/// Distributes the tables of a PostgreSQL database over the nodes of its Citus cluster. `shards` is the
/// number of shards of each table, by default the setting of Citus. Returns the names of the tables that this
/// call distributed.
///
/// # Errors
/// The database is an embedded one, cannot be reached, or lacks the required settings or tables.
pub async fn distribute_tables(settings: &Settings, shards: Option<u32>) -> Outcome<Vec<&'static str>> {
    let distributed = payroll_adapter_db::distribute(require_direct_postgres(settings)?, shards).await;
    distributed.map_err(|error| {
        Failure::with_cause(format!("{} could not be distributed", settings.database_url.show()), &error)
    })
}

/// Divides the table of checks in a PostgreSQL database into the given number of partitions. With 1, the
/// table becomes a table without partitions again.
///
/// # Errors
/// The database is an embedded or distributed one, cannot be reached, or other programs have changed its
/// table of checks.
pub async fn partition_checks(settings: &Settings, partitions: u32) -> Outcome<PartitionResult> {
    let partitioned = payroll_adapter_db::partition(require_direct_postgres(settings)?, partitions).await;
    partitioned.map_err(|error| {
        Failure::with_cause(
            format!("the checks of {} could not be partitioned", settings.database_url.show()),
            &error,
        )
    })
}

/// Returns the address for a direct connection to the PostgreSQL database, without a connection pooler. Fails
/// for an embedded database.
fn require_direct_postgres(settings: &Settings) -> Outcome<&str> {
    if settings.database_url.embedded_path().is_some() {
        return Err(Failure::new(
            "an embedded database is one file on one machine. Copy it to PostgreSQL with `payroll-server \
             copy`",
        ));
    }
    Ok(settings.direct_database_url.expose().unwrap_or_else(|| settings.database_url.expose()))
}

/// Opens the replica from which partners read. `None` if the settings contain no replica.
///
/// # Errors
/// The address is not a PostgreSQL address.
pub(super) fn open_replica(
    settings: &Settings,
    keys: CurrentKeys,
    randomness: Arc<dyn Randomness>,
) -> Outcome<Option<ReadReplica>> {
    let Some(url) = settings.replica_database_url.expose() else { return Ok(None) };
    let replica_settings = ReplicaSettings {
        connections: settings.database_connections as usize,
        streams: settings.max_streams as usize,
        keys,
        randomness,
    };
    let store = payroll_adapter_db::open_replica(url, replica_settings).map_err(|error| {
        let shown = settings.replica_database_url.show();
        Failure::with_cause(format!("the replica {shown} cannot be used"), &error)
    })?;
    Ok(Some(ReadReplica { store, schema_version: payroll_adapter_db::newest_schema_version() }))
}

/// Opens the database with these keys, and creates it if it is missing. `is_exclusive` means that this
/// process has the lock of an embedded database.
pub(super) async fn open(
    settings: &Settings,
    keys: CurrentKeys,
    randomness: Arc<dyn Randomness>,
    is_exclusive: bool,
) -> Outcome<Arc<dyn Store>> {
    if let Some(path) = settings.database_url.embedded_path() {
        keys::create_parent_folder(&path)?;
    }
    let database = payroll_adapter_db::DatabaseSettings {
        url: settings.database_url.expose().to_owned(),
        direct_url: settings.direct_database_url.expose().map(str::to_owned),
        connections: settings.database_connections as usize,
        node_connections: settings.database_node_connections as usize,
        streams: settings.max_streams as usize + MAX_OPERATOR_STREAMS,
        is_exclusive,
        keys,
        randomness,
    };
    payroll_adapter_db::open(database).await.map_err(|error| {
        Failure::with_cause(format!("the database {} cannot be used", settings.database_url.show()), &error)
    })
}
