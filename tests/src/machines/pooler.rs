//! PgBouncer between servers and PostgreSQL, started for one test.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};

use tempfile::TempDir;
use tokio::net::TcpStream;

use super::find_program;
use crate::support::receiver::wait_until_async;
use crate::support::{Database, DatabaseKind, for_each_kind};

/// The versions of PgBouncer that the tests use: the version of Debian, and a newer one.
pub(super) const POOLER_PROGRAMS: [&str; 2] = ["pgbouncer", NEWER_PROGRAM];
/// A newer version of PgBouncer, which supports prepared statements in transaction mode.
pub(super) const NEWER_PROGRAM: &str = "pgbouncer-1.25.2";
/// Settings of a pooler that has fewer sessions in PostgreSQL than a payroll server has connections.
pub(super) const FEW_CONNECTIONS: &str = "pool_mode = transaction\ndefault_pool_size = 4";

/// A pooler that runs until this value is dropped.
pub(super) struct Pooler {
    child: Child,
    program: PathBuf,
    file: PathBuf,
    address: String,
    _folder: TempDir,
}

impl Pooler {
    /// Starts PgBouncer in front of the PostgreSQL server of the tests. Returns `None` if PgBouncer is not
    /// installed.
    pub(super) async fn start(name: &str, lines: &str) -> Option<Self> {
        Self::start_in_front_of(&Database::Postgres("postgres".to_owned()).url(), name, lines).await
    }

    /// Starts PgBouncer in front of the PostgreSQL server at this address; `None` if PgBouncer is not
    /// installed.
    pub(super) async fn start_in_front_of(server: &str, name: &str, lines: &str) -> Option<Self> {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        let program = find_program(name)?;
        let folder = tempfile::tempdir().expect("a folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("a folder");
        let [high, low, ..] = std::process::id().to_le_bytes();
        let host = format!("127.{}.{}.7", 64 | (high ^ low), NEXT.fetch_add(1, Ordering::SeqCst));
        let shown = folder.path().display();
        let (file, users) = (folder.path().join("pooler.ini"), folder.path().join("users"));
        fs::write(&users, "\"postgres\" \"\"\n").expect("a file");
        let place = server.rsplit('@').next().unwrap_or_default().split('/').next().unwrap_or_default();
        let (server_host, server_port) = place.split_once(':').unwrap_or((place, "5432"));
        let settings = format!(
            "[databases]\n* = host={server_host} port={server_port}\n[pgbouncer]\nlisten_addr = {host}\n\
             listen_port = 6432\nauth_type = trust\nauth_file = {}\nstats_users = postgres\n{lines}\nunix_socket_dir =\n\
             logfile = {shown}/log\npidfile = {shown}/pid\n",
            users.display()
        );
        fs::write(&file, settings).expect("a file");
        let child = run_program(&program, &file);
        let pooler = Self { child, program, file, address: format!("{host}:6432"), _folder: folder };
        pooler.wait_until_listening().await;
        Some(pooler)
    }

    async fn wait_until_listening(&self) {
        wait_until_async(async || TcpStream::connect(&self.address).await.is_ok(), "a pooler").await;
    }

    /// Kills the pooler. A stop signal is not enough, because newer versions wait until all clients have
    /// disconnected.
    pub(super) fn stop(&mut self) {
        let file = self.file.with_file_name("pid");
        if let Ok(id) = fs::read_to_string(&file) {
            let _killed = Command::new("kill").args(["-KILL", id.trim()]).status();
            let _removed = fs::remove_file(&file);
        }
        let _gone = self.child.wait();
    }

    pub(super) async fn restart_pooler(&mut self) {
        self.child = run_program(&self.program, &self.file);
        self.wait_until_listening().await;
    }

    /// Returns the URL with which servers connect to a database through the pooler.
    pub(super) fn url(&self, database: &Database) -> String {
        self.pooled_url(&database.url())
    }

    /// Returns the URL through the pooler for the database with this direct URL.
    pub(super) fn pooled_url(&self, url: &str) -> String {
        let name = url.rsplit('/').next().unwrap_or_default().split('?').next().unwrap_or_default();
        format!("postgres://postgres@{}/{name}", self.address)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run_program(program: &Path, file: &Path) -> Child {
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program).arg(file);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs")
}

/// Runs a test with each of these PgBouncer programs. `lines` are added to the settings of the pooler.
pub(super) fn run_behind_pooler(programs: &[&str], lines: &str, test: impl AsyncFn(&Database, &str)) {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return;
        }
        for name in programs {
            let Some(pooler) = Pooler::start(name, lines).await else { continue };
            let database = Database::with_test_data(kind).await;
            test(&database, &pooler.url(&database)).await;
            drop(pooler);
            database.return_to_pool().await;
        }
    });
}
