//! Reads an embedded database on a thread of its own, in one transaction.

use std::path::Path;

use diesel::connection::{LoadConnection, SimpleConnection};
use diesel::deserialize::FromSql;
use diesel::row::{Field, Row};
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::sqlite::Sqlite;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use tokio::sync::mpsc::Sender;

use super::columns::{ColumnType, CopiedColumn, SourceTable};
use super::comparison::embedded_date_sql;
use super::error::CopyError;
use super::pipeline::{RowBatch, RowPipeline};
use super::progress::{CopyMessage, TextRow as Values};
use crate::error::Failure;
use crate::migrations;
use crate::seal::SELECT_CANARIES;
use crate::sqlite::errors::to_failure;

/// Begins a move. The lock prevents other processes from writing, because their changes would be missing in
/// the target.
const BEGIN_IMMEDIATE: &str = "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE";
/// Begins an anonymised copy, which reads one state while a server continues to write.
const BEGIN_DEFERRED: &str = "PRAGMA busy_timeout = 5000; BEGIN";

/// Reads the names of the tables to copy. The other tables are internal to each database, or belong to
/// Litestream.
const SELECT_TABLE_NAMES: &str = "SELECT name AS text FROM sqlite_schema WHERE type = 'table' AND name <> 'key_canaries' \
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\' \
    AND name NOT LIKE '\\_litestream\\_%' ESCAPE '\\' ORDER BY name";

/// Sends all data of the source. Returns when everything was sent, or when the task that writes the target
/// has ended.
pub(super) fn read_file(
    file: &Path,
    pipeline: &mut RowPipeline,
    pieces: &Sender<CopyMessage>,
) -> Result<(), CopyError> {
    let mut connection =
        open_source(file, if pipeline.changes_rows() { BEGIN_DEFERRED } else { BEGIN_IMMEDIATE })?;
    let version = "SELECT coalesce(max(version), '') AS text FROM __diesel_schema_migrations";
    let found = query_strings(&mut connection, version)?.pop().unwrap_or_default();
    if found != migrations::newest_schema_version() {
        return Err(CopyError::SourceSchema { source_version: found });
    }
    let canaries: Vec<KeyCheck> =
        diesel::sql_query(SELECT_CANARIES).load(&mut connection).map_err(to_failure)?;
    let canaries: Vec<_> = canaries.into_iter().map(|canary| (canary.key_id, canary.sealed)).collect();
    if !pipeline.opens.can_decrypt_canaries(&canaries) {
        return Err(CopyError::SourceKeys);
    }
    let tables = pipeline.order_tables(read_tables(&mut connection)?)?;
    if pieces.blocking_send(CopyMessage::Tables(tables.clone())).is_err() {
        return Ok(());
    }
    for table in &tables {
        for piece in send_rows(table, &mut connection, pipeline, pieces)? {
            if pieces.blocking_send(piece).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn open_source(file: &Path, begin_sql: &str) -> Result<SqliteConnection, CopyError> {
    let unavailable =
        |error: &dyn std::fmt::Display| CopyError::from(Failure::Unavailable(error.to_string()));
    let mut connection =
        SqliteConnection::establish(&file.to_string_lossy()).map_err(|error| unavailable(&error))?;
    connection.batch_execute(begin_sql).map_err(|error| unavailable(&error))?;
    Ok(connection)
}

/// Sends the rows of one table except the last batch. Returns two values: the message with the last batch,
/// and the counts and sums of all rows.
fn send_rows(
    table: &SourceTable,
    connection: &mut SqliteConnection,
    pipeline: &mut RowPipeline,
    pieces: &Sender<CopyMessage>,
) -> Result<Vec<CopyMessage>, CopyError> {
    let (left_out, changes) = (pipeline.is_table_skipped(&table.name), pipeline.changes_rows());
    let mut batch = RowBatch::new(table, pipeline);
    if !left_out {
        let rows = LoadConnection::load(connection, diesel::sql_query(table.select_from_embedded_sql()));
        for row in rows.map_err(to_failure)? {
            if let Some(piece) = batch.add(read_values(&row.map_err(to_failure)?)?)?
                && pieces.blocking_send(piece).is_err()
            {
                // The task that writes the target has ended, so sending the remaining rows would fail as
                // well.
                break;
            }
        }
    }
    let rest = batch.next_message();
    let figures = if changes { batch.to_counts_and_sums() } else { read_counts_and_sums(table, connection)? };
    Ok(rest.into_iter().chain([CopyMessage::Figures(figures)]).collect())
}

/// Returns the values of a row, as the texts that the statement returns.
fn read_values<'a>(row: &impl Row<'a, Sqlite>) -> Result<Values, CopyError> {
    let unreadable = |problem: String| CopyError::from(Failure::Bug(problem));
    let texts = (0..row.field_count()).map(|at| {
        let field = row.get(at).ok_or_else(|| unreadable("a row is shorter than it says".to_owned()))?;
        <Option<String> as FromSql<Nullable<Text>, Sqlite>>::from_nullable_sql(field.value())
            .map_err(|error| unreadable(error.to_string()))
    });
    texts.collect()
}

/// Returns the counts and sums of a table's rows.
fn read_counts_and_sums(
    table: &SourceTable,
    connection: &mut SqliteConnection,
) -> Result<Vec<String>, CopyError> {
    let sums =
        query_strings(connection, &table.counts_and_sums_sql(embedded_date_sql))?.pop().unwrap_or_default();
    Ok(sums.split(' ').map(str::to_owned).collect())
}

/// Returns the tables of an embedded database that are copied.
pub(super) fn read_tables(connection: &mut SqliteConnection) -> Result<Vec<SourceTable>, CopyError> {
    let names = query_strings(connection, SELECT_TABLE_NAMES)?;
    names.into_iter().map(|name| read_table(connection, name)).collect()
}

fn read_table(connection: &mut SqliteConnection, name: String) -> Result<SourceTable, CopyError> {
    const SELECT_COLUMNS_OF_TABLE: &str = "SELECT name || ' ' || type AS text FROM pragma_table_info('";
    const SELECT_LAST_NUMBER: &str = "SELECT seq AS number FROM sqlite_sequence WHERE name = '";
    let mut columns = Vec::new();
    for declaration in query_strings(connection, &format!("{SELECT_COLUMNS_OF_TABLE}{name}') ORDER BY cid"))?
    {
        let (column, declared) = declaration.split_once(' ').unwrap_or((&declaration, ""));
        let kind = ColumnType::from_declared_type(declared)
            .ok_or_else(|| CopyError::Tables(format!("{name}.{column} has the unknown type {declared}")))?;
        columns.push(CopiedColumn { name: column.to_owned(), kind });
    }
    let rows = query_integers(connection, &format!("SELECT count(*) AS number FROM \"{name}\""))?.pop();
    let last_number = query_integers(connection, &format!("{SELECT_LAST_NUMBER}{name}'"))?.pop();
    let rows = u64::try_from(rows.unwrap_or_default()).unwrap_or_default();
    Ok(SourceTable { name, columns, rows, last_number })
}

#[derive(QueryableByName)]
struct KeyCheck {
    #[diesel(sql_type = Text)]
    key_id: String,
    #[diesel(sql_type = Text)]
    sealed: String,
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

/// Returns the texts of the rows that a statement returns.
pub(super) fn query_strings(connection: &mut SqliteConnection, sql: &str) -> Result<Vec<String>, CopyError> {
    let lines: Vec<TextRow> = diesel::sql_query(sql).load(connection).map_err(to_failure)?;
    Ok(lines.into_iter().map(|line| line.text).collect())
}

fn query_integers(connection: &mut SqliteConnection, sql: &str) -> Result<Vec<i64>, CopyError> {
    let lines: Vec<NumberRow> = diesel::sql_query(sql).load(connection).map_err(to_failure)?;
    Ok(lines.into_iter().map(|line| line.number).collect())
}
