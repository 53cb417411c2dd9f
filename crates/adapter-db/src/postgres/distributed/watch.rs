//! Monitors in the background which nodes of a distributed database respond.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use payroll_ports::schema::ClusterNodes;
use tokio::time::sleep;
use tokio_postgres::Client;

use super::cluster::{Cluster, unresponsive_nodes};
use crate::error::Outcome;
use crate::postgres::background::BackgroundTask;
use crate::postgres::connect::DatabaseConnector;

/// The interval between two queries of the nodes. A silent node delays a query by up to five seconds, so the
/// result is at most ten seconds old.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// The nodes of a distributed database, without the coordinator. A task queries the nodes from the first use
/// of this value until the value is dropped.
pub(in crate::postgres) struct NodeMonitor {
    connector: DatabaseConnector,
    state: Arc<Mutex<ClusterState>>,
    task: OnceLock<BackgroundTask>,
}

#[derive(Default)]
struct ClusterState {
    node_count: usize,
    unresponsive_nodes: BTreeSet<String>,
}

impl NodeMonitor {
    /// Creates the monitor without starting its task. Until the first result, all nodes are reported as
    /// available.
    pub(in crate::postgres) fn new(connector: DatabaseConnector, cluster: &Cluster) -> Self {
        let seen = ClusterState { node_count: cluster.nodes.len(), unresponsive_nodes: BTreeSet::new() };
        Self { connector, state: Arc::new(Mutex::new(seen)), task: OnceLock::new() }
    }

    /// Returns the result of the last query. The first call starts the task that queries the nodes.
    pub(in crate::postgres) fn nodes(&self) -> ClusterNodes {
        self.task.get_or_init(|| {
            let watching = watch_cluster(self.connector.clone(), Arc::clone(&self.state));
            BackgroundTask::spawn_task(&self.connector, watching)
        });
        let seen = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let count = |nodes: usize| u32::try_from(nodes).unwrap_or(u32::MAX);
        ClusterNodes {
            total: count(seen.node_count),
            responsive: count(seen.node_count.saturating_sub(seen.unresponsive_nodes.len())),
        }
    }
}

/// Queries the nodes regularly and stores the result. While the coordinator does not respond, the last result
/// stays in `state`.
async fn watch_cluster(connector: DatabaseConnector, state: Arc<Mutex<ClusterState>>) {
    loop {
        if let Ok(client) = connector.connect_client().await {
            while let Ok(now) = read_cluster_state(&client).await {
                update_cluster_state(&state, now);
                sleep(CHECK_INTERVAL).await;
            }
        }
        sleep(CHECK_INTERVAL).await;
    }
}

async fn read_cluster_state(client: &Client) -> Outcome<ClusterState> {
    let all = Cluster::load(client).await?.nodes.len();
    Ok(ClusterState {
        node_count: all,
        unresponsive_nodes: unresponsive_nodes(client).await?.into_iter().collect(),
    })
}

fn update_cluster_state(state: &Mutex<ClusterState>, now: ClusterState) {
    let mut seen = state.lock().unwrap_or_else(PoisonError::into_inner);
    for node in now.unresponsive_nodes.difference(&seen.unresponsive_nodes) {
        tracing::error!(
            node,
            "a node of the distributed database does not respond: requests about \
            companies on this node get 503"
        );
    }
    for node in seen.unresponsive_nodes.difference(&now.unresponsive_nodes) {
        tracing::info!(node, "a node of the distributed database responds again");
    }
    *seen = now;
}
