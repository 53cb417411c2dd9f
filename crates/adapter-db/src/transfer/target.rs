//! Writes the PostgreSQL target with one connection and one transaction.

use std::collections::BTreeSet;
use std::io::Cursor;

use futures_util::SinkExt;
use tokio::sync::mpsc::Receiver;
use tokio_postgres::{Client, Row};

use super::columns::Table;
use super::comparison::postgres_day;
use super::error::MoveError;
use super::lines;
use super::progress::{CopyMessage, CopySummary, Progress};
use crate::error::Failure;
use crate::postgres::connect::DatabaseConnector;
use crate::postgres::pooler;

/// Removes the time limits, because copying a large table and counting the source take long.
pub(super) const WITHOUT_TIMEOUTS_SQL: &str =
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";

/// Reads the tables of the target, without internal tables and without those of extensions (such as
/// `pg_stat_statements`). Many providers install extensions in every new database, and nothing is copied into
/// their tables.
const COLUMNS: &str = "SELECT c.relname::text, a.attname::text FROM pg_class c \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND NOT c.relispartition AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
        AND c.relname <> 'key_canaries' AND c.relname NOT LIKE '\\_\\_diesel%' \
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = CAST('pg_class' AS regclass) \
            AND d.objid = c.oid AND d.deptype = 'e')";

/// Writes the data of the source, compares both sides and commits.
pub(super) async fn write(
    url: &str,
    tables: &[Table],
    mut pieces: Receiver<CopyMessage>,
    progress: &(impl Fn(Progress<'_>) + Sync),
) -> Result<Option<CopySummary>, MoveError> {
    let connector = DatabaseConnector::from_url(url)?;
    pooler::require_session_pooling(&connector).await?;
    let client = connector.client().await?;
    run(&client, WITHOUT_TIMEOUTS_SQL).await?;
    run(&client, "BEGIN").await?;
    alone_in_empty_tables(&client, tables).await?;
    let all = tables.iter().map(|table| table.rows).sum();
    let mut moved = CopySummary { rows: Vec::new(), compared_figures: 0 };
    let mut before = 0;
    for table in tables {
        let report =
            |rows| progress(Progress { table: &table.name, written_rows: before + rows, total_rows: all });
        report(0);
        let Some((rows, read)) = fill(&client, table, &mut pieces, &report).await? else { return Ok(None) };
        let written = figures(&client, table).await?;
        table.compare(&read, &written)?;
        if let Some(last) = table.last_number {
            number_behind(&client, table, last).await?;
        }
        before += rows;
        moved.compared_figures += written.len();
        moved.rows.push((table.name.clone(), rows));
    }
    run(&client, "COMMIT").await?;
    // The planner then has statistics before the first request.
    run(&client, "ANALYZE").await?;
    Ok(Some(moved))
}

/// Locks out other writers, and checks that the tables are the same as those of the source, and empty.
async fn alone_in_empty_tables(client: &Client, tables: &[Table]) -> Result<(), MoveError> {
    let rows = client.query(COLUMNS, &[]).await.map_err(failed)?;
    let pair = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
    let target: Result<BTreeSet<(String, String)>, _> = rows.iter().map(pair).collect();
    let target = target.map_err(failed)?;
    let names = |columns: &BTreeSet<(String, String)>| -> BTreeSet<String> {
        columns.iter().map(|(table, _)| table.clone()).collect()
    };
    let columns_of = |table: &Table| -> Vec<(String, String)> {
        table.columns.iter().map(|column| (table.name.clone(), column.name.clone())).collect()
    };
    let source: BTreeSet<_> = tables.iter().flat_map(columns_of).collect();
    // The target may have additional columns that have a default value. Without one, the insert fails.
    if let Some((table, column)) = source.difference(&target).next() {
        return Err(MoveError::Tables(format!("only the source has {table}.{column}")));
    }
    if let Some(table) = names(&target).difference(&names(&source)).next() {
        return Err(MoveError::Tables(format!("only the target has {table}")));
    }
    for Table { name, .. } in tables {
        run(client, &format!("LOCK TABLE \"{name}\" IN EXCLUSIVE MODE")).await?;
        let row = client.query_opt(&format!("SELECT 1 FROM \"{name}\" LIMIT 1"), &[]).await;
        if row.map_err(failed)?.is_some() {
            return Err(MoveError::TargetHolds { table: name.clone() });
        }
    }
    Ok(())
}

/// Writes the rows of a table. Returns their number and the figures of the source. `None` if the source
/// stopped sending. The result of reading the source contains the reason.
async fn fill(
    client: &Client,
    table: &Table,
    pieces: &mut Receiver<CopyMessage>,
    report: &impl Fn(u64),
) -> Result<Option<(u64, Vec<String>)>, MoveError> {
    let sql = format!("COPY \"{}\" ({}) FROM STDIN", table.name, table.names());
    let sink = client.copy_in::<_, Cursor<Vec<u8>>>(&sql).await.map_err(failed)?;
    let mut sink = std::pin::pin!(sink);
    let mut rows = 0;
    loop {
        match pieces.recv().await {
            Some(CopyMessage::Rows(read)) => {
                let mut lines = Vec::new();
                read.iter().for_each(|row| lines::push_row(&mut lines, row));
                sink.send(Cursor::new(lines)).await.map_err(failed)?;
                rows += read.len() as u64;
                report(rows);
            }
            Some(CopyMessage::Figures(read)) => {
                sink.finish().await.map_err(failed)?;
                return Ok(Some((rows, read)));
            }
            Some(CopyMessage::Tables(_)) | None => return Ok(None),
        }
    }
}

/// Returns the counts and sums of a table's rows.
async fn figures(client: &Client, table: &Table) -> Result<Vec<String>, MoveError> {
    let sql = table.figures(postgres_day);
    let row = client.query_one(&sql, &[]).await.map_err(failed)?;
    let sums: String = row.try_get(0).map_err(failed)?;
    Ok(sums.split(' ').map(str::to_owned).collect())
}

/// Lets row numbers continue after all numbers that the source has ever assigned, including those of deleted
/// rows. No number is then used twice.
async fn number_behind(client: &Client, table: &Table, last: i64) -> Result<(), MoveError> {
    const NUMBERED: &str = "SELECT column_name::text FROM information_schema.columns \
        WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'";
    const SET_SEQUENCE: &str = "SELECT setval(pg_get_serial_sequence($1, $2), greatest($3::int8, 1), $3 > 0)";
    let row = client.query_opt(NUMBERED, &[&table.name]).await.map_err(failed)?;
    let missing = || MoveError::Tables(format!("the target does not number the rows of {}", table.name));
    let column: String = row.ok_or_else(missing)?.try_get(0).map_err(failed)?;
    client.query_one(SET_SEQUENCE, &[&table.name, &column, &last]).await.map_err(failed)?;
    Ok(())
}

pub(super) async fn run(client: &Client, sql: &str) -> Result<(), MoveError> {
    client.batch_execute(sql).await.map_err(failed)
}

/// Converts an error. It uses the message of the database, which the error itself does not show.
pub(super) fn failed(error: tokio_postgres::Error) -> MoveError {
    let reported = error.as_db_error().map(|reported| reported.message().to_owned());
    Failure::Unavailable(reported.unwrap_or_else(|| error.to_string())).into()
}
