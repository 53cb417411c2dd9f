//! Creates many rows from a few. The database copies the rows and changes the values of some columns.

use tokio_postgres::NoTls;

use crate::Failure;
use crate::database::Database;

/// Defines the rows of a table to copy, and the values to change in the copies.
pub(crate) struct RowCopies {
    pub(crate) table: &'static str,
    /// The SQL condition that selects the rows to copy.
    pub(crate) of: String,
    /// The columns with new values, as expressions with the copy's number `n`.
    pub(crate) changed: Vec<(&'static str, String)>,
    /// The number of copies of each row.
    pub(crate) count: usize,
    /// The number of copies that one statement creates.
    pub(crate) batch_size: usize,
}

impl RowCopies {
    /// Inserts the copies into the database.
    pub(crate) async fn insert(&self, database: &Database) -> Result<(), Failure> {
        let starts = (0..self.count).step_by(self.batch_size.max(1));
        let ranges = starts.map(|first| (first + 1, (first + self.batch_size).min(self.count)));
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
                    connection
                        .execute_batch(&format!("{numbers}{}", self.insert_statement(&names, "numbers")))?;
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
                    client.batch_execute(&self.insert_statement(&names, &numbers)).await?;
                }
            }
        }
        Ok(())
    }

    fn insert_statement(&self, names: &[String], numbers: &str) -> String {
        // The column `position` is omitted, because the database assigns its values.
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

/// Runs the maintenance of the database now. Otherwise the maintenance would run gradually during the
/// measurement.
pub(crate) async fn checkpoint(database: &Database) -> Result<(), Failure> {
    if let Database::Postgres { .. } = database {
        let (client, connection) = tokio_postgres::connect(&database.url(), NoTls).await?;
        tokio::spawn(connection);
        // Citus forwards `VACUUM ANALYZE` to its nodes only if the command names a table.
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
