//! Checks regularly in the background which nodes of a distributed database respond.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use payroll_ports::schema::Nodes;
use tokio::time::sleep;
use tokio_postgres::Client;

use super::cluster::{Cluster, unreachable_nodes};
use crate::error::Outcome;
use crate::postgres::background::BackgroundTask;
use crate::postgres::connect::DatabaseConnector;

/// The interval between two checks. A silent node delays a check by up to five seconds, so the result is at
/// most ten seconds old.
const EVERY: Duration = Duration::from_secs(5);

/// The nodes in addition to the coordinator. They are watched from the first use until this value is dropped.
pub(in crate::postgres) struct NodeMonitor {
    connector: DatabaseConnector,
    state: Arc<Mutex<ClusterState>>,
    task: OnceLock<BackgroundTask>,
}

#[derive(Default)]
struct ClusterState {
    all: usize,
    silent: BTreeSet<String>,
}

impl NodeMonitor {
    /// Creates the watch without checking. All nodes count as available at first.
    pub(in crate::postgres) fn new(connector: DatabaseConnector, cluster: &Cluster) -> Self {
        let seen = ClusterState { all: cluster.nodes.len(), silent: BTreeSet::new() };
        Self { connector, state: Arc::new(Mutex::new(seen)), task: OnceLock::new() }
    }

    /// The result of the last check.
    pub(in crate::postgres) fn nodes(&self) -> Nodes {
        self.task.get_or_init(|| {
            let watching = watch(self.connector.clone(), Arc::clone(&self.state));
            BackgroundTask::begin(&self.connector, watching)
        });
        let seen = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let count = |nodes: usize| u32::try_from(nodes).unwrap_or(u32::MAX);
        Nodes { all: count(seen.all), answering: count(seen.all.saturating_sub(seen.silent.len())) }
    }
}

/// Checks regularly. While the coordinator does not respond, the last result is kept.
async fn watch(connector: DatabaseConnector, state: Arc<Mutex<ClusterState>>) {
    loop {
        if let Ok(client) = connector.client().await {
            while let Ok(now) = read_state(&client).await {
                update_state(&state, now);
                sleep(EVERY).await;
            }
        }
        sleep(EVERY).await;
    }
}

async fn read_state(client: &Client) -> Outcome<ClusterState> {
    let all = Cluster::load(client).await?.nodes.len();
    Ok(ClusterState { all, silent: unreachable_nodes(client).await?.into_iter().collect() })
}

fn update_state(state: &Mutex<ClusterState>, now: ClusterState) {
    let mut seen = state.lock().unwrap_or_else(PoisonError::into_inner);
    for node in now.silent.difference(&seen.silent) {
        tracing::error!(node, "a node of the distributed database does not respond: its companies get 503");
    }
    for node in seen.silent.difference(&now.silent) {
        tracing::info!(node, "a node of the distributed database responds again");
    }
    *seen = now;
}
