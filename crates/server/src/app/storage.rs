//! The store, opened as the settings say: for the application, and for commands next to it.

use std::sync::Arc;

use payroll_adapter_db::{Partitioned, ReplicaSettings};
use payroll_adapter_http::Replica;
use payroll_ports::keys::LiveKeys;
use payroll_ports::{Randomness, Store};

use super::http::OPERATOR_STREAMS;
use crate::config::{Setting, Settings};
use crate::failure::{Failure, Outcome};
use crate::{database_file, keys};

/// Opens the store for a command next to the server: no lock, no listener, and no new database.
///
/// # Errors
/// As [`build`](super::build), as far as keys and database go; or there is no database.
pub async fn open_store(settings: &Settings, randomness: Arc<dyn Randomness>) -> Outcome<Arc<dyn Store>> {
    database_file::must_be_there(settings)?;
    open(settings, keys::load(settings, &*randomness)?.into(), randomness, false).await
}

/// As [`open_store`], for a database that need not be there: then it is made, with its keys.
///
/// # Errors
/// As [`build`](super::build), as far as keys and database go.
pub async fn make_store(settings: &Settings, randomness: Arc<dyn Randomness>) -> Outcome<Arc<dyn Store>> {
    database_file::may_be_made(settings)?;
    open(settings, keys::load(settings, &*randomness)?.into(), randomness, false).await
}

/// Distributes the tables of a PostgreSQL database over the nodes of its cluster, in that number of shards or what
/// Citus is set to; returns the names of those that were not distributed before.
///
/// # Errors
/// The database is an embedded one, it cannot be reached, or its machines or tables are not as they have to be.
pub async fn distribute(settings: &Settings, shards: Option<u32>) -> Outcome<Vec<&'static str>> {
    let distributed = payroll_adapter_db::distribute(direct_postgres(settings)?, shards).await;
    distributed.map_err(|error| {
        Failure::caused(format!("{} is not distributed", settings.database_url.show()), &error)
    })
}

/// Divides the checks of a PostgreSQL database into that number of partitions; 1 makes one table of them again.
///
/// # Errors
/// The database is an embedded or a distributed one, it cannot be reached, or its table of checks was changed by
/// others.
pub async fn partition(settings: &Settings, partitions: u32) -> Outcome<Partitioned> {
    let partitioned = payroll_adapter_db::partition(direct_postgres(settings)?, partitions).await;
    partitioned.map_err(|error| {
        Failure::caused(format!("the checks of {} stay as they are", settings.database_url.show()), &error)
    })
}

/// The address of the PostgreSQL database, without a pooler if there is one.
fn direct_postgres(settings: &Settings) -> Outcome<&str> {
    if settings.database_url.embedded_path().is_some() {
        return Err(Failure::new(
            "an embedded database is one file on one machine; `payroll-server copy` brings it to PostgreSQL",
        ));
    }
    Ok(settings.direct_database_url.expose().unwrap_or_else(|| settings.database_url.expose()))
}

/// The replica that partners may read from, if there is one.
///
/// # Errors
/// Its address is none of PostgreSQL.
pub(super) fn replica(
    settings: &Settings,
    keys: LiveKeys,
    randomness: Arc<dyn Randomness>,
) -> Outcome<Option<Replica>> {
    let Some(url) = settings.replica_database_url.expose() else { return Ok(None) };
    let wanted = ReplicaSettings {
        connections: settings.database_connections as usize,
        streams: settings.max_streams as usize,
        keys,
        randomness,
    };
    let store = payroll_adapter_db::open_replica(url, wanted).map_err(|error| {
        let shown = settings.replica_database_url.show();
        Failure::caused(format!("the replica {shown} cannot be used"), &error)
    })?;
    Ok(Some(Replica { store, schema_version: payroll_adapter_db::newest_schema_version() }))
}

/// Opens the database with these keys, and makes it where there is none. `alone`: this process has the lock
/// of an embedded database.
pub(super) async fn open(
    settings: &Settings,
    keys: LiveKeys,
    randomness: Arc<dyn Randomness>,
    alone: bool,
) -> Outcome<Arc<dyn Store>> {
    if let Some(path) = settings.database_url.embedded_path() {
        keys::make_folder_of(&path)?;
    }
    let database = payroll_adapter_db::Settings {
        url: settings.database_url.expose().to_owned(),
        direct_url: settings.direct_database_url.expose().map(str::to_owned),
        connections: settings.database_connections as usize,
        node_connections: settings.database_node_connections as usize,
        streams: settings.max_streams as usize + OPERATOR_STREAMS,
        alone,
        keys,
        randomness,
    };
    payroll_adapter_db::open(database).await.map_err(|error| {
        Failure::caused(format!("the database {} cannot be used", settings.database_url.show()), &error)
    })
}
