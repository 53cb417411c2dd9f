//! A database of each test's own: a copy of one that holds the world, made once in each run.
//! What no operation can do, such as spoiling a row, is done here by SQL.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use tempfile::TempDir;

/// The variable that names a PostgreSQL server on which databases may be made.
pub(crate) const POSTGRES_VARIABLE: &str = "TEST_DATABASE_URL";

/// What every database of ours on a PostgreSQL server is called first.
const PREFIX: &str = "acceptance";

/// Which database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    /// SQLite always, PostgreSQL where the environment names one.
    pub(crate) fn at_hand() -> Vec<Self> {
        let postgres = std::env::var_os(POSTGRES_VARIABLE).map(|_| Self::Postgres);
        [Self::Sqlite].into_iter().chain(postgres).collect()
    }
}

/// Runs a test once for each kind of database at hand.
#[expect(clippy::print_stdout, reason = "shown where the test fails, and only there")]
pub(crate) fn for_each_kind(test: impl AsyncFn(Kind)) {
    for kind in Kind::at_hand() {
        println!("on {kind:?}");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(test(kind));
    }
}

/// A database that is there as long as this value.
#[derive(Debug)]
pub(crate) enum Database {
    Sqlite(TempDir),
    Postgres(String),
}

impl Database {
    /// A database with nothing in it.
    pub(crate) async fn empty(kind: Kind) -> Self {
        match kind {
            Kind::Sqlite => Self::Sqlite(tempfile::tempdir().expect("a folder")),
            Kind::Postgres => Self::create("").await,
        }
    }

    /// A copy; nothing may be connected to the original.
    pub(crate) async fn copy(&self) -> Self {
        match self {
            Self::Sqlite(original) => {
                let folder = tempfile::tempdir().expect("a folder");
                std::fs::copy(file_in(original), file_in(&folder)).expect("a copy");
                Self::Sqlite(folder)
            }
            Self::Postgres(original) => Self::create(&format!("TEMPLATE \"{original}\"")).await,
        }
    }

    /// What the setting `database_url` says of it.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => file_in(folder).to_str().expect("a path of Unicode").to_owned(),
            Self::Postgres(name) => url_of(name),
        }
    }

    /// Removes what does not remove itself.
    pub(crate) async fn remove(self) {
        if let Self::Postgres(name) = self {
            execute_on_postgres("postgres", &format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)"))
                .await;
        }
    }

    /// Ends what is still connected, so that it can be copied.
    pub(crate) async fn disconnect(&self) {
        match self {
            Self::Sqlite(_) => self.execute("PRAGMA wal_checkpoint(TRUNCATE)").await,
            Self::Postgres(name) => {
                let others = format!(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
                );
                execute_on_postgres("postgres", &others).await;
            }
        }
    }

    /// Runs statements.
    pub(crate) async fn execute(&self, sql: &str) {
        match self {
            Self::Sqlite(_) => {
                self.sqlite().batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
            }
            Self::Postgres(name) => execute_on_postgres(name, sql).await,
        }
    }

    /// The one number that a query gives.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        match self {
            Self::Sqlite(_) => {
                use diesel::RunQueryDsl;
                let query = diesel::dsl::sql::<diesel::sql_types::BigInt>(&format!("({sql})"));
                let read = diesel::select(query).get_result(&mut self.sqlite());
                read.unwrap_or_else(|error| panic!("{sql}: {error}"))
            }
            Self::Postgres(name) => {
                let rows = connect(name).await.query(sql, &[]).await;
                rows.unwrap_or_else(|error| panic!("{sql}: {error}"))[0].get(0)
            }
        }
    }

    /// Lets nobody in until [`give_back`](Self::give_back); false where that cannot be done.
    pub(crate) async fn take_away(&self) -> bool {
        let Self::Postgres(name) = self else { return false };
        execute_on_postgres("postgres", &format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS false")).await;
        self.disconnect().await;
        true
    }

    /// Ends what [`take_away`](Self::take_away) began.
    pub(crate) async fn give_back(&self) {
        if let Self::Postgres(name) = self {
            execute_on_postgres("postgres", &format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS true"))
                .await;
        }
    }

    /// Begins to write to a pay period and does not end as long as the value is there.
    pub(crate) async fn hold_period(&self, period: &str) -> Held {
        let touch = format!("UPDATE pay_periods SET version = version WHERE pay_period_id = '{period}'");
        match self {
            Self::Sqlite(_) => {
                let mut connection = self.sqlite();
                connection.batch_execute(&format!("BEGIN IMMEDIATE; {touch}")).expect("a transaction");
                Held::Sqlite(connection)
            }
            Self::Postgres(name) => {
                let client = connect(name).await;
                client.batch_execute(&format!("BEGIN; {touch}")).await.expect("a transaction");
                Held::Postgres(client)
            }
        }
    }

    fn sqlite(&self) -> SqliteConnection {
        let mut connection = SqliteConnection::establish(&self.url()).expect("the database");
        connection.batch_execute("PRAGMA busy_timeout = 10000").expect("a time-out");
        connection
    }

    async fn create(options: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        remove_leftovers().await;
        let number = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("{PREFIX}_{}_{number}", std::process::id());
        execute_on_postgres("postgres", &format!("CREATE DATABASE \"{name}\" {options}")).await;
        Self::Postgres(name)
    }
}

/// A transaction under way; dropping it takes it back.
#[expect(dead_code, reason = "it is held, and nothing else")]
pub(crate) enum Held {
    Sqlite(SqliteConnection),
    Postgres(tokio_postgres::Client),
}

fn file_in(folder: &TempDir) -> PathBuf {
    folder.path().join("payroll.db")
}

/// The address of a database on the server that the environment names.
fn url_of(database: &str) -> String {
    let server = std::env::var(POSTGRES_VARIABLE).expect("a PostgreSQL server");
    let (address, options) = server.split_once('?').unwrap_or((&server, ""));
    let (address, _) = address.rsplit_once('/').expect("an address with a database");
    let mark = if options.is_empty() { "" } else { "?" };
    format!("{address}/{database}{mark}{options}")
}

async fn connect(database: &str) -> tokio_postgres::Client {
    let connected = tokio_postgres::connect(&url_of(database), tokio_postgres::NoTls).await;
    let (client, connection) = connected.unwrap_or_else(|error| panic!("{database}: {error}"));
    tokio::spawn(connection);
    client
}

async fn execute_on_postgres(database: &str, sql: &str) {
    let done = connect(database).await.batch_execute(sql).await;
    done.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// Drops what runs that were killed have left behind: databases of processes that are no more.
async fn remove_leftovers() {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.set(()).is_err() {
        return;
    }
    let client = connect("postgres").await;
    let query = "SELECT datname FROM pg_database WHERE datname LIKE $1";
    let rows = client.query(query, &[&format!("{PREFIX}\\_%")]).await.expect("the databases");
    for name in rows.iter().map(|row| row.get::<_, String>(0)).filter(|name| is_left_over(name)) {
        // Another run may be dropping it too.
        let _dropped = client.batch_execute(&format!("DROP DATABASE IF EXISTS \"{name}\"")).await;
    }
}

fn is_left_over(name: &str) -> bool {
    let process = name.split('_').nth(1).unwrap_or_default();
    Path::new("/proc/self").exists() && !Path::new("/proc").join(process).exists()
}
