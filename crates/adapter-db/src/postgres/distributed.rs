//! PostgreSQL with tables that the extension Citus distributes over several machines.
//!
//! All rows of one company are stored on one node, which is determined by the company id. Shared rows are
//! stored on the coordinator, to which payroll servers connect. [`LAYOUT`] defines the distribution of each
//! table. Other distributions are rejected, because ids could then be duplicated. Readers could also see a
//! half-finished change of a company, or miss events of the feed. If the extension is only installed and all
//! tables are local, the database is a normal PostgreSQL.

mod cluster;
mod layout;
mod nodes;
mod watch;

use tokio_postgres::Client;

use super::causes::query_failure;
use super::connect::DatabaseConnector;
use crate::error::{Failure, Outcome};

pub(crate) use self::cluster::remove_session_time_limits;
pub(super) use self::nodes::{Node, Nodes};
pub(super) use self::watch::NodeMonitor;

use self::cluster::Cluster;
use self::layout::{LAYOUT, TableDistribution};

/// Reads whether Citus's catalogue of distributed tables exists.
const SELECT_HAS_CITUS_CATALOGUE: &str = "SELECT to_regclass('pg_dist_partition') IS NOT NULL";
/// Reads the tables of this schema. The columns are: the name, whether Citus manages the table, its
/// distribution column (NULL for a table without one), whether it is a reference table, and its colocation
/// group.
const SELECT_TABLE_DISTRIBUTIONS: &str = "SELECT c.relname::text, p.logicalrelid IS NOT NULL, \
        CASE WHEN p.partmethod <> 'n' THEN column_to_column_name(p.logicalrelid, p.partkey) END, \
        coalesce(p.repmodel = 't', FALSE), coalesce(p.colocationid, 0) \
    FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid \
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')";

/// A table of this schema, as it exists in the database.
struct SchemaTable {
    name: String,
    /// The distribution of the table in the database. `None` if [`LAYOUT`] does not use this distribution.
    spread: Option<TableDistribution>,
    colocation: i32,
}

/// The findings about the nodes of a distributed database.
#[derive(Debug, Clone, Default)]
pub struct ClusterInspection {
    /// The version of the extension Citus.
    pub version: String,
    /// The nodes in addition to the coordinator, as `host:port`.
    pub nodes: Vec<String>,
    /// The nodes that do not respond to the coordinator.
    pub unresponsive_nodes: Vec<String>,
    /// The nodes to which this machine cannot connect. Empty if no connections were tried.
    pub unreachable: Vec<String>,
    /// The nodes whose sessions lack the limits or the settings that the server needs.
    pub nodes_without_limits: Vec<String>,
}

/// The tables of this schema that exist in the database.
struct SchemaTables(Vec<SchemaTable>);

/// Returns the cluster over which the tables are distributed. `None` if the tables are not distributed.
///
/// # Errors
/// The distribution differs from [`LAYOUT`], the connected server is not the coordinator, or the query fails.
pub(crate) async fn load_cluster(client: &Client) -> Outcome<Option<Cluster>> {
    let tables = SchemaTables::load(client).await?;
    if !tables.are_distributed() {
        return Ok(None);
    }
    match tables.find_first_problem() {
        Some(wrong) => Err(Failure::Unavailable(wrong)),
        None => Cluster::load(client).await.map(Some),
    }
}

/// Returns whether Citus manages any table of this schema, even with a distribution that differs from
/// [`LAYOUT`].
///
/// # Errors
/// The query of the tables fails.
pub(crate) async fn has_distributed_tables(client: &Client) -> Outcome<bool> {
    Ok(SchemaTables::load(client).await?.are_distributed())
}

/// Returns the cluster, with the nodes that have problems. `None` if no table is distributed.
///
/// # Errors
/// The same errors as for [`load_cluster()`].
pub(crate) async fn inspect_cluster(client: &Client) -> Outcome<Option<ClusterInspection>> {
    let Some(Cluster { version, nodes }) = load_cluster(client).await? else { return Ok(None) };
    let (silent, unlimited) =
        (cluster::unresponsive_nodes(client).await?, cluster::find_nodes_without_limits(client).await?);
    Ok(Some(ClusterInspection {
        version,
        nodes,
        unresponsive_nodes: silent,
        unreachable: Vec::new(),
        nodes_without_limits: unlimited,
    }))
}

/// Returns the nodes to which this machine cannot connect, as `host:port`.
///
/// # Errors
/// TLS cannot be set up.
pub(crate) async fn find_unreachable_nodes(
    connector: &DatabaseConnector,
    nodes: &[String],
) -> Outcome<Vec<String>> {
    let mut unreachable = Vec::new();
    for node in nodes {
        let address = node.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
        let is_reached = match address {
            Some((host, port)) => connector
                .with_server(host, port, nodes::NODE_CONNECT_TIMEOUT)?
                .connect_without_session()
                .await
                .is_ok(),
            None => false,
        };
        if !is_reached {
            unreachable.push(node.clone());
        }
    }
    Ok(unreachable)
}

/// Verifies that the database is a cluster, and that its nodes have the settings that distributed
/// transactions need.
///
/// # Errors
/// The database is not a cluster, or a node lacks the settings.
pub(crate) async fn check_cluster_requirements(client: &Client) -> Outcome<()> {
    if !has_extension(client).await? {
        return Err(Failure::Unavailable(
            "this database does not have the extension Citus. Run CREATE EXTENSION citus in the database on \
             each node"
                .into(),
        ));
    }
    Cluster::load(client).await?;
    cluster::check_node_settings(client).await
}

/// Distributes the tables as defined in [`LAYOUT`] and sets the limits of all nodes. `shards` is the number
/// of shards, by default the setting of Citus. Tables with the right distribution do not change. Either all
/// tables are distributed or none. Returns the names of the tables that this call distributed.
///
/// # Errors
/// A table has a different distribution, or a statement fails.
pub(crate) async fn distribute_tables(client: &Client, shards: Option<u32>) -> Outcome<Vec<&'static str>> {
    let tables = SchemaTables::load(client).await?;
    let left: Vec<_> = LAYOUT
        .iter()
        .filter(|(table, distribution)| tables.lacks_distribution(table, *distribution))
        .collect();
    if !left.is_empty() {
        // Moving a large amount of existing data takes long, so the time limits are removed.
        remove_session_time_limits(client).await?;
    }
    // The statements run sequentially, because each depends on the changes of the previous one.
    let mut text = "BEGIN; SET LOCAL citus.multi_shard_modify_mode = 'sequential'; ".to_owned();
    text.extend(shards.map(|shards| format!("SET LOCAL citus.shard_count = {shards}; ")));
    text.extend(left.iter().map(|(table, distribution)| distribution.distribution_statement(table)));
    text.push_str("COMMIT");
    let done = client.batch_execute(&text).await.map_err(query_failure);
    if done.is_err() {
        drop(client.batch_execute("ROLLBACK").await);
    }
    cluster::set_session_limits(client).await?;
    done?;
    match SchemaTables::load(client).await?.find_first_problem() {
        Some(wrong) => Err(Failure::Unavailable(wrong)),
        None => Ok(left.iter().map(|(table, _)| *table).collect()),
    }
}

async fn has_extension(client: &Client) -> Outcome<bool> {
    client
        .query_one(SELECT_HAS_CITUS_CATALOGUE, &[])
        .await
        .and_then(|row| row.try_get(0))
        .map_err(query_failure)
}

impl SchemaTables {
    async fn load(client: &Client) -> Outcome<Self> {
        if !has_extension(client).await? {
            return Ok(Self(Vec::new()));
        }
        let rows = client.query(SELECT_TABLE_DISTRIBUTIONS, &[]).await.map_err(query_failure)?;
        let tables = rows.iter().map(|row| {
            let (is_known, is_everywhere): (bool, bool) = (row.try_get(1)?, row.try_get(3)?);
            let spread = match is_known {
                true => TableDistribution::from_catalogue(row.try_get(2)?, is_everywhere),
                false => Some(TableDistribution::Coordinator),
            };
            Ok(SchemaTable { name: row.try_get(0)?, spread, colocation: row.try_get(4)? })
        });
        tables.collect::<Result<_, tokio_postgres::Error>>().map(Self).map_err(query_failure)
    }

    fn find(&self, name: &str) -> Option<&SchemaTable> {
        self.0.iter().find(|table| table.name == name)
    }

    fn are_distributed(&self) -> bool {
        let is_known =
            |name| self.find(name).is_some_and(|table| table.spread != Some(TableDistribution::Coordinator));
        LAYOUT.iter().any(|(name, _)| is_known(name))
    }

    /// Returns whether a table exists and is not distributed yet.
    fn lacks_distribution(&self, name: &str, expected: TableDistribution) -> bool {
        let here = self.find(name).is_some_and(|table| table.spread == Some(TableDistribution::Coordinator));
        here && expected != TableDistribution::Coordinator
    }

    /// Returns the first problem with the distribution. `None` if there is no problem.
    fn find_first_problem(&self) -> Option<String> {
        let companies_colocation = self.find("companies").map(|companies| companies.colocation);
        let wrong = LAYOUT.iter().find(|(name, required)| {
            let Some(table) = self.find(name) else { return false };
            let elsewhere =
                *required == TableDistribution::Company && Some(table.colocation) != companies_colocation;
            table.spread != Some(*required) || elsewhere
        });
        wrong.map(|(table, required)| {
            format!(
                "the table {table} of the distributed database (Citus) is in the wrong place. Required: {}. \
                 Otherwise ids would not be unique and events could be missed, so the server does not \
                 start. Move it back with `undistribute_table`, then run `payroll-server distribute`",
                required.description()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{LAYOUT, TableDistribution};
    use crate::migrated::MigratedDatabase;

    #[tokio::test(flavor = "multi_thread")]
    async fn every_table_has_a_distribution_and_company_tables_have_a_matching_key() {
        const SELECT_KEYS_WITHOUT_COMPANY: &str = "SELECT c.conrelid::regclass::text, bool_and(EXISTS (SELECT FROM pg_attribute a \
                WHERE a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey) AND a.attname = 'company_id')) \
            FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid \
            WHERE c.contype IN ('p', 'u') AND t.relnamespace = 'public'::regnamespace \
                AND t.relname NOT LIKE '%migrations' GROUP BY 1";
        let Some(database) = MigratedDatabase::create_migrated_database("layout").await else { return };
        let rows = database.client.query(SELECT_KEYS_WITHOUT_COMPANY, &[]).await.unwrap();
        database.remove().await;
        let tables: Vec<(String, bool)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let listed: BTreeSet<&str> = LAYOUT.iter().map(|(table, _)| *table).collect();
        assert_eq!(tables.iter().map(|(table, _)| table.as_str()).collect::<BTreeSet<_>>(), listed);
        for (table, named) in &tables {
            let with_company = LAYOUT.contains(&(table.as_str(), TableDistribution::Company));
            assert!(!with_company || *named, "{table} has a key without company_id");
        }
    }
}
