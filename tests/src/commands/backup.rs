//! Tests of `backup`. The backup contains everything that the server acknowledged before the backup started.
//! The command overwrites no file.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use serde_json::json;

use crate::support::command_line::CommandResult;
use crate::support::{
    Client, Database, DatabaseKind, OPEN, Process, Request, check_with_correlation_id,
    on_every_database_kind, run, token_form,
};

/// The number of clients that add checks during the backup.
const CLIENT_COUNT: usize = 3;
/// The number of responses that the clients must get before the backup starts. The clients must get as many
/// again before the backup ends.
const MIN_REQUESTS: usize = 60;

/// Returns a request with two checks and its own idempotency key.
fn add_check_request(name: &str) -> Request {
    let checks = json!([
        check_with_correlation_id(&format!("{name}-a")),
        check_with_correlation_id(&format!("{name}-b"))
    ]);
    Request::post_checks(OPEN, &checks).idempotency_key(name)
}

/// The state that the clients share: the names of the requests with a 201, and the flag `over`, which stops
/// the clients.
#[derive(Default)]
struct BackgroundLoad {
    stored: Mutex<Vec<String>>,
    over: AtomicBool,
}

impl BackgroundLoad {
    async fn send_requests(&self, client: &Client, token: &str, which: usize) {
        for number in 0.. {
            if self.over.load(Ordering::SeqCst) {
                return;
            }
            let name = format!("{which}-{number}");
            let response = client.send(&add_check_request(&name), Some(token)).await.expect("an answer");
            assert_eq!(response.status, 201, "{response:?}");
            self.stored.lock().expect("no panic").push(name);
        }
    }

    async fn wait_for_requests(&self, count: usize) -> Vec<String> {
        loop {
            let stored = self.stored.lock().expect("no panic").clone();
            if stored.len() >= count {
                return stored;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// Restores a backup file to a new embedded database.
fn restore_copy(copy: &Path) -> Database {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(copy, folder.path().join("payroll.db")).expect("a copy");
    Database::Sqlite(folder)
}

fn run_backup(database: &Database, arguments: &[&str]) -> CommandResult {
    run(database, &[&["backup"], arguments].concat(), "").into()
}

#[test]
fn changes_before_the_backup_are_in_the_copy() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join("copy.db");
        let server = Process::serve(database);
        let token = server.client.request_token(token_form()).await;
        let load = BackgroundLoad::default();
        let sending =
            join_all((0..CLIENT_COUNT).map(|which| load.send_requests(&server.client, &token, which)));
        let copying = async {
            let before = load.wait_for_requests(MIN_REQUESTS).await;
            let reported =
                tokio::task::block_in_place(|| run_backup(database, &[copy.to_str().expect("Unicode")]));
            load.wait_for_requests(before.len() + MIN_REQUESTS).await;
            load.over.store(true, Ordering::SeqCst);
            (before, reported)
        };
        let (_, (before, reported)) = tokio::join!(sending, copying);
        assert_eq!(reported.code, Some(0), "{reported:?}");
        assert!(
            reported.out.contains("companies") && reported.out.contains("keys are not in the copy"),
            "{reported:?}"
        );
        assert_eq!(copy.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&folder).expect("files").count(), 1, "nothing is left next to it");

        let restored = restore_copy(&copy);
        let second = Process::serve(&restored);
        for name in &before {
            let query =
                format!("SELECT count(*) FROM checks WHERE correlation_id IN ('{name}-a', '{name}-b')");
            assert_eq!(restored.query_number(&query).await, 2, "{name}");
            let again = second.client.send(&add_check_request(name), Some(&token)).await.expect("an answer");
            assert_eq!(again.status, 201, "the kept answer of {name}");
        }
        let halves = "SELECT count(*) FROM (SELECT substr(correlation_id, 1, length(correlation_id) - 2) AS name \
            FROM checks WHERE application_id <> '' GROUP BY name HAVING count(*) <> 2) AS half";
        assert_eq!(restored.query_number(halves).await, 0, "a request is stored completely or not at all");
    });
}

#[test]
fn an_existing_backup_is_only_overwritten_on_request_and_another_file_never() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).to_str().expect("Unicode").to_owned();
        let (copy, letter) = (path("copy.db"), path("letter.txt"));
        std::fs::write(&letter, "Dear Sir or Madam").expect("a file");
        let mut codes = Vec::new();
        for arguments in [&[copy.as_str()][..], &[&copy], &[&copy, "--force"], &[&letter, "--force"]] {
            codes.push(run_backup(database, arguments).code);
        }
        assert_eq!(codes, [Some(0), Some(2), Some(0), Some(2)]);
        assert_eq!(std::fs::read_to_string(&letter).expect("a file"), "Dear Sir or Madam");
        let itself = run_backup(database, &[&database.url(), "--force"]);
        assert!(itself.code == Some(2) && itself.errors.contains("the database itself"), "{itself:?}");
        std::fs::write(path("copy.db-wal"), "").expect("a file");
        let used = run_backup(database, &[&copy, "--force"]);
        assert!(used.code == Some(2) && used.errors.contains("copy.db-wal"), "{used:?}");
    });
}

#[test]
fn a_failed_backup_reports_its_cause_and_leaves_no_file() {
    on_every_database_kind(async |database| {
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join("copy.db");
        let copy = copy.to_str().expect("Unicode");
        let missing = Database::empty(DatabaseKind::Sqlite).await;
        let (target, says) = match database {
            Database::Postgres(_) => (database, "pg_dump"),
            Database::Sqlite(_) => (&missing, "no database"),
        };
        let reported = run_backup(target, &[copy]);
        assert!(reported.code == Some(2) && reported.errors.contains(says), "{reported:?}");
        std::fs::write(folder.path().join("torn.db"), "SQLite format 3\0 and then nothing").expect("a file");
        let torn = folder.path().join("torn.db");
        let torn = run(database, &["--database-url", torn.to_str().expect("Unicode"), "backup", copy], "");
        assert_eq!(torn.status.code(), Some(2), "{torn:?}");
        assert_eq!(std::fs::read_dir(&folder).expect("files").count(), 1, "only the torn one");
    });
}
