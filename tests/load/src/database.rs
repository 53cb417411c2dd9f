//! A new database for a run, which is removed afterwards.

use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::Failure;

/// A database of one of the two kinds.
pub(crate) enum Database {
    Sqlite(TempDir),
    Postgres { server: String, name: String, nodes: Vec<String> },
}

impl Database {
    pub(crate) fn sqlite() -> Result<Self, Failure> {
        Ok(Self::Sqlite(tempfile::tempdir()?))
    }

    /// Creates a database on the given server.
    pub(crate) async fn postgres(server: &str) -> Result<Self, Failure> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("payroll_load_{}_{number}", std::process::id());
        run(&format!("{server}/postgres"), &format!("CREATE DATABASE {name}")).await?;
        Ok(Self::Postgres { server: server.to_owned(), name, nodes: Vec::new() })
    }

    /// Creates a database on the coordinator of a cluster and on its nodes, and registers the nodes with the
    /// coordinator.
    pub(crate) async fn with_nodes(coordinator: &str, of: &[String]) -> Result<Self, Failure> {
        let mut database = Self::postgres(coordinator).await?;
        let url = database.url();
        let Self::Postgres { name, nodes, .. } = &mut database else { return Ok(database) };
        let (user, own) = coordinator.rsplit_once('@').ok_or("a coordinator is USER@HOST:PORT")?;
        for node in of {
            let node = format!("{user}@{node}");
            run(&format!("{node}/postgres"), &format!("CREATE DATABASE {name}")).await?;
            run(&format!("{node}/{name}"), "CREATE EXTENSION citus").await?;
            nodes.push(node);
        }
        let call = |function: &str, node: &str| {
            let (host, port) = node.split_once(':').unwrap_or((node, "5432"));
            format!("; SELECT {function}('{host}', {port})")
        };
        let mut text = "CREATE EXTENSION citus".to_owned();
        text.push_str(&call("citus_set_coordinator_host", own));
        text.extend(of.iter().map(|node| call("citus_add_node", node)));
        run(&url, &text).await?;
        Ok(database)
    }

    /// The name of the database in the report.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::Postgres { nodes, .. } if nodes.is_empty() => "PostgreSQL",
            Self::Postgres { .. } => "Citus",
        }
    }

    /// The value of the server's setting `database_url`.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => folder.path().join("load.db").display().to_string(),
            Self::Postgres { server, name, .. } => format!("{server}/{name}"),
        }
    }

    /// The location of the same database in the form that the floor accepts.
    pub(crate) fn baseline_url(&self) -> String {
        match self {
            Self::Sqlite(_) => format!("sqlite:{}", self.url()),
            Self::Postgres { .. } => self.url(),
        }
    }

    /// Whether the database runs in separate processes from the server.
    pub(crate) const fn has_processes(&self) -> bool {
        matches!(self, Self::Postgres { .. })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Self::Postgres { server, name, nodes } = self {
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

async fn run(url: &str, statements: &str) -> Result<(), Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client.batch_execute(statements).await?)
}
