//! Writes an anonymised copy into an embedded database, with one connection and one transaction.

use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{Connection, RunQueryDsl, SqliteConnection};
use tokio::sync::mpsc::Receiver;
use tokio::task::block_in_place;

use super::columns::SourceTable;
use super::comparison::embedded_date_sql;
use super::error::CopyError;
use super::progress::{CopyMessage, CopyProgress, CopySummary, TextRow};
use super::source::{query_strings, read_tables as tables_of};
use crate::error::Failure;
use crate::sqlite::errors::to_failure;

const BEGIN_IMMEDIATE: &str = "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE";
/// Commits, and prepares the file for use. ANALYZE creates statistics for the planner before the first
/// request. The checkpoint moves all data from the log to the file.
const COMMIT_AND_ANALYZE: &str = "COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)";

/// Writes the data of the source, compares source and target, and commits. If the function fails, the
/// connection is dropped, which rolls the transaction back.
///
/// The runtime must have several threads, because this function blocks its thread while it writes rows.
pub(super) async fn write_rows(
    file: &Path,
    tables: &[SourceTable],
    mut pieces: Receiver<CopyMessage>,
    progress: &(impl Fn(CopyProgress<'_>) + Sync),
) -> Result<Option<CopySummary>, CopyError> {
    let mut connection = block_in_place(|| open_target(file))?;
    block_in_place(|| require_empty_tables(&mut connection, tables))?;
    let all = tables.iter().map(|table| table.rows).sum();
    let mut moved = CopySummary { rows: Vec::new(), compared_figures: 0 };
    let mut written = 0;
    for table in tables {
        let insert = table.insert_into_embedded_sql();
        let before = written;
        let read = loop {
            progress(CopyProgress { table: &table.name, written_rows: written, total_rows: all });
            match pieces.recv().await {
                Some(CopyMessage::Rows(rows)) => {
                    block_in_place(|| insert_rows(&mut connection, &insert, &rows))?;
                    written += rows.len() as u64;
                }
                Some(CopyMessage::Figures(read)) => break read,
                Some(CopyMessage::Tables(_)) | None => return Ok(None),
            }
        };
        let compared = block_in_place(|| compare(&mut connection, table, &read))?;
        moved.compared_figures += compared;
        moved.rows.push((table.name.clone(), written - before));
    }
    block_in_place(|| connection.batch_execute(COMMIT_AND_ANALYZE)).map_err(to_failure)?;
    Ok(Some(moved))
}

fn open_target(file: &Path) -> Result<SqliteConnection, CopyError> {
    let unavailable =
        |error: &dyn std::fmt::Display| CopyError::from(Failure::Unavailable(error.to_string()));
    let mut connection =
        SqliteConnection::establish(&file.to_string_lossy()).map_err(|error| unavailable(&error))?;
    connection.batch_execute(BEGIN_IMMEDIATE).map_err(|error| unavailable(&error))?;
    Ok(connection)
}

/// Verifies that the target has the same tables as the source, and that these tables are empty.
fn require_empty_tables(connection: &mut SqliteConnection, tables: &[SourceTable]) -> Result<(), CopyError> {
    let own = tables_of(connection)?;
    let names =
        |table: &SourceTable| table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    for table in &own {
        if table.rows > 0 {
            return Err(CopyError::TargetHolds { table: table.name.clone() });
        }
        let same = tables.iter().find(|other| other.name == table.name);
        let Some(other) = same else {
            return Err(CopyError::Tables(format!("only the target has {}", table.name)));
        };
        if let Some(column) = names(other).iter().find(|column| !names(table).contains(column)) {
            return Err(CopyError::Tables(format!("only the source has {}.{column}", table.name)));
        }
    }
    let missing = tables.iter().find(|table| own.iter().all(|other| other.name != table.name));
    missing.map_or(Ok(()), |table| Err(CopyError::Tables(format!("only the source has {}", table.name))))
}

fn insert_rows(connection: &mut SqliteConnection, insert: &str, rows: &[TextRow]) -> Result<(), CopyError> {
    let rows = serde_json::to_string(rows).map_err(|error| Failure::Bug(error.to_string()))?;
    diesel::sql_query(insert).bind::<Text, _>(rows).execute(connection).map_err(to_failure)?;
    Ok(())
}

/// Compares the counts and sums of source and target. Then sets the row numbering of the target, so that it
/// continues after the last number of the source. Returns the number of compared counts and sums.
fn compare(
    connection: &mut SqliteConnection,
    table: &SourceTable,
    read: &[String],
) -> Result<usize, CopyError> {
    let sums =
        query_strings(connection, &table.counts_and_sums_sql(embedded_date_sql))?.pop().unwrap_or_default();
    let written: Vec<String> = sums.split(' ').map(str::to_owned).collect();
    table.require_equal_summaries(read, &written)?;
    if let Some(last) = table.last_number {
        let name = &table.name;
        let sequence_sql = format!(
            "DELETE FROM sqlite_sequence WHERE name = '{name}'; \
             INSERT INTO sqlite_sequence (name, seq) VALUES ('{name}', {last})"
        );
        connection.batch_execute(&sequence_sql).map_err(to_failure)?;
    }
    Ok(written.len())
}
