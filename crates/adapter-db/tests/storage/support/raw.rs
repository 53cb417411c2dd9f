//! A separate connection for operations that no port offers, such as corrupting a row.

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};

use super::TestDatabase;

/// A connection for plain SQL on the database of a test.
pub(crate) enum RawConnection {
    Sqlite(SqliteConnection),
    Postgres(tokio_postgres::Client),
}

impl RawConnection {
    pub(crate) async fn connect_to(database: &TestDatabase) -> Self {
        let url = database.url();
        match database {
            TestDatabase::Sqlite(_) => {
                let mut connection = SqliteConnection::establish(&url).unwrap();
                connection.batch_execute("PRAGMA busy_timeout = 30000").unwrap();
                Self::Sqlite(connection)
            }
            TestDatabase::Postgres { .. } => {
                let (client, connection) =
                    tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
                tokio::spawn(connection);
                Self::Postgres(client)
            }
        }
    }

    pub(crate) async fn execute(&mut self, sql: &str) {
        match self {
            Self::Sqlite(connection) => connection.batch_execute(sql).unwrap(),
            Self::Postgres(client) => client.batch_execute(sql).await.unwrap(),
        }
    }

    /// Begins a transaction that blocks other writers.
    pub(crate) async fn begin_blocking_transaction(&mut self, sql: &str) {
        let begin = match self {
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
            Self::Postgres(_) => "BEGIN",
        };
        self.execute(begin).await;
        self.execute(sql).await;
    }

    /// Waits until another session waits for a lock. On SQLite this method returns immediately, because
    /// SQLite does not report waiting sessions.
    pub(crate) async fn wait_for_lock_waiter(&self) {
        const WAITING: &str = "SELECT 1 FROM pg_stat_activity \
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        if let Self::Postgres(client) = self {
            while client.query(WAITING, &[]).await.unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
        }
    }
}

/// A row of a query that returns one text column.
#[derive(diesel::QueryableByName)]
struct Text {
    #[diesel(sql_type = diesel::sql_types::Text)]
    text: String,
}

impl RawConnection {
    /// Returns the values of the column `text` in the rows that the statement returns.
    pub(crate) async fn query_texts(&mut self, sql: &str) -> Vec<String> {
        match self {
            Self::Sqlite(connection) => {
                let rows: Vec<Text> = diesel::RunQueryDsl::load(diesel::sql_query(sql), connection).unwrap();
                rows.into_iter().map(|row| row.text).collect()
            }
            Self::Postgres(client) => {
                client.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
            }
        }
    }
}
