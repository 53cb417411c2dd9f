//! Creates a consistent copy of an embedded database while a server continues to write.
//!
//! `VACUUM INTO` reads one state of the database in one transaction. In WAL mode readers do not block the
//! writer, so no request waits while the copy is created. SQLite's backup API copies in steps, and restarts
//! if another process writes between two steps. The copy is also compact, because deleted rows take no space
//! in it.
//!
//! The caller chooses the name, the mode and the location of the copy.

use std::fs::File;
use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Text};
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use payroll_ports::StoreError;

use crate::error::{Failure, Outcome};
use crate::sqlite::errors::to_failure;

/// The time to wait for a process that uses the file exclusively, such as a migration.
const BUSY_TIMEOUT_SQL: &str = "PRAGMA busy_timeout = 5000";

/// The schema version and the row counts of a backup copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupContents {
    /// The schema version of the copy.
    pub schema_version: String,
    /// The name of each table with its number of rows.
    pub rows: Vec<(String, u64)>,
}

/// Copies an embedded database into an empty file and flushes this file to disk. The function then reads the
/// complete copy, and verifies that it has the tables of the original.
///
/// # Errors
/// [`StoreError::Unavailable`] if one of the files cannot be used. [`StoreError::Corrupt`] if the copy is not
/// complete, which means that the original is corrupt as well.
pub async fn back_up(database: PathBuf, copy: PathBuf) -> Result<BackupContents, StoreError> {
    let copied = tokio::task::spawn_blocking(move || create_backup(&database, &copy)).await;
    Ok(copied.unwrap_or_else(|error| Err(Failure::Bug(error.to_string())))?)
}

fn create_backup(database: &Path, copy: &Path) -> Outcome<BackupContents> {
    let mut source = open_database(database)?;
    let target = copy.to_string_lossy();
    let vacuumed = diesel::sql_query("VACUUM INTO $1").bind::<Text, _>(target).execute(&mut source);
    vacuumed.map_err(|error| match to_failure(error) {
        // `VACUUM INTO` writes only to the file of the copy. The error therefore concerns the disk of that
        // file.
        Failure::Unwritable(cause) if cause.contains("disk is full") => {
            Failure::Unwritable(format!("{} cannot be written: {cause}", copy.display()))
        }
        other => other,
    })?;
    // `VACUUM INTO` does not wait until the copy is on disk, so the copy is flushed here.
    let synced = File::open(copy).and_then(|file| file.sync_all());
    synced.map_err(|error| {
        Failure::Unavailable(format!("{} cannot be flushed to the disk: {error}", copy.display()))
    })?;
    let mut copied = open_database(copy)?;
    let whole = query_strings(&mut copied, "SELECT integrity_check AS text FROM pragma_integrity_check")?;
    if whole != ["ok"] {
        return Err(corrupt_backup_failure(copy, whole.join("; ")));
    }
    const SELECT_SCHEMA: &str = "SELECT coalesce(sql, name) AS text FROM sqlite_schema ORDER BY name";
    if query_strings(&mut copied, SELECT_SCHEMA)? != query_strings(&mut source, SELECT_SCHEMA)? {
        return Err(corrupt_backup_failure(
            copy,
            "the tables of the copy are not those of the original".to_owned(),
        ));
    }
    read_contents(&mut copied)
}

/// Returns the schema version and the row count of each table. Returns an error if the file is not a database
/// of this server.
fn read_contents(connection: &mut SqliteConnection) -> Outcome<BackupContents> {
    const SELECT_SCHEMA_VERSION: &str = "SELECT max(version) AS text FROM __diesel_schema_migrations";
    const SELECT_TABLE_NAMES: &str = "SELECT name AS text FROM sqlite_schema WHERE type = 'table' \
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\' \
        AND name NOT LIKE '\\_litestream\\_%' ESCAPE '\\' ORDER BY name";
    let schema_version = query_strings(connection, SELECT_SCHEMA_VERSION)?.pop().unwrap_or_default();
    let mut rows = Vec::new();
    for table in query_strings(connection, SELECT_TABLE_NAMES)? {
        let sql = format!("SELECT count(*) AS number FROM \"{table}\"");
        let counted: NumberRow = diesel::sql_query(sql).get_result(connection).map_err(to_failure)?;
        rows.push((table, u64::try_from(counted.number).unwrap_or_default()));
    }
    Ok(BackupContents { schema_version, rows })
}

/// Opens an existing file without creating or changing it. The journal mode of the file does not change.
fn open_database(path: &Path) -> Outcome<SqliteConnection> {
    let unavailable = |error: &dyn std::fmt::Display| Failure::Unavailable(error.to_string());
    let mut connection =
        SqliteConnection::establish(&path.to_string_lossy()).map_err(|error| unavailable(&error))?;
    connection.batch_execute(BUSY_TIMEOUT_SQL).map_err(|error| unavailable(&error))?;
    Ok(connection)
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = Text)]
    text: String,
}

#[derive(QueryableByName)]
struct NumberRow {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

fn query_strings(connection: &mut SqliteConnection, sql: &str) -> Outcome<Vec<String>> {
    let lines: Vec<TextRow> = diesel::sql_query(sql).load(connection).map_err(to_failure)?;
    Ok(lines.into_iter().map(|line| line.text).collect())
}

fn corrupt_backup_failure(copy: &Path, problem: String) -> Failure {
    Failure::Corrupt { table: "the copy", key: copy.display().to_string(), problem }
}
