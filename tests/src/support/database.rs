//! The database of one test, empty or with the test data. Tests use SQL statements for changes that no
//! operation of the API makes, such as corrupting a row.

use std::path::PathBuf;

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use super::population::fill_database;
use super::postgres::{self, POSTGRES_VARIABLE};

/// The kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DatabaseKind {
    Sqlite,
    Postgres,
}

impl DatabaseKind {
    /// Returns the available kinds of database: SQLite, and PostgreSQL if the environment variable contains
    /// the URL of a server.
    pub(crate) fn available() -> Vec<Self> {
        let postgres = std::env::var_os(POSTGRES_VARIABLE).map(|_| Self::Postgres);
        [Self::Sqlite].into_iter().chain(postgres).collect()
    }

    /// Returns the kind of database for a test that needs only one kind. The name of the test determines the
    /// kind, so that each kind runs about half of these tests.
    pub(crate) fn pick_for_test() -> Self {
        let kinds = Self::available();
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        let sum: usize = name.bytes().map(usize::from).sum();
        kinds[sum % kinds.len()]
    }
}

/// Runs a test once for each available kind of database.
pub(crate) fn for_each_kind(test: impl AsyncFn(DatabaseKind)) {
    on_database_kinds(&DatabaseKind::available(), test);
}

/// Runs a test once for each of these kinds of database.
#[expect(clippy::print_stdout, reason = "shown where the test fails, and only there")]
pub(crate) fn on_database_kinds(kinds: &[DatabaseKind], test: impl AsyncFn(DatabaseKind)) {
    for &kind in kinds {
        println!("on {kind:?}");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let _place = if kind == DatabaseKind::Postgres {
                Some(postgres::acquire_connection_permit().await)
            } else {
                None
            };
            test(kind).await;
        });
    }
}

/// A database that exists until this value is dropped.
#[derive(Debug)]
pub(crate) enum Database {
    Sqlite(TempDir),
    Postgres(String),
}

impl Database {
    /// Returns a database without companies and applications.
    pub(crate) async fn empty(kind: DatabaseKind) -> Self {
        match kind {
            DatabaseKind::Sqlite => Self::Sqlite(tempfile::tempdir().expect("a folder")),
            DatabaseKind::Postgres => {
                Self::Postgres(postgres::acquire_database("", postgres_test_data_name().await).await)
            }
        }
    }

    /// Returns a database with the test data.
    pub(crate) async fn with_test_data(kind: DatabaseKind) -> Self {
        match kind {
            DatabaseKind::Sqlite => {
                let folder = tempfile::tempdir().expect("a folder");
                std::fs::write(database_path(&folder), sqlite_test_data().await).expect("a copy");
                // Only the owner may access the file, as with database files that the server creates.
                let owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
                std::fs::set_permissions(database_path(&folder), owner).expect("a mode");
                Self::Sqlite(folder)
            }
            DatabaseKind::Postgres => Self::Postgres(
                postgres::acquire_database(postgres::REFILL_TABLE, postgres_test_data_name().await).await,
            ),
        }
    }

    /// Returns the value of the setting `database_url` for this database.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => database_path(folder).to_str().expect("a path of Unicode").to_owned(),
            Self::Postgres(name) => postgres::database_url(name),
        }
    }

    /// Returns the values of `database_url` and `direct_database_url` for a server under test. With a pooler,
    /// the first URL is that of the pooler.
    pub(super) fn direct_and_pooled_urls(&self) -> (String, String) {
        let pooled = match self {
            Self::Sqlite(_) => None,
            Self::Postgres(_) => postgres::pooler_url(&self.url()),
        };
        pooled.map_or_else(|| (self.url(), String::new()), |pooled| (pooled, self.url()))
    }

    /// Makes a PostgreSQL database available to the next test, which starts with the data of a new database.
    pub(crate) async fn return_to_pool(self) {
        if let Self::Postgres(name) = self {
            postgres::return_to_pool(name).await;
        }
    }

    /// Runs SQL statements in a new session.
    pub(crate) async fn execute(&self, sql: &str) {
        self.open_session().await.run_sql(sql).await;
    }

    pub(crate) async fn query_number(&self, sql: &str) -> i64 {
        match self {
            Self::Sqlite(_) => {
                use diesel::RunQueryDsl;
                let query = diesel::dsl::sql::<diesel::sql_types::BigInt>(&format!("({sql})"));
                let read = diesel::select(query).get_result(&mut self.sqlite());
                read.unwrap_or_else(|error| panic!("{sql}: {error}"))
            }
            Self::Postgres(name) => {
                let rows = postgres::connect(name).await.query(sql, &[]).await;
                rows.unwrap_or_else(|error| panic!("{sql}: {error}"))[0].get(0)
            }
        }
    }

    pub(crate) async fn query_texts(&self, sql: &str) -> Vec<String> {
        match self {
            Self::Sqlite(_) => {
                use diesel::RunQueryDsl;
                let query = diesel::dsl::sql::<diesel::sql_types::Text>(sql);
                let read = query.load(&mut self.sqlite());
                read.unwrap_or_else(|error| panic!("{sql}: {error}"))
            }
            Self::Postgres(name) => {
                let rows = postgres::connect(name).await.query(sql, &[]).await;
                rows.unwrap_or_else(|error| panic!("{sql}: {error}")).iter().map(|row| row.get(0)).collect()
            }
        }
    }

    /// Rejects all connections until [`allow_connections`](Self::allow_connections) is called. Returns
    /// `false` if this kind of database cannot reject connections.
    pub(crate) async fn block_connections(&self) -> bool {
        let Self::Postgres(name) = self else { return false };
        postgres::allow_connections(name, false).await;
        postgres::disconnect_sessions(name).await;
        true
    }

    /// Closes all connections to a PostgreSQL database. With `read_only`, new sessions cannot write, as on a
    /// standby. Otherwise new sessions can write again.
    pub(crate) async fn set_read_only(&self, read_only: bool) {
        let Self::Postgres(name) = self else { return };
        postgres::set_read_only(name, read_only).await;
        postgres::disconnect_sessions(name).await;
    }

    /// Accepts connections again after [`block_connections`](Self::block_connections).
    pub(crate) async fn allow_connections(&self) {
        if let Self::Postgres(name) = self {
            postgres::allow_connections(name, true).await;
        }
    }

    /// Opens another connection to the database, which only the test uses.
    pub(crate) async fn open_session(&self) -> Session {
        match self {
            Self::Sqlite(_) => Session::Sqlite(self.sqlite()),
            Self::Postgres(name) => Session::Postgres(postgres::connect(name).await),
        }
    }

    /// Runs statements in a transaction that stays open until `COMMIT`. Dropping the session rolls back the
    /// transaction.
    pub(crate) async fn hold_transaction(&self, sql: &str) -> Session {
        let mut session = self.open_session().await;
        let begin = if matches!(self, Self::Sqlite(_)) { "BEGIN IMMEDIATE" } else { "BEGIN" };
        session.run_sql(&format!("{begin}; {sql}")).await;
        session
    }

    fn sqlite(&self) -> SqliteConnection {
        let mut connection = SqliteConnection::establish(&self.url()).expect("the database");
        connection.batch_execute("PRAGMA busy_timeout = 10000").expect("a time-out");
        connection
    }
}

/// A connection in addition to those of the server.
pub(crate) enum Session {
    Sqlite(SqliteConnection),
    Postgres(tokio_postgres::Client),
}

impl Session {
    /// Runs SQL statements in this session.
    pub(crate) async fn run_sql(&mut self, sql: &str) {
        match self {
            Self::Sqlite(connection) => {
                connection.batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
            }
            Self::Postgres(client) => {
                client.batch_execute(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
            }
        }
    }
}

/// Returns the bytes of a database file with the test data, created once for all tests of a run.
async fn sqlite_test_data() -> &'static [u8] {
    static TEST_DATA_ONCE: OnceCell<Vec<u8>> = OnceCell::const_new();
    let make = async || {
        let database = Database::Sqlite(tempfile::tempdir().expect("a folder"));
        Box::pin(fill_database(&database.url())).await;
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)").await;
        std::fs::read(database.url()).expect("the file")
    };
    TEST_DATA_ONCE.get_or_init(make).await
}

/// Returns the name of a database with the test data, created once for all tests of a run.
async fn postgres_test_data_name() -> &'static str {
    static WORLD: OnceCell<String> = OnceCell::const_new();
    let make = async || {
        let name = postgres::create_database("").await;
        postgres::distribute_tables(&name).await;
        postgres::partition_checks(&name).await;
        Box::pin(fill_database(&Database::Postgres(name.clone()).url())).await;
        postgres::create_copies(&name).await;
        name
    };
    WORLD.get_or_init(make).await
}

fn database_path(folder: &TempDir) -> PathBuf {
    folder.path().join("payroll.db")
}
