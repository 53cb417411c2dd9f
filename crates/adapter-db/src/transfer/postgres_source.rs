//! Reads a PostgreSQL database for an anonymised copy, with one connection and one snapshot. Servers can
//! continue to use the database.

use std::pin::pin;

use futures_util::TryStreamExt;
use tokio::sync::mpsc::Sender;
use tokio_postgres::{Client, Row};

use super::columns::{ColumnType, CopiedColumn, SourceTable};
use super::error::CopyError;
use super::personal::treatment_of_column;
use super::pipeline::{RowBatch, RowPipeline};
use super::progress::CopyMessage;
use super::target::{WITHOUT_TIMEOUTS_SQL, execute_sql, write_failure};
use crate::migrations;
use crate::postgres::connect::DatabaseConnector;
use crate::postgres::pooler;
use crate::rows::anonymisation::Anonymisation;
use crate::seal::SELECT_CANARIES;

const BEGIN_READ_ONLY: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Reads the schema version, or an empty text if no migration has run.
const SELECT_SCHEMA_VERSION: &str = "SELECT coalesce(max(version), '')::text FROM __diesel_schema_migrations";

/// Reads the names and types of all columns, except the columns of internal tables.
const SELECT_COLUMNS: &str = "SELECT c.relname::text, a.attname::text, \
        upper(CASE format_type(a.atttypid, NULL) WHEN 'int8' THEN 'bigint' ELSE format_type(a.atttypid, NULL) END), \
        a.attidentity <> '' \
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND NOT c.relispartition AND c.relkind IN ('r', 'p') \
        AND c.relname <> 'key_canaries' AND c.relname NOT LIKE '\\_\\_diesel%' \
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = CAST('pg_class' AS regclass) \
            AND d.objid = c.oid AND d.deptype = 'e') \
    ORDER BY c.relname, a.attnum";

/// Sends all data of the source. Returns when everything was sent, or when the task that writes the target
/// has ended.
pub(super) async fn read_database(
    url: &str,
    pipeline: &mut RowPipeline,
    pieces: &Sender<CopyMessage>,
) -> Result<(), CopyError> {
    let connector = DatabaseConnector::from_url(url)?;
    pooler::require_session_pooling(&connector).await?;
    let client = connector.connect_client().await?;
    execute_sql(&client, WITHOUT_TIMEOUTS_SQL).await?;
    execute_sql(&client, BEGIN_READ_ONLY).await?;
    let text = |row: &Row, at: usize| row.try_get::<_, String>(at).map_err(write_failure);
    let found = text(&client.query_one(SELECT_SCHEMA_VERSION, &[]).await.map_err(write_failure)?, 0)?;
    if found != migrations::newest_schema_version() {
        return Err(CopyError::SourceSchema { source_version: found });
    }
    let canaries = client.query(SELECT_CANARIES, &[]).await.map_err(write_failure)?;
    let canary = |row| Ok::<_, CopyError>((text(row, 0)?, text(row, 1)?));
    let canaries = canaries.iter().map(canary).collect::<Result<Vec<_>, _>>()?;
    if !pipeline.opens.can_decrypt_canaries(&canaries) {
        return Err(CopyError::SourceKeys);
    }
    let tables = pipeline.order_tables(read_tables(&client).await?)?;
    if pieces.send(CopyMessage::Tables(tables.clone())).await.is_err() {
        return Ok(());
    }
    for table in &tables {
        if !send_rows(table, &client, pipeline, pieces).await? {
            return Ok(());
        }
    }
    Ok(())
}

/// Sends the rows of a table, then the counts and sums of these rows. Returns whether the task that writes
/// the target still runs.
async fn send_rows(
    table: &SourceTable,
    client: &Client,
    pipeline: &mut RowPipeline,
    pieces: &Sender<CopyMessage>,
) -> Result<bool, CopyError> {
    let left_out = pipeline.is_table_skipped(&table.name);
    let mut batch = RowBatch::new(table, pipeline);
    if !left_out {
        let none: [&str; 0] = [];
        let rows = client.query_raw(&table.select_from_postgres_sql(), none).await.map_err(write_failure)?;
        let mut rows = pin!(rows);
        while let Some(row) = rows.try_next().await.map_err(write_failure)? {
            let values =
                (0..row.len()).map(|at| row.try_get(at).map_err(write_failure)).collect::<Result<_, _>>()?;
            if let Some(piece) = batch.add(values)?
                && pieces.send(piece).await.is_err()
            {
                return Ok(false);
            }
        }
    }
    for piece in batch.next_message().into_iter().chain([CopyMessage::Figures(batch.to_counts_and_sums())]) {
        if pieces.send(piece).await.is_err() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the tables to copy, without columns that the database fills itself.
async fn read_tables(client: &Client) -> Result<Vec<SourceTable>, CopyError> {
    let mut tables: Vec<SourceTable> = Vec::new();
    for row in client.query(SELECT_COLUMNS, &[]).await.map_err(write_failure)? {
        let get = |at: usize| row.try_get::<_, String>(at).map_err(write_failure);
        let (name, column, declared) = (get(0)?, get(1)?, get(2)?);
        let kind = ColumnType::from_declared_type(&declared)
            .ok_or_else(|| CopyError::Tables(format!("{name}.{column} has the unknown type {declared}")))?;
        if tables.last().is_none_or(|table| table.name != name) {
            tables.push(read_table(client, name.clone()).await?);
        }
        let Some(table) = tables.last_mut() else { continue };
        if row.try_get(3).map_err(write_failure)? {
            table.last_number = Some(read_last_number(client, &name, &column).await?);
        }
        if is_generated_by_postgres(&name, &column) {
            continue;
        }
        table.columns.push(CopiedColumn { name: column, kind });
    }
    Ok(tables)
}

/// Returns whether PostgreSQL fills the column itself. The only such column contains transaction ids.
/// Transaction ids are different in each PostgreSQL cluster, and an embedded database does not have this
/// column.
fn is_generated_by_postgres(table: &str, column: &str) -> bool {
    table == "events" && treatment_of_column(table, column) == Some(Anonymisation::SetByTarget)
}

async fn read_table(client: &Client, name: String) -> Result<SourceTable, CopyError> {
    let counted =
        client.query_one(&format!("SELECT count(*) FROM \"{name}\""), &[]).await.map_err(write_failure)?;
    let rows: i64 = counted.try_get(0).map_err(write_failure)?;
    let rows = u64::try_from(rows).unwrap_or_default();
    Ok(SourceTable { name, columns: Vec::new(), rows, last_number: None })
}

/// Returns the last number that was assigned to a row, or 0.
async fn read_last_number(client: &Client, table: &str, column: &str) -> Result<i64, CopyError> {
    const SELECT_LAST_NUMBER: &str =
        "SELECT coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence($1, $2) AS regclass)), 0)";
    client
        .query_one(SELECT_LAST_NUMBER, &[&table, &column])
        .await
        .map_err(write_failure)?
        .try_get(0)
        .map_err(write_failure)
}
