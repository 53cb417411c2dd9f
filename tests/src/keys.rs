//! Tests of the server's keys. A new key is activated while a server runs, an old key is removed, a missing
//! key is reported, and a leaked key is revoked.

mod interrupted;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::json;

use crate::support::process::run_with_variables;
use crate::support::world::{company, worker};
use crate::support::{
    Client, Database, OPEN, Process, Request, TEST_KEYS, on_every_database_kind, run, run_with_keys,
    token_form, with_member,
};

const OTHER_KEY: &str = "other:ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

/// Writes a key file with the key of the test data, and returns its path.
fn write_key_file(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("keys");
    std::fs::write(&path, format!("{TEST_KEYS}\n")).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("for the owner alone");
    path
}

/// Runs a command `key …` with the keys in a file.
fn run_key_command(database: &Database, file: &Path, arguments: &[&str]) -> Output {
    let file = file.to_string_lossy();
    run_with_keys(database, "", &[&["key"], arguments, &["--key-file", &file]].concat())
}

fn key_ids_in_file(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a file");
    text.lines().filter_map(|line| line.split_once(':')).map(|(id, _)| id.to_owned()).collect()
}

/// Requests a token and lists the workers with this token. The response contains a decrypted tax ID. Returns
/// the status.
async fn read_status(client: &Client) -> u16 {
    let token = client.request_token(token_form()).await;
    let request = Request::get(format!("/companies/{OPEN}/workers"));
    client.send(&request, Some(&token)).await.expect("an answer").status
}

fn printed_output(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

#[test]
fn server_start_and_doctor_command_report_a_missing_key() {
    on_every_database_kind(async |database| {
        let both = format!("{OTHER_KEY},{TEST_KEYS}");
        assert!(run_with_keys(database, &both, &["migrate"]).status.success());
        let serving = Process::serve_with_keys(database, &both, &[]);
        assert_eq!(read_status(&serving.client).await, 200);
        drop(serving);
        for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["doctor"]] {
            let refused = run_with_keys(database, OTHER_KEY, arguments);
            let reported = printed_output(&refused);
            assert!(!refused.status.success(), "{reported}");
            let words = ["encrypted with keys that are missing", "test (", "row", "key reseal"];
            assert!(words.iter().all(|word| reported.contains(word)), "{reported}");
        }
        let resealed = run_with_keys(database, &both, &["key", "reseal"]);
        assert!(resealed.status.success(), "{}", printed_output(&resealed));
        let serving = Process::serve_with_keys(database, OTHER_KEY, &[]);
        assert_eq!(read_status(&serving.client).await, 200);
    });
}

#[test]
fn a_missing_key_of_the_worker_search_is_reported() {
    on_every_database_kind(async |database| {
        let forget = "UPDATE workers SET legal_id_type = NULL, legal_id = NULL; \
            UPDATE companies SET legal_id_type = NULL, legal_id = NULL; DELETE FROM hooks; \
            DELETE FROM direct_deposits";
        database.execute(forget).await;
        let number = json!({"legalIdType": "FEIN", "legalIdValue": "000004321"});
        let contractor = with_member(worker("SMITHS", "CONTRACTOR"), "legalId", number);
        let company = with_member(company("SMALL", "00090001"), "workers", vec![contractor]);
        assert!(run(database, &["import", "-"], &company.to_string()).status.success());
        let both = format!("{OTHER_KEY},{TEST_KEYS}");
        assert!(run_with_keys(database, &both, &["migrate"]).status.success());
        for arguments in [&["doctor"][..], &["serve", "--listen", "127.0.0.1:0"]] {
            let refused = run_with_keys(database, OTHER_KEY, arguments);
            let reported = printed_output(&refused);
            assert!(!refused.status.success() && reported.contains("test (1 row"), "{reported}");
        }
        assert!(run_with_keys(database, &both, &["key", "reseal"]).status.success());
        drop(Process::serve_with_keys(database, OTHER_KEY, &[]));
    });
}

#[test]
fn a_key_is_rotated_online_and_the_old_one_can_be_removed() {
    on_every_database_kind(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_key_file(&folder);
        let with_file = ["--key-file", &file.to_string_lossy()];
        let server = Process::serve_with_keys(database, "", &with_file);
        let (url, path) = (database.url(), file.to_string_lossy().into_owned());
        let rotation = tokio::task::spawn_blocking(move || {
            run_with_variables(
                &[("PAYROLL_DATABASE_URL", &url), ("PAYROLL_KEY_FILE", &path)],
                &["key", "rotate"],
                "",
            )
        });
        while !rotation.is_finished() {
            assert_eq!(read_status(&server.client).await, 200);
        }
        let rotating = rotation.await.expect("it ran");
        assert!(rotating.status.success(), "{}", printed_output(&rotating));
        let in_file = key_ids_in_file(&file);
        assert_eq!((in_file.len(), in_file[1].as_str()), (2, "test"));
        assert_eq!(read_status(&server.client).await, 200);
        drop(server);
        let text = std::fs::read_to_string(&file).expect("a file");
        std::fs::write(&file, text.lines().next().expect("the new key")).expect("a file");
        let server = Process::serve_with_keys(database, "", &with_file);
        assert_eq!(read_status(&server.client).await, 200);
    });
}

#[test]
fn a_revoked_key_is_invalid_immediately_and_removable_when_unused() {
    on_every_database_kind(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_key_file(&folder);
        let with_file = ["--key-file", &file.to_string_lossy()];
        let server = Process::serve_with_keys(database, "", &with_file);
        let token = server.client.request_token(token_form()).await;
        let request = Request::get("/companies");
        let status = async || server.client.send(&request, Some(&token)).await.expect("an answer").status;
        assert_eq!(status().await, 200);
        let unknown = run_key_command(database, &file, &["revoke", "nobodys"]);
        assert!(
            !unknown.status.success() && printed_output(&unknown).contains("nobodys"),
            "{}",
            printed_output(&unknown)
        );
        let revoked = run_key_command(database, &file, &["revoke", "test"]);
        assert!(revoked.status.success(), "{}", printed_output(&revoked));
        assert_eq!(status().await, 401, "its tokens are rejected");
        assert_eq!(read_status(&server.client).await, 200);
        let left = key_ids_in_file(&file);
        assert!(left.len() == 1 && left[0] != "test", "{left:?}");
    });
}
