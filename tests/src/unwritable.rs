//! Tests of a database that responds but cannot be written, because its disk is full, its file was deleted,
//! or it is a standby. Changes are rejected with 503. The server is not ready until a write succeeds, and
//! logs the reason once.

use serde_json::json;

use crate::support::receiver::wait_until_async;
use crate::support::{
    Database, OPEN, Process, Request, Response, check_with_correlation_id, on_every_database_kind, token_form,
};

/// A server whose database becomes unwritable during the test, and a token for requests to the server.
struct ReadOnlyServer {
    process: Process,
    token: String,
}

impl ReadOnlyServer {
    async fn new(process: Process) -> Self {
        let token = process.client.request_token(token_form()).await;
        let served = Self { process, token };
        assert_eq!(served.add_check("before").await.status, 201);
        served
    }

    async fn add_check(&self, correlation_id: &str) -> Response {
        let request = Request::post_checks(OPEN, &json!([check_with_correlation_id(correlation_id)]));
        self.process.client.send(&request, Some(&self.token)).await.expect("an answer")
    }

    async fn is_ready(&self) -> bool {
        self.process.client.send(&Request::get("/readyz"), None).await.expect("an answer").status == 200
    }

    /// Verifies that changes are rejected and that the server is not ready.
    async fn assert_rejects_changes(&self) {
        for correlation_id in ["refused", "refused-again"] {
            let refused = self.add_check(correlation_id).await;
            assert_eq!(refused.status_and_code(), "503 API-503", "{refused:?}");
            assert!(!refused.header("retry-after").is_empty(), "{refused:?}");
        }
        wait_until_async(async || !self.is_ready().await, "red").await;
    }

    async fn assert_reads_succeed(&self) {
        let read = Request::get(format!("/companies/{OPEN}"));
        let read = self.process.client.send(&read, Some(&self.token)).await.expect("an answer");
        assert_eq!(read.status, 200, "{read:?}");
    }

    /// Verifies that the server becomes ready again and accepts changes.
    async fn assert_changes_succeed_again(&self) {
        wait_until_async(async || self.is_ready().await, "green").await;
        // A connection to the database may have been closed in the meantime. The first request on such a
        // connection fails, so the test retries.
        wait_until_async(async || self.add_check("behind").await.status == 201, "a check").await;
    }

    /// Stops the server. Verifies that its log contains this reason and no failed rollback.
    fn assert_logged(self, cause: &str) {
        let log = self.process.stop_and_read_log();
        let lines = |words: &str| log.lines().filter(|line| line.contains(words)).count();
        assert!(lines(cause) > 0 && !log.contains("rollback"), "{log}");
        assert_eq!(lines("the database cannot be written"), 1, "{log}");
        // A closed connection may be logged as a second reason, so two lines are accepted. Housekeeping logs
        // other messages.
        assert!(lines("\"message\":\"the storage is unavailable") <= 2, "{log}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_rejects_changes_and_is_reported() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let served = ReadOnlyServer::new(Process::serve_with_file_size_limit(database)).await;
        served.process.limit_file_size("1");
        served.assert_rejects_changes().await;
        served.assert_reads_succeed().await;
        served.process.limit_file_size("unlimited");
        served.assert_changes_succeed_again().await;
        served.assert_logged("disk I/O error");
    });
}

#[test]
fn changes_are_rejected_after_the_database_file_is_moved_or_replaced() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(folder) = database else { return };
        let (file, aside) = (folder.path().join("payroll.db"), folder.path().join("aside.db"));
        for (replaced, cause) in [(false, "payroll.db is gone"), (true, "was replaced by another file")] {
            let served = ReadOnlyServer::new(Process::serve(database)).await;
            std::fs::rename(&file, &aside).expect("it was there");
            if replaced {
                std::fs::copy(&aside, &file).expect("a copy");
            }
            served.assert_rejects_changes().await;
            std::fs::rename(&aside, &file).expect("it was there");
            served.assert_changes_succeed_again().await;
            served.assert_logged(cause);
            database.execute("DELETE FROM checks WHERE application_id <> ''").await;
        }
    });
}

#[test]
fn changes_are_rejected_after_the_database_file_is_removed() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(folder) = database else { return };
        let served = ReadOnlyServer::new(Process::serve(database)).await;
        std::fs::remove_file(folder.path().join("payroll.db")).expect("it was there");
        served.assert_rejects_changes().await;
        served.assert_logged("payroll.db is gone");
    });
}

#[test]
fn changes_are_rejected_after_the_wal_is_removed_and_a_stop_saves_it() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(folder) = database else { return };
        for asked_before in [false, true] {
            let served = ReadOnlyServer::new(Process::serve(database)).await;
            assert!(!asked_before || served.is_ready().await);
            std::fs::remove_file(folder.path().join("payroll.db-wal")).expect("it was there");
            wait_until_async(async || !served.is_ready().await, "red").await;
            served.assert_rejects_changes().await;
            served.assert_logged("payroll.db-wal is gone");
            let count_saved = "SELECT count(*) FROM checks WHERE correlation_id = 'before'";
            assert_eq!(database.query_number(count_saved).await, 1);
            database.execute("DELETE FROM checks WHERE application_id <> ''").await;
        }
    });
}

#[test]
fn a_read_only_database_server_rejects_changes_and_is_reported() {
    on_every_database_kind(async |database| {
        let Database::Postgres(_) = database else { return };
        let served = ReadOnlyServer::new(Process::serve(database)).await;
        database.set_read_only(true).await;
        wait_until_async(async || !served.is_ready().await, "red").await;
        served.assert_rejects_changes().await;
        database.set_read_only(false).await;
        served.assert_changes_succeed_again().await;
        served.assert_logged("it is a standby or is set to read-only");
    });
}

#[test]
fn a_full_disk_of_postgresql_rejects_changes_and_is_reported() {
    on_every_database_kind(async |database| {
        let Database::Postgres(_) = database else { return };
        let served = ReadOnlyServer::new(Process::serve(database)).await;
        let fails = "CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                RAISE EXCEPTION 'could not extend file \"base/1/2\": No space left on device' \
                    USING ERRCODE = '53100'; END $$; \
            CREATE TRIGGER fails BEFORE INSERT ON checks EXECUTE FUNCTION fails(); \
            CREATE TRIGGER fails BEFORE UPDATE ON __diesel_schema_migrations EXECUTE FUNCTION fails()";
        database.execute(fails).await;
        served.assert_rejects_changes().await;
        served.assert_reads_succeed().await;
        database.execute("DROP FUNCTION fails CASCADE").await;
        served.assert_changes_succeed_again().await;
        served.assert_logged("No space left on device");
    });
}

/// A small file system for one test.
#[cfg(target_os = "linux")]
struct SmallDisk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    /// Mounts a small file system. Returns `None` if this user may not mount one.
    fn mount_disk() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=80m", "tmpfs"]).arg(folder.path());
        let is_mounted =
            mount.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success());
        if !is_mounted {
            let reported = std::io::Write::write_all(
                &mut std::io::stderr(),
                b"NOT TESTED: no file system can be mounted here\n",
            );
            reported.expect("standard error");
        }
        is_mounted.then_some(Self(folder))
    }

    fn file_path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// Fills the file system completely.
    fn fill_disk(&self) {
        let mut file = std::fs::File::create(self.file_path("fill")).expect("a file");
        while std::io::Write::write_all(&mut file, &[1; 4096]).is_ok() {}
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = std::process::Command::new("umount").arg("-l").arg(self.0.path()).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "it is unmounted");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_starts_for_reads_on_a_full_disk() {
    on_every_database_kind(async |database| {
        let Database::Sqlite(_) = database else { return };
        let Some(disk) = SmallDisk::mount_disk() else { return };
        let url = disk.file_path("payroll.db").display().to_string();
        assert!(crate::support::run(database, &["backup", &url], "").status.success());
        let serve = || Process::serve_with(database, &["--database-url", &url]);
        // At its first start, the server reserves disk space in the database's folder. On a full disk, the
        // second start releases this space.
        let mut first = serve();
        first.send_stop_signal();
        assert_eq!(first.wait(), Some(0));
        disk.fill_disk();
        let second = serve();
        let token = second.client.request_token(token_form()).await;
        ReadOnlyServer { process: second, token }.assert_reads_succeed().await;
    });
}
