//! The nodes of a distributed database, their availability and their limits.

use tokio_postgres::Client;

use super::super::causes::query_failure;
use crate::error::{Failure, Outcome};

/// The oldest supported major version of Citus.
const MIN_CITUS_VERSION: i32 = 12;
/// Reads six facts about a Citus cluster: the major version of Citus, whether the connected server is the
/// coordinator, and whether the nodes know the coordinator's address. The further facts are whether the
/// coordinator may store companies, whether another node may store companies, and the full version.
const SELECT_CITUS_VERSION: &str = "SELECT split_part(extversion, '.', 1)::int4, \
        coalesce((SELECT groupid = 0 FROM pg_dist_local_group), TRUE), \
        EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0), \
        EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0 AND shouldhaveshards), \
        EXISTS (SELECT FROM pg_dist_node WHERE groupid <> 0 AND isactive AND shouldhaveshards), extversion \
    FROM pg_extension WHERE extname = 'citus'";
/// The host and the port of each node.
const SELECT_WORKER_NODES: &str = "SELECT nodename, nodeport FROM pg_dist_node \
    WHERE groupid <> 0 AND noderole = 'primary' ORDER BY nodename, nodeport";
/// Reads whether each node responds. To find out, Citus opens a connection to the node within its usual time
/// limit.
const SELECT_NODE_RESPONSES: &str =
    "SELECT nodename, nodeport, success FROM run_command_on_workers('SELECT TRUE')";

/// The limits of sessions on the worker nodes. The coordinator does not pass on the limits of its own
/// sessions, so the limits are set for the role in this database.
const NODE_SESSION_LIMITS: [(&str, &str); 5] = [
    ("lock_timeout", "5s"),
    ("statement_timeout", "30s"),
    ("idle_in_transaction_session_timeout", "60s"),
    ("jit", "off"),
    ("client_connection_check_interval", "500ms"),
];
/// The time that the coordinator waits for a connection to a node.
const NODE_CONNECTION_TIMEOUT: (&str, &str) = ("citus.node_connection_timeout", "5s");
/// The required settings of a node: two-phase commits are allowed, and a commit waits for the node's disk.
/// This program verifies the settings but does not change them. Changing `max_prepared_transactions` would
/// need a restart of the node, and `synchronous_commit` may already be stricter than required.
const HAS_REQUIRED_SETTINGS: &str = "current_setting('max_prepared_transactions')::int4 > 0 \
    AND current_setting('synchronous_commit') IN ('on', 'remote_apply')";
/// Runs the statement `$1` on each worker node and returns the results. The settings of new sessions on the
/// nodes are read in this way.
const RUN_COMMAND_ON_NODES: &str =
    "SELECT nodename, nodeport, result FROM run_command_on_workers($1) WHERE success";

/// A distributed database and its nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// The version of Citus.
    pub(crate) version: String,
    /// The nodes in addition to the coordinator, as `host:port`.
    pub(crate) nodes: Vec<String>,
}

impl Cluster {
    /// Reads the cluster from a session on its coordinator.
    ///
    /// # Errors
    /// The connected server is not the coordinator, Citus is too old, or nodes are missing.
    pub(super) async fn load(client: &Client) -> Outcome<Self> {
        let itself = client.query_one(SELECT_CITUS_VERSION, &[]).await.map_err(query_failure)?;
        let read = |column| itself.try_get::<_, bool>(column).map_err(query_failure);
        let (major, version): (i32, String) =
            (itself.try_get(0).map_err(query_failure)?, itself.try_get(5).map_err(query_failure)?);
        let wrong = |why: &str| Err(Failure::Unavailable(why.to_owned()));
        if !read(1)? {
            return wrong(
                "this is not the coordinator of the distributed database (Citus), so events would have no \
                 order. Set database_url to the URL of the coordinator",
            );
        }
        if major < MIN_CITUS_VERSION {
            return wrong(
                "the extension Citus is older than 12. Upgrade Citus, and run ALTER EXTENSION citus UPDATE",
            );
        }
        if !read(2)? {
            return wrong(
                "the other nodes do not know where the coordinator of the distributed database (Citus) is: \
                 SELECT citus_set_coordinator_host('HOST', PORT)",
            );
        }
        if read(3)? {
            return wrong(
                "companies may be placed on the coordinator of the distributed database (Citus), where a reader \
                 sees them at other instants than on the other nodes: \
                 SELECT citus_set_node_property('HOST', PORT, 'shouldhaveshards', false)",
            );
        }
        if !read(4)? {
            return wrong(
                "the distributed database (Citus) has no node in addition to its coordinator that takes companies: \
                 SELECT citus_add_node('HOST', PORT)",
            );
        }
        let nodes = client.query(SELECT_WORKER_NODES, &[]).await.map_err(query_failure)?;
        let nodes = nodes.iter().map(|row| Ok(format_address(row.try_get(0)?, row.try_get(1)?)));
        Ok(Self { version, nodes: nodes.collect::<Result<_, _>>().map_err(query_failure)? })
    }
}

/// Reads the nodes that do not respond, as `host:port`.
pub(crate) async fn unresponsive_nodes(client: &Client) -> Outcome<Vec<String>> {
    let rows = client.query(SELECT_NODE_RESPONSES, &[]).await.map_err(query_failure)?;
    let mut silent = Vec::new();
    for row in rows {
        if !row.try_get::<_, bool>(2).map_err(query_failure)? {
            silent.push(format_address(
                row.try_get(0).map_err(query_failure)?,
                row.try_get(1).map_err(query_failure)?,
            ));
        }
    }
    Ok(silent)
}

fn format_address(host: &str, port: i32) -> String {
    format!("{host}:{port}")
}

/// Sets the limits on all nodes.
pub(super) async fn set_session_limits(client: &Client) -> Outcome<()> {
    alter_role(
        client,
        NODE_SESSION_LIMITS
            .iter()
            .chain([&NODE_CONNECTION_TIMEOUT])
            .map(|(name, value)| format!("SET {name} = '{value}'")),
    )
    .await
}

/// Removes the time limits of the nodes' sessions, which would interrupt a long migration.
pub(crate) async fn remove_session_time_limits(client: &Client) -> Outcome<()> {
    let long = NODE_SESSION_LIMITS.iter().filter(|(name, _)| name.ends_with("_timeout"));
    alter_role(client, long.map(|(name, _)| format!("RESET {name}"))).await
}

/// Changes the settings of this role's sessions in this database. Citus makes the same change on the other
/// nodes.
async fn alter_role(client: &Client, changes: impl Iterator<Item = String>) -> Outcome<()> {
    const SELECT_ALTER_ROLE_PREFIX: &str =
        "SELECT format('ALTER ROLE CURRENT_USER IN DATABASE %I ', current_database())";
    let of_role: String = client
        .query_one(SELECT_ALTER_ROLE_PREFIX, &[])
        .await
        .and_then(|row| row.try_get(0))
        .map_err(query_failure)?;
    let statements: Vec<String> = changes.map(|change| format!("{of_role}{change}")).collect();
    client.batch_execute(&statements.join("; ")).await.map_err(query_failure)
}

/// Verifies that all nodes that respond have the required settings.
///
/// # Errors
/// A node does not have the required settings.
pub(super) async fn check_node_settings(client: &Client) -> Outcome<()> {
    let found = query_each_node(client, &format!("SELECT {HAS_REQUIRED_SETTINGS}")).await?;
    match found.into_iter().find(|(_, fit)| fit != "t") {
        None => Ok(()),
        Some((node, _)) => Err(Failure::Unavailable(format!(
            "{node} must have max_prepared_transactions above 0, so that a change is committed on all nodes \
             or on none, and synchronous_commit on, so that acknowledged changes are on disk"
        ))),
    }
}

/// Reads the nodes whose sessions lack the limits or the required settings, as `host:port`.
pub(crate) async fn find_nodes_without_limits(client: &Client) -> Outcome<Vec<String>> {
    // The values are compared as intervals, because PostgreSQL shows 60s as 1min.
    let limits = NODE_SESSION_LIMITS.iter().map(|(name, value)| match *value {
        "off" => format!("current_setting('{name}') = 'off'"),
        time => format!("current_setting('{name}')::interval = '{time}'"),
    });
    let all: Vec<String> = limits.chain([HAS_REQUIRED_SETTINGS.to_owned()]).collect();
    let found = query_each_node(client, &format!("SELECT {}", all.join(" AND "))).await?;
    Ok(found.into_iter().filter(|(_, limited)| limited != "t").map(|(node, _)| node).collect())
}

/// Returns the result of a single-value statement on each node that responds, in a new session. Returns pairs
/// of the node (`host:port`) and the result.
async fn query_each_node(client: &Client, statement: &str) -> Outcome<Vec<(String, String)>> {
    let rows = client.query(RUN_COMMAND_ON_NODES, &[&statement]).await.map_err(query_failure)?;
    let read = rows.iter().map(|row| Ok((format_address(row.try_get(0)?, row.try_get(1)?), row.try_get(2)?)));
    read.collect::<Result<_, _>>().map_err(query_failure)
}
