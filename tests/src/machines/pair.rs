//! A primary and a synchronous standby of it, made for one test and removed behind it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};

use tempfile::TempDir;

use super::missing;

/// Where Debian has its servers, one folder for each version.
const SERVERS: &str = "/usr/lib/postgresql";
/// The name by which the primary waits for the standby.
const STANDBY: &str = "standby";
/// What makes a server small and quick; it loses nothing that a crash of the program could show.
const SMALL: &str = "shared_buffers = 16MB\nmax_connections = 60\nfsync = off\nfull_page_writes = off\n\
    unix_socket_directories = ''\nlogging_collector = off\nwal_level = replica\n";

/// A server of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    Primary,
    Standby,
}

/// Both run as long as this value is there.
pub(super) struct Pair {
    programs: PathBuf,
    folder: TempDir,
    network: String,
}

impl Pair {
    /// Makes both; `None` where the machine has no PostgreSQL to make them with.
    pub(super) fn start() -> Option<Self> {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        let Some(programs) = newest() else {
            missing("initdb");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        // Nobody else has these addresses, so that the usual port is free.
        let [high, low, ..] = std::process::id().to_le_bytes();
        let network = format!("127.{}.{}", 128 | high ^ low, NEXT.fetch_add(1, Ordering::SeqCst));
        let pair = Self { programs, folder, network };
        pair.hand_over();
        pair.make_primary();
        pair.make_standby();
        Some(pair)
    }

    /// The address of a server.
    pub(super) fn host(&self, member: Member) -> String {
        format!("{}.{}", self.network, if member == Member::Primary { 1 } else { 2 })
    }

    /// The folder of a server.
    fn data(&self, member: Member) -> PathBuf {
        self.folder.path().join(if member == Member::Primary { "primary" } else { STANDBY })
    }

    fn make_primary(&self) {
        let data = self.data(Member::Primary);
        let shown = data.display().to_string();
        self.run("initdb", &["-D", &shown, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8"]);
        append(&data.join("postgresql.conf"), &format!("{SMALL}synchronous_standby_names = '{STANDBY}'\n"));
        append(
            &data.join("postgresql.conf"),
            &format!("listen_addresses = '{}'\n", self.host(Member::Primary)),
        );
        append(
            &data.join("pg_hba.conf"),
            "host all all 127.0.0.0/8 trust\nhost replication all 127.0.0.0/8 trust\n",
        );
        self.run_server(Member::Primary, "start");
    }

    fn make_standby(&self) {
        let data = self.data(Member::Standby);
        let from = format!("host={} user=postgres application_name={STANDBY}", self.host(Member::Primary));
        let shown = data.display().to_string();
        self.run("pg_basebackup", &["-d", &from, "-D", &shown, "-X", "stream", "-c", "fast", "--no-sync"]);
        fs::write(data.join("standby.signal"), "").expect("a file");
        append(
            &data.join("postgresql.conf"),
            &format!(
                "listen_addresses = '{}'\nprimary_conninfo = '{from}'\nsynchronous_standby_names = ''\n",
                self.host(Member::Standby)
            ),
        );
        self.hand_over();
        self.run_server(Member::Standby, "start");
    }

    /// Has the standby take writes.
    pub(super) fn promote(&self) {
        self.run_server(Member::Standby, "promote");
    }

    /// Ends a server as a power failure would.
    pub(super) fn kill(&self, member: Member) {
        self.control(member, &["stop", "-m", "immediate"]);
    }

    /// Starts a server that was ended.
    pub(super) fn start_again(&self, member: Member) {
        self.run_server(member, "start");
    }

    /// Has a server take connections and say nothing more.
    pub(super) fn silence(&self, member: Member) {
        self.signal(member, "-STOP");
    }

    /// Has a setting of a server.
    pub(super) fn set(&self, member: Member, line: &str) {
        append(&self.data(member).join("postgresql.conf"), &format!("{line}\n"));
        self.run_server(member, "reload");
    }

    fn signal(&self, member: Member, signal: &str) {
        let file = self.data(member).join("postmaster.pid");
        let Ok(text) = fs::read_to_string(file) else { return };
        let first = text.lines().next().expect("a process");
        let children = Command::new("ps").args(["-o", "pid=", "--ppid", first]).output().expect("ps");
        let children = String::from_utf8(children.stdout).expect("numbers");
        let all = [first].into_iter().chain(children.split_whitespace());
        // One of them may have ended.
        let _sent = Command::new("kill").arg(signal).args(all).stderr(Stdio::null()).status();
    }

    fn run_server(&self, member: Member, what: &str) {
        let done = self.control(member, &[what, "-w", "-t", "60"]);
        assert!(done, "{member:?} {what}: {}", fs::read_to_string(self.log(member)).unwrap_or_default());
    }

    fn log(&self, member: Member) -> PathBuf {
        self.folder.path().join(format!("{member:?}.log"))
    }

    fn control(&self, member: Member, arguments: &[&str]) -> bool {
        let (data, log) = (self.data(member).display().to_string(), self.log(member).display().to_string());
        let mut command = self.command("pg_ctl");
        command.args(arguments).args(["-D", &data]);
        if arguments.first() == Some(&"start") {
            command.args(["-l", &log]);
        }
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("pg_ctl").success()
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let output = self.command(program).args(arguments).output().expect("it runs");
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A program of PostgreSQL, which refuses to run as the user who may do everything.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if is_root() { Command::new("runuser") } else { Command::new(&program) };
        if is_root() {
            command.args(["-u", "postgres", "--"]).arg(&program);
        }
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    /// Gives the folder to the user who runs the servers.
    fn hand_over(&self) {
        if is_root() {
            let done = Command::new("chown").arg("-R").arg("postgres").arg(self.folder.path()).status();
            assert!(done.expect("chown").success());
        }
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        for member in [Member::Standby, Member::Primary] {
            self.signal(member, "-CONT");
            let _ended = self.control(member, &["stop", "-m", "immediate"]);
        }
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n")
}

/// The programs of the newest version.
fn newest() -> Option<PathBuf> {
    let versions = fs::read_dir(SERVERS).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let complete = versions.filter(|version| version.join("bin/initdb").is_file());
    let number = |version: &PathBuf| -> u32 {
        version.file_name().and_then(|name| name.to_str()?.parse().ok()).unwrap_or_default()
    };
    complete.max_by_key(number).map(|version| version.join("bin"))
}

fn append(file: &Path, text: &str) {
    let before = fs::read_to_string(file).expect("a file");
    fs::write(file, format!("{before}{text}")).expect("a file");
}
