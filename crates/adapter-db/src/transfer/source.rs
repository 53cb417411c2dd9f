//! The embedded database that is read: on a thread of its own, in one transaction.

use std::path::Path;

use diesel::connection::{LoadConnection, SimpleConnection};
use diesel::deserialize::FromSql;
use diesel::row::{Field, Row};
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::sqlite::Sqlite;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use tokio::sync::mpsc::Sender;

use super::columns::{Column, Kind, Table};
use super::error::MoveError;
use super::piece::Piece;
use super::{lines, sealed};
use crate::error::Failure;
use crate::seal::{CANARIES, Sealer};
use crate::sqlite::errors::failure;

/// Bytes of a piece: large enough that few are sent, and small beside what a process has.
const PIECE_BYTES: usize = 256 * 1024;
/// Nobody writes while it is read: what came later would be missing in the target.
const BEGIN: &str = "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE";

/// The tables that are moved; the others are the target's own.
const TABLES: &str = "SELECT name AS text FROM sqlite_schema WHERE type = 'table' AND name <> 'key_canaries' \
    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\' ORDER BY name";

/// Sends everything, and returns when it is sent or nobody receives any more.
pub(super) fn read(
    file: &Path,
    opens: &Sealer,
    seals: &Sealer,
    pieces: &Sender<Piece>,
) -> Result<(), MoveError> {
    let mut connection = open(file)?;
    let version = "SELECT coalesce(max(version), '') AS text FROM __diesel_schema_migrations";
    let found = texts(&mut connection, version)?.pop().unwrap_or_default();
    if found != crate::newest_schema_version() {
        return Err(MoveError::SourceSchema { found });
    }
    let canaries: Vec<Canary> = diesel::sql_query(CANARIES).load(&mut connection).map_err(failure)?;
    let canaries: Vec<_> = canaries.into_iter().map(|canary| (canary.key_id, canary.sealed)).collect();
    if !opens.fits(&canaries) {
        return Err(MoveError::SourceKeys);
    }
    let tables = tables(&mut connection)?;
    if pieces.blocking_send(Piece::Tables(tables.clone())).is_err() {
        return Ok(());
    }
    for table in &tables {
        let mut reader = Reader { table, opens, seals, pieces, lines: Vec::new(), count: 0 };
        if !reader.rows(&mut connection)? || !figures(table, &mut connection, pieces)? {
            return Ok(());
        }
    }
    Ok(())
}

fn open(file: &Path) -> Result<SqliteConnection, MoveError> {
    let unavailable =
        |error: &dyn std::fmt::Display| MoveError::from(Failure::Unavailable(error.to_string()));
    let mut connection =
        SqliteConnection::establish(&file.to_string_lossy()).map_err(|error| unavailable(&error))?;
    connection.batch_execute(BEGIN).map_err(|error| unavailable(&error))?;
    Ok(connection)
}

/// Reads the rows of one table.
struct Reader<'a> {
    table: &'a Table,
    opens: &'a Sealer,
    seals: &'a Sealer,
    pieces: &'a Sender<Piece>,
    lines: Vec<u8>,
    count: u64,
}

impl Reader<'_> {
    /// Sends every row; returns whether somebody still receives.
    fn rows(&mut self, connection: &mut SqliteConnection) -> Result<bool, MoveError> {
        let rows = LoadConnection::load(connection, diesel::sql_query(self.table.select()));
        for row in rows.map_err(failure)? {
            let mut values = values(&row.map_err(failure)?)?;
            self.seal_anew(&mut values)?;
            lines::push_row(&mut self.lines, &values)
                .map_err(|at| self.value(at, "PostgreSQL holds no text with NUL"))?;
            self.count += 1;
            if self.lines.len() >= PIECE_BYTES && !self.send() {
                return Ok(false);
            }
        }
        Ok(self.send())
    }

    /// What is sealed is opened with the keys of the source and sealed with those of the target, to
    /// the same row.
    fn seal_anew(&self, values: &mut [Option<String>]) -> Result<(), MoveError> {
        let findable = sealed::findable(self.table, values, |text, bound| self.opens.open(text, bound));
        for (at, bound) in sealed::of_row(self.table, values) {
            let Some(value) = values.get_mut(at) else { continue };
            let opened = value.as_deref().and_then(|text| self.opens.open(text, &bound));
            let opened = opened.ok_or_else(|| self.value(at, "the keys of the source do not open it"))?;
            *value = Some(self.seals.seal(&opened, &bound));
        }
        if let Some(findable) = findable {
            let stored = self.table.place_of("legal_id").and_then(|at| values.get(at)).cloned().flatten();
            let hash = self.seals.last_four_hash(&findable.company_id, &findable.digits);
            for (at, new) in [(findable.hash_at, Some(hash)), (findable.made_from_at, stored)] {
                if let Some(value) = values.get_mut(at) {
                    *value = new;
                }
            }
        }
        Ok(())
    }

    fn send(&mut self) -> bool {
        let (lines, count) = (std::mem::take(&mut self.lines), std::mem::take(&mut self.count));
        count == 0 || self.pieces.blocking_send(Piece::Rows { lines, count }).is_ok()
    }

    fn value(&self, at: usize, problem: &'static str) -> MoveError {
        let column = self.table.columns.get(at).map(|column| column.name.clone());
        MoveError::Value { table: self.table.name.clone(), column: column.unwrap_or_default(), problem }
    }
}

/// The values of a row, as the texts that the query has made of them.
fn values<'a>(row: &impl Row<'a, Sqlite>) -> Result<Vec<Option<String>>, MoveError> {
    let unreadable = |problem: String| MoveError::from(Failure::Bug(problem));
    let texts = (0..row.field_count()).map(|at| {
        let field = row.get(at).ok_or_else(|| unreadable("a row is shorter than it says".to_owned()))?;
        <Option<String> as FromSql<Nullable<Text>, Sqlite>>::from_nullable_sql(field.value())
            .map_err(|error| unreadable(error.to_string()))
    });
    texts.collect()
}

/// Sends the checksums of a table's rows; returns whether somebody still receives.
fn figures(
    table: &Table,
    connection: &mut SqliteConnection,
    pieces: &Sender<Piece>,
) -> Result<bool, MoveError> {
    let sql = table.figures(|day| format!("CAST(replace({day}, '-', '') AS INTEGER)"));
    let sums = texts(connection, &sql)?.pop().unwrap_or_default();
    Ok(pieces.blocking_send(Piece::Figures(sums.split(' ').map(str::to_owned).collect())).is_ok())
}

fn tables(connection: &mut SqliteConnection) -> Result<Vec<Table>, MoveError> {
    let names = texts(connection, TABLES)?;
    names.into_iter().map(|name| table(connection, name)).collect()
}

fn table(connection: &mut SqliteConnection, name: String) -> Result<Table, MoveError> {
    const COLUMNS: &str = "SELECT name || ' ' || type AS text FROM pragma_table_info('";
    const LAST: &str = "SELECT seq AS number FROM sqlite_sequence WHERE name = '";
    let mut columns = Vec::new();
    for declaration in texts(connection, &format!("{COLUMNS}{name}') ORDER BY cid"))? {
        let (column, declared) = declaration.split_once(' ').unwrap_or((&declaration, ""));
        let kind = Kind::of(declared)
            .ok_or_else(|| MoveError::Tables(format!("{name}.{column} has the unknown type {declared}")))?;
        columns.push(Column { name: column.to_owned(), kind });
    }
    let rows = numbers(connection, &format!("SELECT count(*) AS number FROM \"{name}\""))?.pop();
    let last_number = numbers(connection, &format!("{LAST}{name}'"))?.pop();
    let rows = u64::try_from(rows.unwrap_or_default()).unwrap_or_default();
    Ok(Table { name, columns, rows, last_number })
}

#[derive(QueryableByName)]
struct Canary {
    #[diesel(sql_type = Text)]
    key_id: String,
    #[diesel(sql_type = Text)]
    sealed: String,
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    text: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

fn texts(connection: &mut SqliteConnection, sql: &str) -> Result<Vec<String>, MoveError> {
    let lines: Vec<Line> = diesel::sql_query(sql).load(connection).map_err(failure)?;
    Ok(lines.into_iter().map(|line| line.text).collect())
}

fn numbers(connection: &mut SqliteConnection, sql: &str) -> Result<Vec<i64>, MoveError> {
    let lines: Vec<Number> = diesel::sql_query(sql).load(connection).map_err(failure)?;
    Ok(lines.into_iter().map(|line| line.number).collect())
}
