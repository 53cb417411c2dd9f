//! Writes an anonymised copy into an embedded database, with one connection and one transaction.

use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel::sql_types::Text;
use diesel::{Connection, RunQueryDsl, SqliteConnection};
use tokio::sync::mpsc::Receiver;
use tokio::task::block_in_place;

use super::columns::Table;
use super::comparison::embedded_day;
use super::error::MoveError;
use super::progress::{CopyMessage, CopySummary, Progress, Row};
use super::source::{query_strings, tables as tables_of};
use crate::error::Failure;
use crate::sqlite::errors::failure;

const BEGIN: &str = "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE";
/// Commits, and prepares the file for use: the planner has statistics before the first request, and no data
/// remains in the log.
const END: &str = "COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)";

/// Writes the data of the source, compares both sides and commits. Dropping the connection rolls an
/// uncommitted transaction back.
///
/// The runtime must have several threads, because this function blocks its thread while it writes rows.
pub(super) async fn write(
    file: &Path,
    tables: &[Table],
    mut pieces: Receiver<CopyMessage>,
    progress: &(impl Fn(Progress<'_>) + Sync),
) -> Result<Option<CopySummary>, MoveError> {
    let mut connection = block_in_place(|| open(file))?;
    block_in_place(|| is_empty(&mut connection, tables))?;
    let all = tables.iter().map(|table| table.rows).sum();
    let mut moved = CopySummary { rows: Vec::new(), compared_figures: 0 };
    let mut written = 0;
    for table in tables {
        let insert = table.insert_embedded();
        let before = written;
        let read = loop {
            progress(Progress { table: &table.name, written_rows: written, total_rows: all });
            match pieces.recv().await {
                Some(CopyMessage::Rows(rows)) => {
                    block_in_place(|| add(&mut connection, &insert, &rows))?;
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
    block_in_place(|| connection.batch_execute(END)).map_err(failure)?;
    Ok(Some(moved))
}

fn open(file: &Path) -> Result<SqliteConnection, MoveError> {
    let unavailable =
        |error: &dyn std::fmt::Display| MoveError::from(Failure::Unavailable(error.to_string()));
    let mut connection =
        SqliteConnection::establish(&file.to_string_lossy()).map_err(|error| unavailable(&error))?;
    connection.batch_execute(BEGIN).map_err(|error| unavailable(&error))?;
    Ok(connection)
}

/// Checks that the tables are the same as those of the source, and empty.
fn is_empty(connection: &mut SqliteConnection, tables: &[Table]) -> Result<(), MoveError> {
    let own = tables_of(connection)?;
    let names = |table: &Table| table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    for table in &own {
        if table.rows > 0 {
            return Err(MoveError::TargetHolds { table: table.name.clone() });
        }
        let same = tables.iter().find(|other| other.name == table.name);
        let Some(other) = same else {
            return Err(MoveError::Tables(format!("only the target has {}", table.name)));
        };
        if let Some(column) = names(other).iter().find(|column| !names(table).contains(column)) {
            return Err(MoveError::Tables(format!("only the source has {}.{column}", table.name)));
        }
    }
    let missing = tables.iter().find(|table| own.iter().all(|other| other.name != table.name));
    missing.map_or(Ok(()), |table| Err(MoveError::Tables(format!("only the source has {}", table.name))))
}

fn add(connection: &mut SqliteConnection, insert: &str, rows: &[Row]) -> Result<(), MoveError> {
    let rows = serde_json::to_string(rows).map_err(|error| Failure::Bug(error.to_string()))?;
    diesel::sql_query(insert).bind::<Text, _>(rows).execute(connection).map_err(failure)?;
    Ok(())
}

/// Compares the figures of both sides, and lets row numbers continue after the source's last number. Returns
/// the number of compared figures.
fn compare(connection: &mut SqliteConnection, table: &Table, read: &[String]) -> Result<usize, MoveError> {
    let sums = query_strings(connection, &table.figures(embedded_day))?.pop().unwrap_or_default();
    let written: Vec<String> = sums.split(' ').map(str::to_owned).collect();
    table.compare(read, &written)?;
    if let Some(last) = table.last_number {
        let name = &table.name;
        let behind = format!(
            "DELETE FROM sqlite_sequence WHERE name = '{name}'; \
             INSERT INTO sqlite_sequence (name, seq) VALUES ('{name}', {last})"
        );
        connection.batch_execute(&behind).map_err(failure)?;
    }
    Ok(written.len())
}
