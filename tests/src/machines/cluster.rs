//! A cluster of PostgreSQL servers with the extension Citus, made for one test and removed behind it: a
//! coordinator, and machines that companies lie on.

use tempfile::TempDir;

use super::failover::{connect, execute};
use super::missing;
use super::postgres::{Machine, network};
use crate::support::{Database, Kind, fill, run};

/// The database of the cluster.
const NAME: &str = "pay";
/// Machines in addition to the coordinator.
pub(super) const NODES: usize = 2;
/// Parts of a table: few, since each is a table, and more than machines.
const SHARDS: &str = "4";
/// What Citus needs, and what has it finish soon what was prepared when a machine was lost.
const SETTINGS: &str = "shared_preload_libraries = 'citus'\nmax_prepared_transactions = 200\n\
    max_worker_processes = 20\ncitus.recover_2pc_interval = '1s'\ncitus.enable_stat_counters = on\n";

/// All run as long as this value is there.
pub(super) struct Cluster {
    coordinator: Machine,
    nodes: [Machine; NODES],
    /// Holds the keys; the embedded database in it is not used.
    pub(super) keys: Database,
    _folder: TempDir,
}

impl Cluster {
    /// Makes a cluster, and an empty database on it that knows its machines; `None` where this machine has no
    /// PostgreSQL with that extension.
    pub(super) async fn start() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let network = network();
        let machine = |name, number| Machine::in_folder(folder.path(), name, format!("{network}.{number}"));
        let coordinator = machine("coordinator", 1)?;
        let nodes = [machine("first", 2)?, machine("second", 3)?];
        if !coordinator.has_extension("citus") {
            missing("citus");
            return None;
        }
        let keys = Database::empty(Kind::Sqlite).await;
        let cluster = Self { coordinator, nodes, keys, _folder: folder };
        for machine in cluster.machines() {
            machine.make(SETTINGS);
            let url = |name| format!("postgres://postgres@{}/{name}", machine.host());
            execute(&url("postgres"), &format!("CREATE DATABASE {NAME}")).await;
            execute(&url(NAME), "CREATE EXTENSION citus").await;
        }
        let added =
            cluster.nodes.iter().map(|node| format!("SELECT citus_add_node('{}', 5432);", node.host()));
        let coordinator = cluster.coordinator.host();
        let joined = format!("SELECT citus_set_coordinator_host('{coordinator}', 5432);");
        execute(&cluster.url(), &added.fold(joined, |all, one| all + &one)).await;
        Some(cluster)
    }

    /// The same with the tables distributed, and the world in them.
    pub(super) async fn distributed() -> Option<Self> {
        let cluster = Self::start().await?;
        let done = cluster.run(&["distribute", "--shards", SHARDS]);
        assert!(done.0, "{}", done.1);
        Box::pin(fill(&cluster.url())).await;
        Some(cluster)
    }

    /// Runs the binary on the database; whether it succeeded, and what it said.
    pub(super) fn run(&self, arguments: &[&str]) -> (bool, String) {
        let url = self.url();
        let all: Vec<&str> = ["--database-url", &url].into_iter().chain(arguments.iter().copied()).collect();
        let output = run(&self.keys, &all, "");
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        (output.status.success(), said.concat())
    }

    /// The address of the database, at the coordinator.
    pub(super) fn url(&self) -> String {
        url_at(&self.coordinator)
    }

    /// The address of the database at a machine of companies.
    pub(super) fn url_of_node(&self, number: usize) -> String {
        url_at(&self.nodes[number])
    }

    /// The machine of companies of that number.
    pub(super) const fn node(&self, number: usize) -> &Machine {
        &self.nodes[number]
    }

    /// The coordinator of the cluster.
    pub(super) const fn coordinator(&self) -> &Machine {
        &self.coordinator
    }

    fn machines(&self) -> impl Iterator<Item = &Machine> {
        [&self.coordinator].into_iter().chain(&self.nodes)
    }

    /// The number of the machine that a company lies on.
    pub(super) async fn node_of(&self, company: &str) -> usize {
        const PLACE: &str = "SELECT nodename FROM pg_dist_shard_placement \
            WHERE shardid = get_shard_id_for_distribution_column('companies', $1::text)";
        let row = connect(&self.url()).await.query_one(PLACE, &[&company]).await.expect("a place");
        let host: String = row.get(0);
        self.nodes.iter().position(|node| node.host() == host).expect("a machine of companies")
    }
}

fn url_at(machine: &Machine) -> String {
    format!("postgres://postgres@{}/{NAME}", machine.host())
}
