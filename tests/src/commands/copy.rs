//! Tests of `copy`. Afterwards, PostgreSQL contains all data of the embedded database, encrypted with other
//! keys.

mod anonymised;
mod populated;

use serde_json::Value;
use standardwebhooks::Webhook;

use crate::support::command_line::CommandResult;
use crate::support::received::Received;
use crate::support::receiver::wait_until_async;
use crate::support::{
    Database, DatabaseKind, OPEN, Process, Receiver, Request, Response, check_with_correlation_id,
    for_each_kind, run, run_with_keys, token_form,
};
use populated::{FULL_COMPANY, PopulatedDatabase, WORKER_SSN, populate, settings};

/// The encryption keys of the PostgreSQL database.
const TARGET_KEYS: &str = "moved:HxAeDx0OHA0bDBoLGQoYCRcIFgcVBhQFEwQSAxECEAE=";

/// Runs a test with an embedded database that contains the test data, and with an empty PostgreSQL database.
/// Without a PostgreSQL server, the test is skipped.
fn run_on_source_and_target(test: impl AsyncFn(&Database, &Database)) {
    for_each_kind(async |kind| {
        if kind == DatabaseKind::Postgres {
            let (from, to) =
                (Database::with_test_data(DatabaseKind::Sqlite).await, Database::empty(kind).await);
            test(&from, &to).await;
            to.return_to_pool().await;
        }
    });
}

/// Runs `copy` from one database to another. The keys of the target database are `TARGET_KEYS`.
fn run_copy(from: &Database, key_file: &str, to: &Database) -> CommandResult {
    let from = from.url();
    run_with_keys(to, TARGET_KEYS, &["copy", "--from", &from, "--from-key-file", key_file]).into()
}

/// Writes a file with the keys of the embedded database, in the format that the server reads.
pub(super) fn write_key_file(folder: &tempfile::TempDir, keys: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path().join("source.keys");
    std::fs::write(&path, keys).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
    path.to_str().expect("Unicode").to_owned()
}

/// Returns the path of a search for the worker of the full company by the last four digits of the tax ID.
fn last_four_query() -> String {
    format!("/companies/{FULL_COMPANY}/workers?legallastfour={}", &WORKER_SSN[WORKER_SSN.len() - 4..])
}

/// Returns the paths of the partner API that the test reads as a partner.
fn partner_read_paths(hook_id: &str) -> Vec<String> {
    let of_companies = [OPEN, FULL_COMPANY].into_iter().flat_map(|company| {
        ["", "/calculationbases", "/contacttypes", "/customemploymenttypes", "/customfields"]
            .map(|list| format!("/companies/{company}{list}"))
    });
    let others = [
        "/companies".to_owned(),
        "/companies/CHILD".to_owned(),
        format!("/companies/{OPEN}?includelineage=true"),
        format!("/companies/{OPEN}/checks?payperiodid=ENTRY&offset=2&limit=5"),
        format!("/companies/{OPEN}/checks?payperiodid=COMPLETED"),
        format!("/companies/{FULL_COMPANY}/checks?payperiodid=FULL-PERIOD"),
        last_four_query(),
        "/management/hooks".to_owned(),
        format!("/management/hooks/{hook_id}"),
        "/management/events".to_owned(),
    ];
    of_companies.chain(others).collect()
}

/// Sends all GET requests of a partner, and reads the event feed to its end. Returns the path, status, entity
/// tag and body of each response.
async fn read_all_partner_data(server: &Process, hook_id: &str) -> Vec<(String, u16, String, String)> {
    let token = server.client.request_token(token_form()).await;
    let ask = async |target: &str| {
        let response: Response =
            server.client.send(&Request::get(target), Some(&token)).await.expect("an answer");
        (target.to_owned(), response.status, response.header("etag").to_owned(), response.text())
    };
    let mut all = Vec::new();
    for target in partner_read_paths(hook_id) {
        all.push(ask(&target).await);
    }
    let feed: Value = serde_json::from_str(&all.last().expect("the feed").3).expect("JSON");
    let next = feed["links"].as_array().expect("links").iter().find(|link| link["rel"] == "next");
    let next = next.and_then(|link| link["href"].as_str()).expect("the feed goes on");
    all.push(ask(next.trim_start_matches("https://api.test")).await);
    all
}

fn assert_signed(received: &Received, secret: &str) {
    let timestamp = received.header("webhook-timestamp").parse().expect("seconds");
    let verifier = Webhook::new(secret).expect("a secret");
    let signature = verifier.sign(received.header("webhook-id"), timestamp, &received.body);
    let signature = signature.expect("a signature");
    assert!(received.header("webhook-signature").split(' ').any(|it| it == signature), "{received:?}");
}

/// Returns the number of values in each text column that are encrypted with this key.
async fn encrypted_counts(database: &Database, key_id: &str) -> Vec<String> {
    let columns = match database {
        Database::Sqlite(_) => {
            "SELECT m.name || ' ' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c \
             WHERE m.type = 'table' AND c.type = 'TEXT'"
        }
        Database::Postgres(_) => {
            "SELECT table_name || ' ' || column_name FROM information_schema.columns \
             WHERE table_schema = 'public' AND data_type = 'text'"
        }
    };
    let mut found = Vec::new();
    for place in database.query_texts(columns).await {
        let (table, column) = place.split_once(' ').expect("a table and a column");
        let count = format!("SELECT count(*) FROM {table} WHERE {column} LIKE '{key_id}:%'");
        match database.query_number(&count).await {
            0 => {}
            count => found.push(format!("{place} {count}")),
        }
    }
    found.sort();
    found
}

#[test]
fn partners_read_the_same_data_from_the_copy_in_postgresql() {
    let receiver = Receiver::start();
    run_on_source_and_target(async |from, to| {
        receiver.reset_state();
        let PopulatedDatabase { hook_id, signing_secret } = populate(from, &receiver).await;
        let settings = settings(&receiver);
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let before = read_all_partner_data(&Process::serve_with(from, &settings), &hook_id).await;
        let folder = tempfile::tempdir().expect("a folder");
        let reported = run_copy(from, &write_key_file(&folder, crate::support::TEST_KEYS), to);
        assert_eq!(reported.code, Some(0), "{reported:?}");
        assert!(reported.out.contains("agree") && reported.out.contains("are invalid"), "{reported:?}");

        let sealed_before = encrypted_counts(from, "test").await;
        assert_eq!(
            sealed_before.len(),
            10,
            "SSNs of both kinds, account numbers, what a worker's is found by, a hook's three, details of a request, the canary: {sealed_before:?}"
        );
        assert_eq!(encrypted_counts(to, "moved").await, sealed_before);
        assert_eq!(encrypted_counts(to, "test").await, [""; 0]);
        let unhashed = "SELECT count(*) FROM workers \
            WHERE legal_id IS NOT NULL AND (last_four_of IS NULL OR last_four_of <> legal_id)";
        assert_eq!(to.query_number(unhashed).await, 0, "no server has to hash what was copied");

        let attempts = receiver.received().len();
        receiver.reset_state();
        let after = Process::serve_with_keys(to, TARGET_KEYS, &settings);
        // On PostgreSQL, the feed delays events while transactions of concurrent tests are open. The test
        // waits for all events.
        wait_until_async(
            async || read_all_partner_data(&after, &hook_id).await == before,
            "the same answers",
        )
        .await;
        let found = before.iter().find(|(target, ..)| *target == last_four_query()).expect("it was read");
        assert!(found.3.contains("FULL-WORKER"), "{found:?}");
        let whole = before.iter().map(|(_, _, _, text)| text.as_str()).collect::<String>();
        assert!(whole.contains(crate::support::CHILD_TAX_ID), "an SSN is among them, and opened");
        let again = &receiver.wait_for_requests("/in", 1).await[0];
        assert!(attempts >= 2, "it was rejected before");
        assert_signed(again, &signing_secret);
        assert!(again.header("authorization").starts_with("Basic "), "{again:?}");
        assert_copy_continues(&after, to).await;
    });
}

/// Verifies that the target database continues the work of the original. The target knows the idempotency key
/// of an earlier request, and new events follow the copied events.
async fn assert_copy_continues(server: &Process, database: &Database) {
    let events = "SELECT max(position) FROM events";
    let last = database.query_number(events).await;
    let token = server.client.request_token(token_form()).await;
    let stored = "SELECT count(*) FROM checks WHERE application_id <> ''";
    let checks = database.query_number(stored).await;
    let again = serde_json::json!([check_with_correlation_id("0-a"), check_with_correlation_id("0-b")]);
    let again = Request::post_checks(OPEN, &again).idempotency_key("key-0");
    let again = server.client.send(&again, Some(&token)).await.expect("an answer");
    assert_eq!((again.status, database.query_number(stored).await), (201, checks));
    let key = format!("Bearer {}", crate::support::OPERATOR_KEY);
    let path = format!("/companies/{FULL_COMPANY}/workers/FULL-WORKER");
    let ssn = server.operator.send(&Request::operator_get(&path), Some(&key)).await.expect("an answer");
    assert!(ssn.text().contains(WORKER_SSN), "{ssn:?}");
    let change = Request::operator_patch(&path, &serde_json::json!({"clockId": "third"}));
    let changed = server.operator.send(&change, Some(&key)).await.expect("an answer");
    assert_eq!(changed.status, 200, "{changed:?}");
    assert!(database.query_number(events).await > last);
}

#[test]
fn an_interrupted_copy_leaves_nothing_and_can_be_repeated() {
    run_on_source_and_target(async |from, to| {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = write_key_file(&folder, crate::support::TEST_KEYS);
        // The command copies the companies before the workers. The invalid worker therefore interrupts the
        // command after the companies are copied.
        from.execute("UPDATE companies SET legal_name = 'kept' WHERE company_id = 'OPEN'").await;
        let sealed = "(SELECT legal_id FROM companies WHERE company_id = 'CHILD')";
        from.execute(&format!(
            "UPDATE workers SET legal_id_type = 'SSN', legal_id = {sealed} WHERE worker_id = 'EMPLOYEE'"
        ))
        .await;
        let torn = run_copy(from, &keys, to);
        assert!(torn.code == Some(2) && torn.errors.contains("column legal_id of table workers"), "{torn:?}");
        assert_eq!(to.query_number("SELECT count(*) FROM companies").await, 0);
        from.execute("UPDATE workers SET legal_id_type = NULL, legal_id = NULL").await;
        assert_eq!(run_copy(from, &keys, to).code, Some(0));
        let again = run_copy(from, &keys, to);
        assert!(again.code == Some(2) && again.errors.contains("not empty"), "{again:?}");
    });
}

#[test]
fn tables_of_an_extension_in_the_target_are_not_touched() {
    run_on_source_and_target(async |from, to| {
        to.execute("CREATE EXTENSION pg_stat_statements").await;
        let folder = tempfile::tempdir().expect("a folder");
        let keys = write_key_file(&folder, crate::support::TEST_KEYS);
        let reported = run_copy(from, &keys, to);
        to.execute("DROP EXTENSION pg_stat_statements").await;
        assert_eq!(reported.code, Some(0), "{reported:?}");
        to.execute("CREATE VIEW own AS SELECT 1 AS one").await;
        let reported = run_copy(from, &keys, to);
        to.execute("DROP VIEW own").await;
        assert!(
            reported.code == Some(2) && reported.errors.contains("only the target has own"),
            "{reported:?}"
        );
    });
}

#[test]
fn an_impossible_copy_is_reported_before_anything_is_written() {
    run_on_source_and_target(async |from, to| {
        let folder = tempfile::tempdir().expect("a folder");
        let wrong = run_copy(from, &write_key_file(&folder, &TARGET_KEYS.replace("moved", "test")), to);
        assert!(wrong.code == Some(2) && wrong.errors.contains("--from-key-file"), "{wrong:?}");
        let keys = write_key_file(&folder, crate::support::TEST_KEYS);
        let served = Process::serve(from);
        let reported = run_copy(from, &keys, to);
        assert!(reported.code == Some(2) && reported.errors.contains("stop it first"), "{reported:?}");
        drop(served);
        let (embedded, postgres) = (from.url(), to.url());
        for (source, target, says) in [
            (&postgres, &embedded, "pg_dump"),
            (&embedded, &embedded, "must be a PostgreSQL database"),
            (&"nowhere.db".to_owned(), &postgres, "there is no database nowhere.db"),
        ] {
            let reported: CommandResult = run(to, &["copy", "--from", source, "--to", target], "").into();
            assert!(reported.code == Some(2) && reported.errors.contains(says), "{reported:?}");
        }
        assert_eq!(to.query_number("SELECT count(*) FROM companies").await, 0);
    });
}
