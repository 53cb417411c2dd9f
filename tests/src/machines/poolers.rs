//! PgBouncer between the server and PostgreSQL: as sessions it works, with every limit; where it lends a
//! connection for one transaction, it is recognised at the start and refused in words.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::program;
use crate::support::process::run;
use crate::support::receiver::until_asked;
use crate::support::{Database, Kind, OPEN, Process, Request, check, for_each_kind, token_form};

/// The programs that may be there: Debian's, and a newer one beside it.
const PROGRAMS: [&str; 2] = ["pgbouncer", "pgbouncer-1.25.2"];
/// How long a change waits for the lock of a company: `lock_timeout` of every session.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// A pooler that runs as long as this value is there.
struct Pooler {
    child: Child,
    address: String,
    _folder: TempDir,
}

impl Pooler {
    /// Starts it before the PostgreSQL server of the tests; `None` where the machine has none.
    async fn start(name: &str, mode: &str) -> Option<Self> {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        let program = program(name)?;
        let folder = tempfile::tempdir().expect("a folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("a folder");
        let [high, low, ..] = std::process::id().to_le_bytes();
        let host = format!("127.{}.{}.7", 64 | (high ^ low), NEXT.fetch_add(1, Ordering::SeqCst));
        let shown = folder.path().display();
        let (file, users) = (folder.path().join("pooler.ini"), folder.path().join("users"));
        fs::write(&users, "\"postgres\" \"\"\n").expect("a file");
        let server = Database::Postgres("postgres".to_owned()).url();
        let place = server.rsplit('@').next().unwrap_or_default().split('/').next().unwrap_or_default();
        let (server_host, server_port) = place.split_once(':').unwrap_or((place, "5432"));
        let settings = format!(
            "[databases]\n* = host={server_host} port={server_port}\n[pgbouncer]\nlisten_addr = {host}\n\
             listen_port = 6432\nauth_type = trust\nauth_file = {}\nstats_users = postgres\npool_mode = {mode}\nunix_socket_dir =\n\
             logfile = {shown}/log\npidfile = {shown}/pid\n",
            users.display()
        );
        fs::write(&file, settings).expect("a file");
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(&program).arg(&file);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let pooler =
            Self { child: child.expect("it runs"), address: format!("{host}:6432"), _folder: folder };
        until_asked(async || TcpStream::connect(&pooler.address).await.is_ok(), "a pooler").await;
        Some(pooler)
    }

    /// The address of a database by way of it.
    fn url(&self, database: &Database) -> String {
        let url = database.url();
        let name = url.rsplit('/').next().unwrap_or_default().split('?').next().unwrap_or_default();
        format!("postgres://postgres@{}/{name}", self.address)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        // The program that changes the user passes the signal on.
        let id = self.child.id().to_string();
        let _asked = Command::new("kill").args(["-TERM", &id]).status();
        let _gone = self.child.wait();
    }
}

/// Runs a test with each pooler in that mode.
fn behind(mode: &str, test: impl AsyncFn(&Database, &str)) {
    for_each_kind(async |kind| {
        if kind != Kind::Postgres {
            return;
        }
        for name in PROGRAMS {
            let Some(pooler) = Pooler::start(name, mode).await else { continue };
            let database = Database::with_world(kind).await;
            test(&database, &pooler.url(&database)).await;
            drop(pooler);
            database.give_on().await;
        }
    });
}

#[test]
fn a_pooler_of_sessions_keeps_every_limit_and_no_lock() {
    behind("session", async |database, url| {
        let told = run(database, &["doctor", "--database-url", url], "");
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(
            told.contains("PgBouncer 1.") && told.contains("keeps each connection one session"),
            "{told}"
        );
        let process = Process::serve_with(database, &["--database-url", url]);
        let token = process.client.token(token_form()).await;
        let add = async |name: &str| {
            let request = Request::post_checks(OPEN, &json!([check(name)]));
            process.client.send(&request, Some(&token)).await.expect("an answer")
        };
        assert_eq!(add("first").await.status, 201);
        let holding = format!("SELECT 1 FROM companies WHERE company_id = '{OPEN}' FOR UPDATE");
        let mut lock = database.hold(&holding).await;
        let begun = Instant::now();
        let waited = add("second").await;
        let took = begun.elapsed();
        assert_eq!(waited.status, 423, "{waited:?}");
        assert!(took >= LOCK_TIMEOUT && took < 3 * LOCK_TIMEOUT, "{took:?}");
        lock.run("COMMIT").await;
        assert_eq!(add("third").await.status, 201);
        process.stop_and_read_log();
        let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = \
            (SELECT oid FROM pg_database WHERE datname = current_database())";
        until_asked(async || database.number(held).await == 0, "no lock of a session").await;
    });
}

#[test]
fn a_pooler_of_transactions_is_refused_in_words_at_the_start() {
    behind("transaction", async |database, url| {
        let refused = run(database, &["serve", "--listen", "127.0.0.1:0", "--database-url", url], "");
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{told}");
        assert!(told.contains("pool_mode = session") && told.contains("PgBouncer 1."), "{told}");
    });
}
