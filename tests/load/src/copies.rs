//! Many rows out of few: copies with other values in some columns, made inside the database.

use tokio_postgres::NoTls;

use crate::Failure;
use crate::database::Database;

/// Copies of rows of a table.
pub(crate) struct Copies {
    pub(crate) table: &'static str,
    /// The condition of the rows that are copied.
    pub(crate) of: String,
    /// Columns with other values, as expressions with the number `n` of the copy.
    pub(crate) changed: Vec<(&'static str, String)>,
    /// How many copies of each row.
    pub(crate) count: usize,
    /// Copies that one statement makes.
    pub(crate) at_once: usize,
}

impl Copies {
    /// Inserts the copies into the database.
    pub(crate) async fn insert(&self, database: &Database) -> Result<(), Failure> {
        let starts = (0..self.count).step_by(self.at_once.max(1));
        let ranges = starts.map(|first| (first + 1, (first + self.at_once).min(self.count)));
        match database {
            Database::Sqlite(_) => {
                let connection = rusqlite::Connection::open(database.url())?;
                let names = format!("SELECT name FROM pragma_table_info('{}')", self.table);
                let names: Vec<String> =
                    connection.prepare(&names)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
                for (first, last) in ranges {
                    let numbers = format!(
                        "WITH RECURSIVE numbers(n) AS \
                         (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last}) "
                    );
                    connection.execute_batch(&format!("{numbers}{}", self.statement(&names, "numbers")))?;
                }
            }
            Database::Postgres { .. } => {
                let (client, connection) = tokio_postgres::connect(&database.url(), NoTls).await?;
                tokio::spawn(connection);
                let names = "SELECT attname::text FROM pg_attribute \
                    WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped";
                let names: Vec<String> =
                    client.query(names, &[&self.table]).await?.iter().map(|row| row.get(0)).collect();
                for (first, last) in ranges {
                    let numbers = format!("generate_series({first}, {last}) AS numbers(n)");
                    client.batch_execute(&self.statement(&names, &numbers)).await?;
                }
            }
        }
        Ok(())
    }

    fn statement(&self, names: &[String], numbers: &str) -> String {
        // The database hands out positions by itself.
        let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "position").collect();
        let value = |name: &&str| match self.changed.iter().find(|(changed, _)| changed == name) {
            Some((_, expression)) => expression.clone(),
            None => (*name).to_owned(),
        };
        let values: Vec<String> = names.iter().map(value).collect();
        format!(
            "INSERT INTO {} ({}) SELECT {} FROM (SELECT * FROM {} WHERE {}) AS copied, {numbers}",
            self.table,
            names.join(", "),
            values.join(", "),
            self.table,
            self.of
        )
    }
}

/// Has the database do now what it would do by and by behind much that was written.
pub(crate) async fn settle(database: &Database) -> Result<(), Failure> {
    if let Database::Postgres { .. } = database {
        let (client, connection) = tokio_postgres::connect(&database.url(), NoTls).await?;
        tokio::spawn(connection);
        // By their names, since Citus hands on no other command.
        let tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'";
        for table in client.query(tables, &[]).await? {
            client.batch_execute(&format!("VACUUM ANALYZE {}", table.get::<_, String>(0))).await?;
        }
        client.batch_execute("CHECKPOINT").await?;
    } else {
        rusqlite::Connection::open(database.url())?.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    }
    Ok(())
}
