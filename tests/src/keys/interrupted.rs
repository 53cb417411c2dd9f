//! Kills `key rotate` and `key reseal` several times while they re-encrypt data. The next run continues where
//! the previous one ended, and no data are lost.

use std::path::Path;
use std::process::{Child, Stdio};

use reqwest::Method;
use serde_json::{Value, json};

use super::{key_ids_in_file, printed_output, run_key_command, write_key_file};
use crate::support::process::bare_command;
use crate::support::receiver::wait_until_async;
use crate::support::world::{company, worker};
use crate::support::{
    Client, Database, OPERATOR_KEY, Process, Request, Response, on_every_database_kind, run, token_form,
    with_member,
};

/// The number of workers with a tax identity. One transaction re-encrypts 200 workers.
const WORKER_COUNT: usize = 800;
/// The numbers of the workers at which the tests kill the command. Each number is in another transaction of
/// 200 workers.
const KILLED_AT_WORKERS: [usize; 3] = [300, 500, 700];
/// Counts the tax IDs that are encrypted with a new key. The test data are encrypted with the key `test`.
const COUNT_RESEALED_WORKERS: &str =
    "SELECT count(*) FROM workers WHERE company_id = 'MANY' AND legal_id NOT LIKE 'test:%'";

fn tax_id(number: usize) -> String {
    format!("{:09}", 100_000 + number)
}

/// Returns a company in which each worker has a tax identity.
fn company_with_many_workers() -> Value {
    let workers: Vec<Value> = (0..WORKER_COUNT)
        .map(|number| {
            let legal_id = json!({"legalIdType": "SSN", "legalIdValue": tax_id(number)});
            with_member(worker(&format!("W{number:04}"), "EMPLOYEE"), "legalId", legal_id)
        })
        .collect();
    with_member(company("MANY", "00090001"), "workers", workers)
}

/// Starts `key rotate` or `key reseal`. The command waits for the blocked worker with this number, and is
/// killed there.
async fn kill_at_worker(database: &Database, file: &Path, subcommand: &str, number: usize) {
    let sealed_before = database.query_number(COUNT_RESEALED_WORKERS).await;
    let lock = block_at_worker(database, number).await;
    let mut command = bare_command(&["key", subcommand, "--key-file", &file.to_string_lossy()]);
    command.env("PAYROLL_DATABASE_URL", database.url()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child: Child = command.spawn().expect("the binary runs");
    wait_until_async(
        async || database.query_number(COUNT_RESEALED_WORKERS).await > sealed_before,
        "some are sealed",
    )
    .await;
    child.kill().expect("it was running");
    child.wait().expect("it is gone");
    drop(lock);
    if matches!(database, Database::Sqlite(_)) {
        database.execute("DROP TRIGGER stands_still").await;
    }
    let sealed = usize::try_from(database.query_number(COUNT_RESEALED_WORKERS).await).expect("a count");
    assert!(sealed <= number, "{sealed} of {number}");
}

/// Blocks changes to this worker for longer than the test runs. On PostgreSQL, another session locks the
/// worker's row. SQLite has no row locks, so a trigger on this worker runs a query that takes minutes.
async fn block_at_worker(database: &Database, number: usize) -> Option<impl Sized> {
    let worker = format!("W{number:04}");
    if matches!(database, Database::Postgres(_)) {
        let row = format!("company_id = 'MANY' AND worker_id = '{worker}'");
        return Some(
            database.hold_transaction(&format!("SELECT 1 FROM workers WHERE {row} FOR UPDATE")).await,
        );
    }
    let counts = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10000000000) \
        SELECT count(*) FROM n";
    let trigger = format!(
        "CREATE TRIGGER stands_still BEFORE UPDATE ON workers WHEN NEW.worker_id = '{worker}' BEGIN {counts}; END"
    );
    database.execute(&trigger).await;
    None
}

/// Returns a token of a partner with access to the company.
async fn partner_token(server: &Process) -> String {
    let grant = Request::operator(Method::PUT, "/applications/partner/grants/MANY");
    let grant = grant.json(&json!({"scopes": ["read:companies", "read:workers", "read:taxids"]}));
    let granted = server.operator.send(&grant, Some(&format!("Bearer {OPERATOR_KEY}"))).await;
    assert!(granted.expect("an answer").is_success());
    server.client.request_token(token_form()).await
}

async fn get(client: &Client, token: &str, query: &str) -> Response {
    let request = Request::get(format!("/companies/MANY/workers{query}"));
    client.send(&request, Some(token)).await.expect("an answer")
}

#[test]
fn a_rotation_killed_three_times_completes_without_loss() {
    on_every_database_kind(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_key_file(&folder);
        let imported = run(database, &["import", "-"], &company_with_many_workers().to_string());
        assert!(imported.status.success(), "{}", printed_output(&imported));
        for (subcommand, number) in ["rotate", "reseal", "reseal"].into_iter().zip(KILLED_AT_WORKERS) {
            kill_at_worker(database, &file, subcommand, number).await;
        }
        let ended = run_key_command(database, &file, &["rotate"]);
        assert!(ended.status.success(), "{}", printed_output(&ended));
        assert_eq!(key_ids_in_file(&file).len(), 3, "each rotation has made a key");
        let text = std::fs::read_to_string(&file).expect("a file");
        std::fs::write(&file, text.lines().next().expect("the newest key")).expect("a file");

        let server = Process::serve_with_keys(database, "", &["--key-file", &file.to_string_lossy()]);
        let token = partner_token(&server).await;
        let all = get(&server.client, &token, "").await.json();
        let all = all["content"].as_array().expect("workers");
        let read: Vec<_> = all.iter().map(|worker| worker["legalId"]["legalIdValue"].as_str()).collect();
        let expected: Vec<String> = (0..WORKER_COUNT).map(tax_id).collect();
        assert_eq!(read, expected.iter().map(|id| Some(id.as_str())).collect::<Vec<_>>());
        for number in [0, 299, 300, 499, 700, 799] {
            let found =
                get(&server.client, &token, &format!("?legallastfour={}", &tax_id(number)[5..])).await;
            assert_eq!(found.members("workerId"), [format!("W{number:04}")], "{found:?}");
        }
    });
}

#[test]
fn a_rotation_killed_before_its_key_becomes_active_is_continued() {
    on_every_database_kind(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_key_file(&folder);
        let old = key_ids_in_file(&file);
        let mut command = bare_command(&["key", "rotate", "--key-file", &file.to_string_lossy()]);
        command.env("PAYROLL_DATABASE_URL", database.url()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child: Child = command.spawn().expect("the binary runs");
        wait_until_async(async || key_ids_in_file(&file).len() > old.len(), "the new key is in the file")
            .await;
        child.kill().expect("it was running");
        child.wait().expect("it is gone");
        let interrupted = key_ids_in_file(&file);
        assert_eq!(interrupted.first(), old.first(), "the servers have to read the new key first");
        let continued = run_key_command(database, &file, &["reseal"]);
        assert!(continued.status.success(), "{}", printed_output(&continued));
        let new = interrupted.last().expect("a key");
        assert!(
            printed_output(&continued).contains(&format!("{new} is now in use.")),
            "{}",
            printed_output(&continued)
        );
        assert_eq!(key_ids_in_file(&file), [vec![new.clone()], old].concat());
    });
}
