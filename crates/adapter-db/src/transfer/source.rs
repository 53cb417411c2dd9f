//! Reads an embedded database on a thread of its own, in one transaction.

use std::path::Path;

use diesel::connection::{LoadConnection, SimpleConnection};
use diesel::deserialize::FromSql;
use diesel::row::{Field, Row};
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::sqlite::Sqlite;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use tokio::sync::mpsc::Sender;

use super::columns::{Column, Kind, Table};
use super::comparison::embedded_day;
use super::error::MoveError;
use super::pipeline::{Batch, RowPipeline};
use super::progress::{CopyMessage, Row as Values};
use crate::error::Failure;
use crate::migrations;
use crate::seal::CANARIES;
use crate::sqlite::errors::failure;

/// Begins a move. No other process may write, because the target would miss its changes.
const BEGIN_ALONE: &str = "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE";
/// Begins an anonymised copy, which reads one state while a server continues to write.
const BEGIN: &str = "PRAGMA busy_timeout = 5000; BEGIN";

/// Reads the names of the tables to copy. The other tables are internal to each database, or belong to
/// Litestream.
const TABLES: &str = "SELECT name AS text FROM sqlite_schema WHERE type = 'table' AND name <> 'key_canaries' \
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\' \
    AND name NOT LIKE '\\_litestream\\_%' ESCAPE '\\' ORDER BY name";

/// Sends all data of the source. Returns when everything is sent or the receiver is gone.
pub(super) fn read(
    file: &Path,
    pipeline: &mut RowPipeline,
    pieces: &Sender<CopyMessage>,
) -> Result<(), MoveError> {
    let mut connection = open(file, if pipeline.changes() { BEGIN } else { BEGIN_ALONE })?;
    let version = "SELECT coalesce(max(version), '') AS text FROM __diesel_schema_migrations";
    let found = query_strings(&mut connection, version)?.pop().unwrap_or_default();
    if found != migrations::newest() {
        return Err(MoveError::SourceSchema { source_version: found });
    }
    let canaries: Vec<KeyCheck> = diesel::sql_query(CANARIES).load(&mut connection).map_err(failure)?;
    let canaries: Vec<_> = canaries.into_iter().map(|canary| (canary.key_id, canary.sealed)).collect();
    if !pipeline.opens.opens_canaries(&canaries) {
        return Err(MoveError::SourceKeys);
    }
    let tables = pipeline.in_order(tables(&mut connection)?)?;
    if pieces.blocking_send(CopyMessage::Tables(tables.clone())).is_err() {
        return Ok(());
    }
    for table in &tables {
        for piece in rows(table, &mut connection, pipeline, pieces)? {
            if pieces.blocking_send(piece).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn open(file: &Path, begin_sql: &str) -> Result<SqliteConnection, MoveError> {
    let unavailable =
        |error: &dyn std::fmt::Display| MoveError::from(Failure::Unavailable(error.to_string()));
    let mut connection =
        SqliteConnection::establish(&file.to_string_lossy()).map_err(|error| unavailable(&error))?;
    connection.batch_execute(begin_sql).map_err(|error| unavailable(&error))?;
    Ok(connection)
}

/// Sends the rows of one table except the last batch. Returns the message with that batch, and the figures of
/// all rows.
fn rows(
    table: &Table,
    connection: &mut SqliteConnection,
    pipeline: &mut RowPipeline,
    pieces: &Sender<CopyMessage>,
) -> Result<Vec<CopyMessage>, MoveError> {
    let (left_out, changes) = (pipeline.leaves_out(&table.name), pipeline.changes());
    let mut batch = Batch::new(table, pipeline);
    if !left_out {
        let rows = LoadConnection::load(connection, diesel::sql_query(table.select()));
        for row in rows.map_err(failure)? {
            if let Some(piece) = batch.add(values(&row.map_err(failure)?)?)?
                && pieces.blocking_send(piece).is_err()
            {
                // The receiver is gone, and sending the rest will fail as well.
                break;
            }
        }
    }
    let rest = batch.next_message();
    let figures = if changes { batch.figures() } else { figures(table, connection)? };
    Ok(rest.into_iter().chain([CopyMessage::Figures(figures)]).collect())
}

/// Returns the values of a row, as the texts that the statement returns.
fn values<'a>(row: &impl Row<'a, Sqlite>) -> Result<Values, MoveError> {
    let unreadable = |problem: String| MoveError::from(Failure::Bug(problem));
    let texts = (0..row.field_count()).map(|at| {
        let field = row.get(at).ok_or_else(|| unreadable("a row is shorter than it says".to_owned()))?;
        <Option<String> as FromSql<Nullable<Text>, Sqlite>>::from_nullable_sql(field.value())
            .map_err(|error| unreadable(error.to_string()))
    });
    texts.collect()
}

/// Returns the counts and sums of a table's rows.
fn figures(table: &Table, connection: &mut SqliteConnection) -> Result<Vec<String>, MoveError> {
    let sums = query_strings(connection, &table.figures(embedded_day))?.pop().unwrap_or_default();
    Ok(sums.split(' ').map(str::to_owned).collect())
}

/// Returns the tables of an embedded database that are copied.
pub(super) fn tables(connection: &mut SqliteConnection) -> Result<Vec<Table>, MoveError> {
    let names = query_strings(connection, TABLES)?;
    names.into_iter().map(|name| table(connection, name)).collect()
}

fn table(connection: &mut SqliteConnection, name: String) -> Result<Table, MoveError> {
    const COLUMNS: &str = "SELECT name || ' ' || type AS text FROM pragma_table_info('";
    const LAST: &str = "SELECT seq AS number FROM sqlite_sequence WHERE name = '";
    let mut columns = Vec::new();
    for declaration in query_strings(connection, &format!("{COLUMNS}{name}') ORDER BY cid"))? {
        let (column, declared) = declaration.split_once(' ').unwrap_or((&declaration, ""));
        let kind = Kind::from_declared_type(declared)
            .ok_or_else(|| MoveError::Tables(format!("{name}.{column} has the unknown type {declared}")))?;
        columns.push(Column { name: column.to_owned(), kind });
    }
    let rows = query_integers(connection, &format!("SELECT count(*) AS number FROM \"{name}\""))?.pop();
    let last_number = query_integers(connection, &format!("{LAST}{name}'"))?.pop();
    let rows = u64::try_from(rows.unwrap_or_default()).unwrap_or_default();
    Ok(Table { name, columns, rows, last_number })
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
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Returns the texts of the rows that a statement returns.
pub(super) fn query_strings(connection: &mut SqliteConnection, sql: &str) -> Result<Vec<String>, MoveError> {
    let lines: Vec<TextRow> = diesel::sql_query(sql).load(connection).map_err(failure)?;
    Ok(lines.into_iter().map(|line| line.text).collect())
}

fn query_integers(connection: &mut SqliteConnection, sql: &str) -> Result<Vec<i64>, MoveError> {
    let lines: Vec<Number> = diesel::sql_query(sql).load(connection).map_err(failure)?;
    Ok(lines.into_iter().map(|line| line.number).collect())
}
