//! New databases for tests: a SQLite file, and a PostgreSQL database if `TEST_DATABASE_URL` is set.

pub(crate) mod raw;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use payroll_adapter_db::{DatabaseSettings, open};
use payroll_ports::keys::{Key, KeySet};
use payroll_ports::{Randomness, Store};

/// Generates predictable bytes for tests from a counter.
pub(crate) struct CountingRandomness(pub(crate) AtomicU64);

impl Randomness for CountingRandomness {
    fn fill_with_random_bytes(&self, bytes: &mut [u8]) {
        for eight in bytes.chunks_mut(8) {
            let next = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes();
            eight.iter_mut().zip(next).for_each(|(byte, next)| *byte = next);
        }
    }
}

/// A new, empty database. The test must delete it at the end.
pub(crate) enum TestDatabase {
    Sqlite(tempfile::TempDir),
    Postgres { server: String, name: String },
}

impl TestDatabase {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    /// Creates a new PostgreSQL database. `None` if `TEST_DATABASE_URL` is not set.
    pub(crate) fn postgres() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("TEST_DATABASE_URL").ok()?;
        // A previous run with the same process id may have left databases, so the name also contains a random
        // number.
        static RUN: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("run"));
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("payroll_test_{}_{}_{number}", std::process::id(), *RUN);
        Some(Self::Postgres { server, name })
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite(directory) => directory.path().join("test.db").display().to_string(),
            Self::Postgres { server, name } => {
                let (address, query) = server.split_once('?').unwrap_or((server, ""));
                let (host, _) = address.rsplit_once('/').unwrap();
                format!("{host}/{name}?{query}")
            }
        }
    }

    pub(crate) async fn create(&self) {
        if let Self::Postgres { name, .. } = self {
            self.execute_on_server(&format!("CREATE DATABASE {name}")).await;
        }
    }

    /// Runs the migrations on this database and makes it a template, from which other databases are copied. A
    /// template accepts no connections.
    pub(crate) async fn create_template(&self) {
        self.create().await;
        drop(open_store(self.url()).await);
        if let Self::Postgres { name, .. } = self {
            self.execute_on_server(&format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")).await;
            self.execute_on_server(&format!(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            ))
            .await;
        }
    }

    /// Creates the database as a copy of a template, which takes less time than the migrations. On SQLite the
    /// migrations run when the database is opened.
    pub(crate) async fn create_copy_of(&self, template: &Self) {
        if let (Self::Postgres { name, .. }, Self::Postgres { name: template, .. }) = (self, template) {
            self.execute_on_server(&format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        }
    }

    pub(crate) async fn delete_database(self) {
        if let Self::Postgres { name, .. } = &self {
            self.execute_on_server(&format!("DROP DATABASE {name} WITH (FORCE)")).await;
        }
    }

    async fn execute_on_server(&self, sql: &str) {
        let Self::Postgres { server, .. } = self else { return };
        let (client, connection) = tokio_postgres::connect(server, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute(sql).await.unwrap();
        drop(client);
        // The result is ignored. The connection may report an error if the server closes it before the client
        // does.
        let _ = connection.await.unwrap();
    }
}

pub(crate) fn key_set(secret: u8) -> KeySet {
    KeySet::new(Key::new("test", [secret; 32]).unwrap(), Vec::new()).unwrap()
}

pub(crate) fn settings(url: String, secret: u8) -> DatabaseSettings {
    let randomness = Arc::new(CountingRandomness(AtomicU64::new(1)));
    DatabaseSettings {
        url,
        direct_url: None,
        connections: 8,
        node_connections: 0,
        streams: 4,
        is_exclusive: false,
        keys: key_set(secret).into(),
        randomness,
    }
}

pub(crate) async fn open_store(url: String) -> Arc<dyn Store> {
    open(settings(url, 1)).await.unwrap()
}

/// Declares a test for each function. Each test runs on SQLite, and on PostgreSQL if `TEST_DATABASE_URL` is
/// set. The argument expressions are evaluated for each test.
macro_rules! test_on_both_databases {
    (|$database:ident| $arguments:tt; $($claim:ident,)*) => { $(
        #[tokio::test(flavor = "multi_thread")]
        async fn $claim() {
            for fresh in [Some($crate::support::TestDatabase::sqlite()), $crate::support::TestDatabase::postgres()]
                .into_iter()
                .flatten()
            {
                fresh.create().await;
                let $database = &fresh;
                claims::$claim $arguments.await;
                fresh.delete_database().await;
            }
        }
    )* };
}
pub(crate) use test_on_both_databases;
