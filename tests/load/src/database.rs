//! A fresh database for a run, removed afterwards.

use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::Failure;

/// A database of one of the two kinds.
pub(crate) enum Database {
    Sqlite(TempDir),
    Postgres { server: String, name: String },
}

impl Database {
    pub(crate) fn sqlite() -> Result<Self, Failure> {
        Ok(Self::Sqlite(tempfile::tempdir()?))
    }

    /// Makes a database on that server, in place of one that an earlier run left.
    pub(crate) async fn postgres(server: &str) -> Result<Self, Failure> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("payroll_load_{}_{number}", std::process::id());
        let (client, connection) = tokio_postgres::connect(&format!("{server}/postgres"), NoTls).await?;
        tokio::spawn(connection);
        client.batch_execute(&format!("CREATE DATABASE {name}")).await?;
        Ok(Self::Postgres { server: server.to_owned(), name })
    }

    /// The word for it in the report.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::Postgres { .. } => "PostgreSQL",
        }
    }

    /// The server's setting `database_url`.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => folder.path().join("load.db").display().to_string(),
            Self::Postgres { server, name } => format!("{server}/{name}"),
        }
    }

    /// The floor's word for the same database.
    pub(crate) fn floor_url(&self) -> String {
        match self {
            Self::Sqlite(_) => format!("sqlite:{}", self.url()),
            Self::Postgres { .. } => self.url(),
        }
    }

    /// Whether its work is done by processes other than the server.
    pub(crate) const fn has_processes(&self) -> bool {
        matches!(self, Self::Postgres { .. })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Self::Postgres { server, name } = self {
            let drop_it = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            // A database that stays is an annoyance, not a failure.
            let _ = std::process::Command::new("psql")
                .args(["--quiet", "--command", &drop_it, &format!("{server}/postgres")])
                .status();
        }
    }
}
