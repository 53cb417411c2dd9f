//! A PostgreSQL whose tables are spread over several machines by the extension Citus.
//!
//! Rows of one company and rows of all then lie on different machines, and what the schema promises by keys and
//! by the order of transactions does not hold across them: an id could be taken twice, and a reader of the
//! feed could miss events without a word. So such a database is refused. Where the extension is only
//! installed, and every table is on the machine that is connected to, it is a PostgreSQL like any other.

use diesel::sql_types::{Nullable, Text};
use diesel::{QueryableByName, sql_query};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::errors::failure;
use crate::error::{Failure, Outcome};

/// The catalogue of what is distributed; null where there is no such thing.
const CATALOGUE: &str = "SELECT to_regclass('pg_dist_partition')::text AS name";
/// One of the tables of this schema whose rows are distributed; null where none is. What Citus only knows of, or
/// copies whole to each machine, is listed with the method `n`.
const DISTRIBUTED: &str = "SELECT min(logicalrelid::regclass::text) AS name FROM pg_dist_partition \
    WHERE partmethod <> 'n' AND logicalrelid::regclass::text IN \
        (SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema())";

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
}

/// Refuses a database whose tables are distributed.
///
/// # Errors
/// One is, or it cannot be asked.
pub(crate) async fn refuse(connection: &mut AsyncPgConnection) -> Outcome<()> {
    let catalogue: Found = sql_query(CATALOGUE).get_result(connection).await.map_err(failure)?;
    if catalogue.name.is_none() {
        return Ok(());
    }
    let found: Found = sql_query(DISTRIBUTED).get_result(connection).await.map_err(failure)?;
    match found.name {
        None => Ok(()),
        Some(table) => Err(Failure::Unavailable(format!(
            "the table {table} is distributed over several machines (Citus): ids would no longer be unique, \
             and events could be missed, so this server does not run on it; keep its tables on one machine, \
             by undistribute_table, or connect to another database"
        ))),
    }
}
