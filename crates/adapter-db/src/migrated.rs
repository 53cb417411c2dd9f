//! A PostgreSQL database with the schema of this release, for tests.

use tokio_postgres::{Client, NoTls};

use crate::migrations;

/// A database that was created for one test.
pub(crate) struct MigratedDatabase {
    /// A client with a connection to the database.
    pub(crate) client: Client,
    administrator: Client,
    name: String,
}

impl MigratedDatabase {
    /// Creates a new database with the schema of this release. `None` if `TEST_DATABASE_URL` is not set.
    pub(crate) async fn create_migrated_database(purpose: &str) -> Option<Self> {
        let server = std::env::var("TEST_DATABASE_URL").ok()?;
        let name = format!("payroll_{purpose}_{}", std::process::id());
        let administrator = connect(&server).await;
        administrator.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let (address, query) = server.split_once('?').unwrap_or((&server, ""));
        let url = format!("{}/{name}?{query}", address.rsplit_once('/').unwrap().0);
        migrations::migrate_postgres(&url).await.unwrap();
        Some(Self { client: connect(&url).await, administrator, name })
    }

    /// Removes the database from the server.
    pub(crate) async fn remove(self) {
        drop(self.client);
        let Self { administrator, name, .. } = self;
        administrator.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
