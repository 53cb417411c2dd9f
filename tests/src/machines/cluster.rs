//! A cluster of PostgreSQL servers with the extension Citus. A cluster consists of a coordinator and of
//! worker nodes, which store the companies. Each cluster is created for one test and removed afterwards.

use tempfile::TempDir;

use super::failover::{connect, execute};
use super::postgres::{PostgresMachine, next_network};
use super::report_missing_program;
use crate::support::{Database, DatabaseKind, fill_database, run};

/// The name of the database in the cluster.
const DATABASE_NAME: &str = "pay";
/// The number of nodes in addition to the coordinator.
pub(super) const WORKER_NODES: usize = 2;
/// The number of shards per table, which must exceed the number of nodes. The number is small because Citus
/// creates a table for each shard.
const SHARD_COUNT: &str = "4";
/// The settings that Citus needs. After the loss of a node, Citus completes prepared transactions every
/// second.
const SERVER_SETTINGS: &str = "shared_preload_libraries = 'citus'\nmax_prepared_transactions = 200\n\
    max_worker_processes = 20\ncitus.recover_2pc_interval = '1s'\ncitus.enable_stat_counters = on\n";

/// A cluster of PostgreSQL servers that stops when this value is dropped.
pub(super) struct CitusCluster {
    coordinator: PostgresMachine,
    nodes: [PostgresMachine; WORKER_NODES],
    /// Contains the encryption keys of the servers. The embedded database in its folder is not used.
    pub(super) keys: Database,
    _folder: TempDir,
}

impl CitusCluster {
    /// Creates a cluster with an empty database. The worker nodes are already registered. Returns `None` if
    /// this machine has no PostgreSQL with the extension.
    pub(super) async fn start() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let network = next_network();
        let machine =
            |name, number| PostgresMachine::in_folder(folder.path(), name, format!("{network}.{number}"));
        let coordinator = machine("coordinator", 1)?;
        let nodes = [machine("first", 2)?, machine("second", 3)?];
        if !coordinator.has_extension("citus") {
            report_missing_program("citus");
            return None;
        }
        let keys = Database::empty(DatabaseKind::Sqlite).await;
        let cluster = Self { coordinator, nodes, keys, _folder: folder };
        for machine in cluster.machines() {
            machine.create_server(SERVER_SETTINGS);
            let url = |name| format!("postgres://postgres@{}/{name}", machine.host());
            execute(&url("postgres"), &format!("CREATE DATABASE {DATABASE_NAME}")).await;
            execute(&url(DATABASE_NAME), "CREATE EXTENSION citus").await;
        }
        let added =
            cluster.nodes.iter().map(|node| format!("SELECT citus_add_node('{}', 5432);", node.host()));
        let coordinator = cluster.coordinator.host();
        let joined = format!("SELECT citus_set_coordinator_host('{coordinator}', 5432);");
        execute(&cluster.url(), &added.fold(joined, |all, one| all + &one)).await;
        Some(cluster)
    }

    /// Creates a cluster whose tables are distributed and contain the test data.
    pub(super) async fn start_distributed() -> Option<Self> {
        let cluster = Self::start().await?;
        let done = cluster.run_server_command(&["distribute", "--shards", SHARD_COUNT]);
        assert!(done.0, "{}", done.1);
        Box::pin(fill_database(&cluster.url())).await;
        Some(cluster)
    }

    /// Runs the program `payroll-server` on the database. Returns whether the command succeeded, and its
    /// output.
    pub(super) fn run_server_command(&self, arguments: &[&str]) -> (bool, String) {
        let url = self.url();
        let all: Vec<&str> = ["--database-url", &url].into_iter().chain(arguments.iter().copied()).collect();
        let output = run(&self.keys, &all, "");
        let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.success(), texts.concat())
    }

    /// Returns the URL of the database at the coordinator.
    pub(super) fn url(&self) -> String {
        url_at(&self.coordinator)
    }

    /// Returns the URL of the database at a worker node.
    pub(super) fn url_of_node(&self, number: usize) -> String {
        url_at(&self.nodes[number])
    }

    /// Returns the worker node with this number.
    pub(super) const fn node(&self, number: usize) -> &PostgresMachine {
        &self.nodes[number]
    }

    /// Returns the coordinator of the cluster.
    pub(super) const fn coordinator(&self) -> &PostgresMachine {
        &self.coordinator
    }

    fn machines(&self) -> impl Iterator<Item = &PostgresMachine> {
        [&self.coordinator].into_iter().chain(&self.nodes)
    }

    /// Returns the number of the worker node that stores a company.
    pub(super) async fn node_number_of_company(&self, company: &str) -> usize {
        const SELECT_NODE_OF_COMPANY: &str = "SELECT nodename FROM pg_dist_shard_placement \
            WHERE shardid = get_shard_id_for_distribution_column('companies', $1::text)";
        let row =
            connect(&self.url()).await.query_one(SELECT_NODE_OF_COMPANY, &[&company]).await.expect("a place");
        let host: String = row.get(0);
        self.nodes.iter().position(|node| node.host() == host).expect("a machine of companies")
    }
}

fn url_at(machine: &PostgresMachine) -> String {
    format!("postgres://postgres@{}/{DATABASE_NAME}", machine.host())
}
