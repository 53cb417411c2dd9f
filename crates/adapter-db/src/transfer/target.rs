//! Writes the PostgreSQL target with one connection and one transaction.

use std::collections::BTreeSet;
use std::io::Cursor;

use futures_util::SinkExt;
use tokio::sync::mpsc::Receiver;
use tokio_postgres::{Client, Row};

use super::columns::SourceTable;
use super::comparison::postgres_date_sql;
use super::error::CopyError;
use super::lines;
use super::progress::{CopyMessage, CopyProgress, CopySummary};
use crate::error::Failure;
use crate::postgres::connect::DatabaseConnector;
use crate::postgres::pooler;

/// Removes the time limits of the session. Statements may have to wait long while a large table is copied or
/// the rows of the source are counted.
pub(super) const WITHOUT_TIMEOUTS_SQL: &str =
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";

/// Reads the tables of the target, without internal tables and without those of extensions (such as
/// `pg_stat_statements`). Many providers install extensions in every new database. The tables of extensions
/// are not part of a copy.
const SELECT_COLUMNS: &str = "SELECT c.relname::text, a.attname::text FROM pg_class c \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND NOT c.relispartition AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
        AND c.relname <> 'key_canaries' AND c.relname NOT LIKE '\\_\\_diesel%' \
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = CAST('pg_class' AS regclass) \
            AND d.objid = c.oid AND d.deptype = 'e')";

/// Writes the data of the source, compares source and target, and commits.
pub(super) async fn write_database(
    url: &str,
    tables: &[SourceTable],
    mut pieces: Receiver<CopyMessage>,
    progress: &(impl Fn(CopyProgress<'_>) + Sync),
) -> Result<Option<CopySummary>, CopyError> {
    let connector = DatabaseConnector::from_url(url)?;
    pooler::require_session_pooling(&connector).await?;
    let client = connector.connect_client().await?;
    execute_sql(&client, WITHOUT_TIMEOUTS_SQL).await?;
    execute_sql(&client, "BEGIN").await?;
    lock_and_check_empty_tables(&client, tables).await?;
    let all = tables.iter().map(|table| table.rows).sum();
    let mut moved = CopySummary { rows: Vec::new(), compared_figures: 0 };
    let mut before = 0;
    for table in tables {
        let report = |rows| {
            progress(CopyProgress { table: &table.name, written_rows: before + rows, total_rows: all })
        };
        report(0);
        let Some((rows, read)) = copy_in_rows(&client, table, &mut pieces, &report).await? else {
            return Ok(None);
        };
        let written = read_counts_and_sums(&client, table).await?;
        table.require_equal_summaries(&read, &written)?;
        if let Some(last) = table.last_number {
            set_next_number(&client, table, last).await?;
        }
        before += rows;
        moved.compared_figures += written.len();
        moved.rows.push((table.name.clone(), rows));
    }
    execute_sql(&client, "COMMIT").await?;
    // This statement creates statistics for the planner before the first request.
    execute_sql(&client, "ANALYZE").await?;
    Ok(Some(moved))
}

/// Blocks other writers of the target. Verifies that the target has the same tables as the source, and that
/// these tables are empty.
async fn lock_and_check_empty_tables(client: &Client, tables: &[SourceTable]) -> Result<(), CopyError> {
    let rows = client.query(SELECT_COLUMNS, &[]).await.map_err(write_failure)?;
    let pair = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
    let target: Result<BTreeSet<(String, String)>, _> = rows.iter().map(pair).collect();
    let target = target.map_err(write_failure)?;
    let names = |columns: &BTreeSet<(String, String)>| -> BTreeSet<String> {
        columns.iter().map(|(table, _)| table.clone()).collect()
    };
    let columns_of = |table: &SourceTable| -> Vec<(String, String)> {
        table.columns.iter().map(|column| (table.name.clone(), column.name.clone())).collect()
    };
    let source: BTreeSet<_> = tables.iter().flat_map(columns_of).collect();
    // Only tables and columns that are missing in the target are errors here. An additional column of the
    // target may have a default value. Without a default value, the insert fails.
    if let Some((table, column)) = source.difference(&target).next() {
        return Err(CopyError::Tables(format!("only the source has {table}.{column}")));
    }
    if let Some(table) = names(&target).difference(&names(&source)).next() {
        return Err(CopyError::Tables(format!("only the target has {table}")));
    }
    for SourceTable { name, .. } in tables {
        execute_sql(client, &format!("LOCK TABLE \"{name}\" IN EXCLUSIVE MODE")).await?;
        let row = client.query_opt(&format!("SELECT 1 FROM \"{name}\" LIMIT 1"), &[]).await;
        if row.map_err(write_failure)?.is_some() {
            return Err(CopyError::TargetHolds { table: name.clone() });
        }
    }
    Ok(())
}

/// Writes the rows of a table. Returns the number of rows, and the counts and sums of the source. `None` if
/// the source stopped sending. In that case, the error of the task that reads the source contains the reason.
async fn copy_in_rows(
    client: &Client,
    table: &SourceTable,
    pieces: &mut Receiver<CopyMessage>,
    report: &impl Fn(u64),
) -> Result<Option<(u64, Vec<String>)>, CopyError> {
    let sql = format!("COPY \"{}\" ({}) FROM STDIN", table.name, table.column_names());
    let sink = client.copy_in::<_, Cursor<Vec<u8>>>(&sql).await.map_err(write_failure)?;
    let mut sink = std::pin::pin!(sink);
    let mut rows = 0;
    loop {
        match pieces.recv().await {
            Some(CopyMessage::Rows(read)) => {
                let mut lines = Vec::new();
                read.iter().for_each(|row| lines::push_row(&mut lines, row));
                sink.send(Cursor::new(lines)).await.map_err(write_failure)?;
                rows += read.len() as u64;
                report(rows);
            }
            Some(CopyMessage::Figures(read)) => {
                sink.finish().await.map_err(write_failure)?;
                return Ok(Some((rows, read)));
            }
            Some(CopyMessage::Tables(_)) | None => return Ok(None),
        }
    }
}

/// Returns the counts and sums of a table's rows.
async fn read_counts_and_sums(client: &Client, table: &SourceTable) -> Result<Vec<String>, CopyError> {
    let sql = table.counts_and_sums_sql(postgres_date_sql);
    let row = client.query_one(&sql, &[]).await.map_err(write_failure)?;
    let sums: String = row.try_get(0).map_err(write_failure)?;
    Ok(sums.split(' ').map(str::to_owned).collect())
}

/// Sets the next row number of a table. The number follows all numbers that the source has ever assigned,
/// including numbers of deleted rows, so no number is used twice.
async fn set_next_number(client: &Client, table: &SourceTable, last: i64) -> Result<(), CopyError> {
    const SELECT_NUMBERED_COLUMN: &str = "SELECT column_name::text FROM information_schema.columns \
        WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'";
    const SET_SEQUENCE_VALUE: &str =
        "SELECT setval(pg_get_serial_sequence($1, $2), greatest($3::int8, 1), $3 > 0)";
    let row = client.query_opt(SELECT_NUMBERED_COLUMN, &[&table.name]).await.map_err(write_failure)?;
    let missing = || CopyError::Tables(format!("the target has no numbering for the rows of {}", table.name));
    let column: String = row.ok_or_else(missing)?.try_get(0).map_err(write_failure)?;
    client.query_one(SET_SEQUENCE_VALUE, &[&table.name, &column, &last]).await.map_err(write_failure)?;
    Ok(())
}

pub(super) async fn execute_sql(client: &Client, sql: &str) -> Result<(), CopyError> {
    client.batch_execute(sql).await.map_err(write_failure)
}

/// Converts an error of the driver to an error of the copy. The result contains the message of the database,
/// which the text of the driver's error omits.
pub(super) fn write_failure(error: tokio_postgres::Error) -> CopyError {
    let reported = error.as_db_error().map(|reported| reported.message().to_owned());
    Failure::Unavailable(reported.unwrap_or_else(|| error.to_string())).into()
}
