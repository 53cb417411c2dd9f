//! Tests that the list contains exactly the tables and columns of both databases.

use std::collections::BTreeSet;

use diesel::{Connection, SqliteConnection};

use super::*;
use crate::migrated::MigratedDatabase;
use crate::migrations;
use crate::transfer::source;

/// Returns the columns of all copied tables in the form `table.column`, and the names of all other tables.
fn columns_with_treatment() -> BTreeSet<String> {
    let columns = |(table, rows): &(&str, TableTreatment)| match rows {
        TableTreatment::LeftOut => vec![(*table).to_owned()],
        TableTreatment::Copied { copied_columns, changed_columns: changed } => {
            let names = copied_columns.split_whitespace().chain(changed.iter().map(|(name, _)| *name));
            names.map(|name| format!("{table}.{name}")).collect()
        }
    };
    let all: Vec<String> = PERSONAL_TABLES.iter().flat_map(columns).collect();
    let each: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(each.len(), all.len(), "a column stands there twice");
    each
}

/// Returns the columns of a database as `table.column`. For a table that is not copied, returns only its
/// name.
fn columns_of_schema(columns: impl IntoIterator<Item = (String, String)>) -> BTreeSet<String> {
    let name = |(table, column): (String, String)| match treatment_of_table(&table) {
        Some(TableTreatment::LeftOut) => table,
        Some(TableTreatment::Copied { .. }) | None => format!("{table}.{column}"),
    };
    columns.into_iter().map(name).collect()
}

#[tokio::test]
async fn every_column_of_an_embedded_database_has_its_treatment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("payroll.db");
    migrations::migrate_sqlite_file(&path).await.unwrap();
    let mut connection = SqliteConnection::establish(&path.to_string_lossy()).unwrap();
    let tables = source::read_tables(&mut connection).unwrap();
    let columns = tables.into_iter().flat_map(|table| {
        table.columns.into_iter().map(move |column| (table.name.clone(), column.name)).collect::<Vec<_>>()
    });
    // Only PostgreSQL has this column, because only PostgreSQL orders events by transaction.
    let of_both: BTreeSet<String> =
        columns_with_treatment().into_iter().filter(|column| column != "events.transaction_id").collect();
    assert_eq!(columns_of_schema(columns), of_both);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_column_of_postgresql_has_its_treatment() {
    let Some(database) = MigratedDatabase::create_migrated_database("personal").await else { return };
    const SELECT_COLUMNS: &str = "SELECT table_name::text, column_name::text FROM information_schema.columns \
        WHERE table_schema = 'public' AND table_name <> 'key_canaries' AND table_name NOT LIKE '\\_\\_diesel%'";
    let rows = database.client.query(SELECT_COLUMNS, &[]).await.unwrap();
    database.remove().await;
    assert_eq!(columns_of_schema(rows.iter().map(|row| (row.get(0), row.get(1)))), columns_with_treatment());
}
