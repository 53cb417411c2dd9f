//! Tests that prepare every constant statement on its database. The tests detect errors such as a misspelt
//! column even in statements that no other test runs.

use std::collections::BTreeSet;

use diesel::{Connection, RunQueryDsl, SqliteConnection};

use crate::migrated::MigratedDatabase;
use crate::migrations;
use crate::rows::declared;
use crate::rows::lookup::{self, LookupTable};
use crate::statement::STATEMENTS;

/// Returns the distinct statements for a database: those of its modules, and those for the tables of lookup
/// objects.
fn collect_statements(database: &str) -> BTreeSet<(&'static str, String)> {
    let module = format!("payroll_adapter_db::{database}");
    let own = STATEMENTS.iter().filter(|(location, _)| location.starts_with(&module));
    let own: BTreeSet<_> = own.map(|(location, text)| (*location, (*text).to_owned())).collect();
    assert!(own.len() > 100, "{} statements for {database}", own.len());
    let emptying = declared::all_tables().map(|table| (table.name, table.delete_all_sql.to_owned()));
    own.into_iter().chain(emptying).chain(lookup::all_tables().flat_map(lookup_table_statements)).collect()
}

fn lookup_table_statements(table: &'static LookupTable) -> Vec<(&'static str, String)> {
    let constant = [table.size, table.page].map(str::to_owned);
    let referring = table.referrers.iter().map(|it| {
        format!("SELECT {} FROM {} WHERE company_id = $1 AND {} = $2", it.column, it.table, table.id)
    });
    constant.into_iter().chain(referring).map(|text| (table.stored.name, text)).collect()
}

#[test]
fn every_statement_belongs_to_a_module_of_one_database() {
    let locations: BTreeSet<&str> = STATEMENTS.iter().map(|(location, _)| *location).collect();
    let elsewhere = |location: &&&str| {
        !["sqlite", "postgres"]
            .iter()
            .any(|name| location.starts_with(&format!("payroll_adapter_db::{name}")))
    };
    assert_eq!(locations.iter().filter(elsewhere).collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[tokio::test]
async fn every_statement_can_be_prepared_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("payroll.db");
    migrations::migrate_sqlite_file(&path).await.unwrap();
    let mut connection = SqliteConnection::establish(&path.to_string_lossy()).unwrap();
    let mut faults = Vec::new();
    for (location, text) in collect_statements("sqlite") {
        if let Err(error) = diesel::sql_query(format!("EXPLAIN {text}")).execute(&mut connection) {
            faults.push(format!("{location}: {error}: {text}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_statement_can_be_prepared_on_postgresql() {
    let Some(database) = MigratedDatabase::create_migrated_database("statements").await else { return };
    let mut faults = Vec::new();
    for (location, text) in collect_statements("postgres") {
        if let Err(error) = database.client.prepare(&text).await {
            let message = error.as_db_error().map(ToString::to_string).unwrap_or_default();
            faults.push(format!("{location}: {message}: {text}"));
        }
    }
    database.remove().await;
    assert!(faults.is_empty(), "{faults:#?}");
}
