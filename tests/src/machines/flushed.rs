//! Tests that an acknowledged change is in the flushed part of PostgreSQL's log. A payroll server rejects a
//! database whose settings can lose changes, unless `accept_unsafe_database` names these settings.

use serde_json::json;
use tempfile::TempDir;
use tokio_postgres::Client;

use super::failover::{connect, execute, run_with_postgres};
use super::postgres::{PostgresMachine, next_network};
use crate::support::command_line::CommandResult;
use crate::support::{
    Database, DatabaseKind, OPEN, Process, Request, check_with_correlation_id, fill_database, run, token_form,
};

/// Settings that stop background flushes of the log. Only a commit that waits for a flush then causes a
/// flush.
const QUIET_SETTINGS: &str = "wal_writer_delay = 10s\nautovacuum = off\n";
/// The number of changes that a test sends.
const CHANGE_COUNT: usize = 20;

/// Returns a new PostgreSQL server with the test data, and the URL of its database.
async fn create_filled_cluster(folder: &TempDir) -> Option<(PostgresMachine, String)> {
    let machine = PostgresMachine::in_folder(folder.path(), "flushed", format!("{}.1", next_network()))?;
    machine.create_server(QUIET_SETTINGS);
    let url = |name: &str| format!("postgres://postgres@{}/{name}", machine.host());
    execute(&url("postgres"), "CREATE DATABASE pay").await;
    Box::pin(fill_database(&url("pay"))).await;
    let url = url("pay");
    Some((machine, url))
}

async fn query_text(client: &Client, sql: &str) -> String {
    client.query_one(sql, &[]).await.unwrap_or_else(|error| panic!("{sql}: {error}")).get(0)
}

/// Runs a query that counts records in PostgreSQL's write-ahead log. PostgreSQL reports an error if no
/// complete record follows. This error counts as 0.
async fn query_count(client: &Client, sql: &str) -> String {
    match client.query_one(sql, &[]).await {
        Ok(row) => row.get(0),
        Err(error) => {
            let message = error.as_db_error().map_or("", |error| error.message()).to_owned();
            assert!(message.contains("could not find a valid record"), "{sql}: {error}: {message}");
            "0".to_owned()
        }
    }
}

/// Sends changes one after the other. Returns the number of changes that are in the flushed part of the log
/// when their response arrives.
async fn count_flushed_changes(url: &str, arguments: &[&str]) -> usize {
    let folder = Database::empty(DatabaseKind::Sqlite).await;
    let process = Process::serve_with(&folder, &[&["--database-url", url], arguments].concat());
    let token = process.client.request_token(token_form()).await;
    let client = connect(url).await;
    client.batch_execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect").await.expect("an extension");
    let mut flushed = 0;
    for number in 0..CHANGE_COUNT {
        let before = query_text(&client, "SELECT pg_current_wal_insert_lsn()::text").await;
        let id = format!("{}-{number}", arguments.len());
        let added = Request::post_checks(OPEN, &json!([check_with_correlation_id(&id)])).idempotency_key(&id);
        assert_eq!(process.client.send(&added, Some(&token)).await.expect("an answer").status, 201);
        let after = query_text(&client, "SELECT pg_current_wal_flush_lsn()::text").await;
        let transaction = format!("SELECT xmin::text FROM checks WHERE correlation_id = '{id}'");
        let transaction = query_text(&client, &transaction).await;
        // If the flushed position is not after the position before the change, there are no log records to
        // read.
        let commits = format!(
            "SELECT CASE WHEN '{before}'::pg_lsn >= '{after}'::pg_lsn THEN '0' ELSE (SELECT count(*)::text \
             FROM pg_get_wal_records_info('{before}', '{after}') \
             WHERE record_type LIKE 'COMMIT%' AND xid::text = '{transaction}') END"
        );
        flushed += usize::from(query_count(&client, &commits).await == "1");
    }
    flushed
}

#[test]
fn the_commit_of_an_acknowledged_change_is_flushed() {
    run_with_postgres(async || {
        let folder = tempfile::tempdir().expect("a folder");
        let Some((_machine, url)) = create_filled_cluster(&folder).await else { return };
        assert_eq!(count_flushed_changes(&url, &[]).await, CHANGE_COUNT);
        // If commits do not wait, some acknowledged changes are not flushed yet. This result proves that the
        // test detects unflushed changes.
        let unsafe_url = format!("{url}?options=-c%20synchronous_commit%3Doff");
        let accepted = ["--accept-unsafe-database", "fsync,full_page_writes,synchronous_commit"];
        let found = count_flushed_changes(&unsafe_url, &accepted).await;
        assert!(found < CHANGE_COUNT, "{found} of {CHANGE_COUNT} are flushed, although nobody waits for it");
    });
}

#[test]
fn an_unsafe_database_is_rejected_unless_it_is_accepted_by_name() {
    run_with_postgres(async || {
        let folder = tempfile::tempdir().expect("a folder");
        let Some((machine, url)) = create_filled_cluster(&folder).await else { return };
        let database = Database::empty(DatabaseKind::Sqlite).await;
        let start = |words: &[&str]| -> CommandResult {
            let arguments = ["--listen", "127.0.0.1:0", "--database-url", &url];
            run(&database, &[words, &arguments].concat(), "").into()
        };
        let none = ["--accept-unsafe-database", ""];
        let rejected = start(&[&["serve"], &none[..]].concat());
        assert_eq!(rejected.code, Some(2), "{rejected:?}");
        for words in ["fsync is off", "full_page_writes is off", "to fsync,full_page_writes"] {
            assert!(rejected.errors.contains(words), "{words}: {rejected:?}");
        }
        execute(&url, "ALTER TABLE requests SET UNLOGGED").await;
        let rejected = start(&["serve"]);
        assert!(rejected.errors.contains("a table is unlogged"), "{rejected:?}");
        let examined = start(&["doctor"]);
        assert!(examined.code == Some(1) && examined.out.contains("a table is unlogged"), "{examined:?}");
        execute(&url, "ALTER TABLE requests SET LOGGED").await;
        let examined = start(&["doctor"]);
        assert!(examined.out.contains("`accept_unsafe_database` accepts it"), "{examined:?}");
        let misspelt = start(&["serve", "--accept-unsafe-database", "fsink"]);
        assert!(misspelt.errors.contains("accept_unsafe_database"), "{misspelt:?}");
        drop(machine);
    });
}
