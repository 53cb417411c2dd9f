//! A new database for a run, which is removed afterwards.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::Failure;
use crate::process::disk_flushes;

/// A SQLite or PostgreSQL database for a run.
pub(crate) enum Database {
    Sqlite(TempDir),
    Postgres { server: String, name: String, nodes: Vec<String>, folder: Option<PathBuf> },
}

impl Database {
    pub(crate) fn create_sqlite() -> Result<Self, Failure> {
        Ok(Self::Sqlite(tempfile::tempdir()?))
    }

    /// Creates a database on the given server.
    pub(crate) async fn create_postgres(server: &str) -> Result<Self, Failure> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("payroll_load_{}_{number}", std::process::id());
        let maintenance = format!("{server}/postgres");
        execute_statements(&maintenance, &format!("CREATE DATABASE {name}")).await?;
        // Only some users may see the folder. If the folder is not visible, the disk flushes are not counted.
        let folder = data_folder(&maintenance).await.ok();
        Ok(Self::Postgres { server: server.to_owned(), name, nodes: Vec::new(), folder })
    }

    /// Creates a database on the coordinator of a cluster and on its nodes, and registers the nodes with the
    /// coordinator.
    pub(crate) async fn create_distributed(coordinator: &str, of: &[String]) -> Result<Self, Failure> {
        let mut database = Self::create_postgres(coordinator).await?;
        let url = database.url();
        let Self::Postgres { name, nodes, .. } = &mut database else { return Ok(database) };
        let (user, own) = coordinator.rsplit_once('@').ok_or("a coordinator is USER@HOST:PORT")?;
        for node in of {
            let node = format!("{user}@{node}");
            execute_statements(&format!("{node}/postgres"), &format!("CREATE DATABASE {name}")).await?;
            execute_statements(&format!("{node}/{name}"), "CREATE EXTENSION citus").await?;
            nodes.push(node);
        }
        let call = |function: &str, node: &str| {
            let (host, port) = node.split_once(':').unwrap_or((node, "5432"));
            format!("; SELECT {function}('{host}', {port})")
        };
        let mut text = "CREATE EXTENSION citus".to_owned();
        text.push_str(&call("citus_set_coordinator_host", own));
        text.extend(of.iter().map(|node| call("citus_add_node", node)));
        execute_statements(&url, &text).await?;
        Ok(database)
    }

    /// Returns the name of the database in the report.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::Postgres { nodes, .. } if nodes.is_empty() => "PostgreSQL",
            Self::Postgres { .. } => "Citus",
        }
    }

    /// Returns the value of the server's setting `database_url`.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => folder.path().join("load.db").display().to_string(),
            Self::Postgres { server, name, .. } => format!("{server}/{name}"),
        }
    }

    /// Returns the location of the database in the form that the minimal server (`floor`) accepts.
    pub(crate) fn baseline_location(&self) -> String {
        match self {
            Self::Sqlite(_) => format!("sqlite:{}", self.url()),
            Self::Postgres { .. } => self.url(),
        }
    }

    /// Returns whether the database runs in separate processes from the server.
    pub(crate) const fn runs_in_separate_processes(&self) -> bool {
        matches!(self, Self::Postgres { .. })
    }

    /// Returns the number of flushes so far of the disk of the database. `None` if the database is on another
    /// machine, or if the system does not count the flushes.
    pub(crate) fn flushes(&self) -> Option<u64> {
        match self {
            Self::Sqlite(folder) => disk_flushes(folder.path()),
            Self::Postgres { folder, .. } => disk_flushes(folder.as_deref()?),
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Self::Postgres { server, name, nodes, .. } = self {
            let drop_it = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            for server in std::iter::once(server).chain(nodes) {
                // An error is ignored: a remaining database is inconvenient, but the measurement is valid.
                let _ = std::process::Command::new("psql")
                    .args(["--quiet", "--command", &drop_it, &format!("{server}/postgres")])
                    .status();
            }
        }
    }
}

/// Returns the folder in which PostgreSQL stores its files.
async fn data_folder(url: &str) -> Result<PathBuf, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    let row = client.query_one("SHOW data_directory", &[]).await?;
    Ok(PathBuf::from(row.try_get::<_, String>(0)?))
}

async fn execute_statements(url: &str, statements: &str) -> Result<(), Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client.batch_execute(statements).await?)
}
