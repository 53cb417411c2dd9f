//! A PostgreSQL whose tables are spread over several machines by the extension Citus.
//!
//! Rows of one company and rows of all then lie on different machines, and what the schema promises by keys and
//! by the order of transactions does not hold across them: an id could be taken twice, and a reader of the
//! feed could miss events without a word. So such a database is refused. Where the extension is only
//! installed, and every table is on the machine that is connected to, it is a PostgreSQL like any other.

use super::causes::with_causes;
use super::connect::Way;
use crate::error::{Failure, Outcome};

/// Whether there is a catalogue of what is distributed.
const CATALOGUE: &str = "SELECT to_regclass('pg_dist_partition') IS NOT NULL";
/// One of the tables of this schema whose rows are distributed; null where none is. What Citus only knows of, or
/// copies whole to each machine, is listed with the method `n`.
const DISTRIBUTED: &str = "SELECT min(logicalrelid::regclass::text) FROM pg_dist_partition \
    WHERE partmethod <> 'n' AND logicalrelid::regclass::text IN \
        (SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema())";

/// Refuses a database whose tables are distributed.
///
/// # Errors
/// One is, or it cannot be asked.
pub(crate) async fn refuse(way: &Way) -> Outcome<()> {
    let client = way.client().await?;
    let has_catalogue: bool =
        client.query_one(CATALOGUE, &[]).await.and_then(|row| row.try_get(0)).map_err(failed)?;
    if !has_catalogue {
        return Ok(());
    }
    let table: Option<String> =
        client.query_one(DISTRIBUTED, &[]).await.and_then(|row| row.try_get(0)).map_err(failed)?;
    match table {
        None => Ok(()),
        Some(table) => Err(Failure::Unavailable(format!(
            "the table {table} is distributed over several machines (Citus): ids would no longer be unique, \
             and events could be missed, so this server does not run on it; keep its tables on one machine, \
             by undistribute_table, or connect to another database"
        ))),
    }
}

fn failed(error: tokio_postgres::Error) -> Failure {
    Failure::Unavailable(with_causes(&error))
}
