//! Tests of `partition`, which moves the checks of a PostgreSQL database to partitions. All responses must
//! stay the same.

use std::time::Duration;

use serde_json::json;

use crate::support::command_line::CommandResult;
use crate::support::receiver::wait_until_async;
use crate::support::{
    Database, DatabaseKind, OPEN, Process, Request, check_with_correlation_id, for_each_kind, run,
    run_with_keys, start_with_input, store_checks, token_form,
};

/// The encryption keys of a copied database.
const COPY_KEYS: &str = "copied:HhwdGxoZGBcWFRQTEhEQDw4NDAsKCQgHBgUEAwIBAB8=";
/// A query for the columns, keys, indexes and permissions of the table `checks`.
const SELECT_TABLE_SHAPE: &str = "SELECT attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull::text \
            || attstorage::text || attcompression::text || coalesce(attcollation::regcollation::text, '') \
        FROM pg_attribute WHERE attrelid = 'checks'::regclass AND attnum > 0 AND NOT attisdropped \
    UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) \
        FROM pg_constraint WHERE conrelid = 'checks'::regclass \
    UNION ALL SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') \
        FROM pg_index WHERE indrelid = 'checks'::regclass \
    UNION ALL SELECT a.grantee::regrole::text || ' ' || a.privilege_type \
        FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = 'checks'::regclass ORDER BY 1";
const COUNT_PARTITIONS: &str = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'checks'::regclass";

/// Runs a test on a PostgreSQL database with the test data. Its checks are not partitioned.
fn run_on_unpartitioned_postgres(test: impl AsyncFn(&Database)) {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return; // SQLite already stores the checks of a company together
        }
        let database = Database::with_test_data(kind).await;
        run_partition(&database, "1");
        test(&database).await;
        run_partition(&database, "1");
        database.return_to_pool().await;
    });
}

fn run_partition(database: &Database, count: &str) -> CommandResult {
    run(database, &["partition", count], "").into()
}

/// Reads all checks through the partner API. Returns the status, entity tag and text of each response.
async fn read_all_checks(server: &Process) -> Vec<(u16, String, String)> {
    let token = server.client.request_token(token_form()).await;
    let mut all = Vec::new();
    for target in [
        format!("/companies/{OPEN}/checks?payperiodid=ENTRY"),
        format!("/companies/{OPEN}/checks?payperiodid=ENTRY&offset=1&limit=2"),
        format!("/companies/{OPEN}/checks?payperiodid=COMPLETED"),
        "/workers/EMPLOYEE/checks?payperiodid=COMPLETED".to_owned(),
        "/workers/EMPLOYEE/checks/PROCESSED-1".to_owned(),
    ] {
        let response = server.client.send(&Request::get(target), Some(&token)).await.expect("an answer");
        all.push((response.status, response.header("etag").to_owned(), response.text()));
    }
    all
}

/// Adds a check with this correlation id, and removes the check again.
async fn add_and_remove(server: &Process, correlation_id: &str) {
    let token = server.client.request_token(token_form()).await;
    let add = Request::post_checks(OPEN, &json!([check_with_correlation_id(correlation_id)]));
    let added = server.client.send(&add, Some(&token)).await.expect("an answer");
    assert_eq!(added.status, 201, "{added:?}");
    let id = added.json()["content"][0]["paycheckId"].as_str().expect("an id").to_owned();
    let remove = Request::new(reqwest::Method::DELETE, format!("/workers/EMPLOYEE/checks/{id}"));
    let removed = server.client.send(&remove, Some(&token)).await.expect("an answer");
    assert_eq!(removed.status, 204, "{removed:?}");
}

#[test]
fn checks_are_partitioned_and_merged_online_without_other_changes() {
    run_on_unpartitioned_postgres(async |database| {
        store_checks(database).await;
        database.execute("GRANT SELECT ON checks TO PUBLIC").await;
        let rows = "SELECT count(*) FROM checks";
        let (shape, count) =
            (database.query_texts(SELECT_TABLE_SHAPE).await, database.query_number(rows).await);
        let server = Process::serve(database);
        add_and_remove(&server, "before").await;
        for (partitions, words) in
            [("8", "in 8 partitions now"), ("3", "in 3 partitions now"), ("1", "in one table now")]
        {
            let before = read_all_checks(&server).await;
            let reported = run_partition(database, partitions);
            assert_eq!(reported.code, Some(0), "{reported:?}");
            assert!(
                reported.out.contains(words) && reported.out.contains(&format!("{count} were moved")),
                "{reported:?}"
            );
            let expected = if partitions == "1" { 0 } else { partitions.parse().expect("a number") };
            assert_eq!(database.query_number(COUNT_PARTITIONS).await, expected);
            assert_eq!(database.query_texts(SELECT_TABLE_SHAPE).await, shape, "{partitions}");
            assert_eq!(read_all_checks(&server).await, before, "{partitions}");
            add_and_remove(&server, partitions).await;
            assert_eq!(database.query_number(rows).await, count);
            let again = run_partition(database, partitions);
            assert!(again.code == Some(0) && again.out.contains("are already"), "{again:?}");
            let doctor: CommandResult = run(database, &["doctor"], "").into();
            let says = doctor.out.contains("the checks are in");
            assert_eq!(says, partitions != "1", "{doctor:?}");
        }
        database.execute("REVOKE SELECT ON checks FROM PUBLIC").await;
    });
}

#[test]
fn a_copy_reads_and_writes_partitioned_tables() {
    run_on_unpartitioned_postgres(async |database| {
        store_checks(database).await;
        assert_eq!(run_partition(database, "4").code, Some(0));
        let to = Database::empty(DatabaseKind::Postgres).await;
        let empty: CommandResult = run_with_keys(&to, COPY_KEYS, &["partition", "5"]).into();
        assert_eq!(empty.code, Some(0), "it is brought up to date before: {empty:?}");
        let folder = tempfile::tempdir().expect("a folder");
        let keys = super::copy::write_key_file(&folder, crate::support::TEST_KEYS);
        let copy = ["copy", "--from", &database.url(), "--from-key-file", &keys, "--anonymise"];
        let copied: CommandResult = run_with_keys(&to, COPY_KEYS, &copy).into();
        assert_eq!(copied.code, Some(0), "{copied:?}");
        let rows = "SELECT count(*) FROM checks";
        assert_eq!(
            (to.query_number(rows).await, to.query_number(COUNT_PARTITIONS).await),
            (database.query_number(rows).await, 5)
        );
        run_partition(&to, "1");
        to.return_to_pool().await;
    });
}

#[test]
fn a_table_with_added_objects_is_not_partitioned() {
    run_on_unpartitioned_postgres(async |database| {
        let added = [
            (
                "CREATE VIEW of_checks AS SELECT paycheck_id FROM checks",
                "the view of_checks",
                "VIEW of_checks",
            ),
            (
                "CREATE TRIGGER watched AFTER UPDATE ON checks FOR EACH ROW \
                    EXECUTE FUNCTION suppress_redundant_updates_trigger()",
                "the trigger watched",
                "TRIGGER watched ON checks",
            ),
            ("CREATE PUBLICATION sent FOR TABLE checks", "the publication sent", "PUBLICATION sent"),
        ];
        for (add, words, drop) in added {
            database.execute(add).await;
            let reported = run_partition(database, "4");
            assert!(reported.code == Some(2) && reported.errors.contains(words), "{reported:?}");
            assert_eq!(database.query_number(COUNT_PARTITIONS).await, 0);
            database.execute(&format!("DROP {drop}")).await;
        }
        database.execute("ALTER TABLE checks SET (fillfactor = 90)").await;
        let reported = run_partition(database, "4");
        assert!(reported.errors.contains("the storage settings fillfactor=90"), "{reported:?}");
        database.execute("ALTER TABLE checks RESET (fillfactor)").await;
        assert_eq!(run_partition(database, "4").code, Some(0));
    });
}

#[test]
fn a_killed_command_changes_nothing() {
    run_on_unpartitioned_postgres(async |database| {
        store_checks(database).await;
        let rows = "SELECT count(*) FROM checks";
        let (shape, count) =
            (database.query_texts(SELECT_TABLE_SHAPE).await, database.query_number(rows).await);
        let mut lock = database.hold_transaction("LOCK TABLE checks IN SHARE MODE").await;
        let mut command = start_with_input(database, &["partition", "4"], "");
        let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' \
            AND relation = 'checks'::regclass";
        wait_until_async(async || database.query_number(waits).await == 1, "it waits for the others").await;
        command.kill().expect("it runs");
        command.wait().expect("an end");
        lock.run_sql("COMMIT").await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        wait_until_async(async || database.query_number(waits).await == 0, "its session ends").await;
        assert_eq!(
            (database.query_texts(SELECT_TABLE_SHAPE).await, database.query_number(rows).await),
            (shape, count)
        );
        assert_eq!(database.query_number(COUNT_PARTITIONS).await, 0);
        assert_eq!(run_partition(database, "4").code, Some(0));
    });
}

#[test]
fn invalid_partition_numbers_and_embedded_databases_are_rejected() {
    for_each_kind(async |kind| {
        let database = Database::with_test_data(kind).await;
        for count in ["0", "65", "-1", "four", "1.5", ""] {
            let reported = run_partition(&database, count);
            assert_eq!(reported.code, Some(2), "{count}: {reported:?}");
        }
        if kind == DatabaseKind::Sqlite {
            let reported = run_partition(&database, "4");
            assert!(
                reported.code == Some(2) && reported.errors.contains("payroll-server copy"),
                "{reported:?}"
            );
        }
        database.return_to_pool().await;
    });
}
