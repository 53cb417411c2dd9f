//! A PostgreSQL server that is created for one test in a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::report_missing_program;
use crate::support::receiver::wait_until;

/// The folder of PostgreSQL on Debian, with a folder for each version.
const SERVERS_FOLDER: &str = "/usr/lib/postgresql";
/// The folder with the files of extensions, with a folder for each version.
const SHARED_FOLDER: &str = "/usr/share/postgresql";
/// Settings for a small and fast server. `fsync` is off, so a power cut can lose data, but a crash of the
/// program cannot. Payroll servers need `accept_unsafe_database` for them.
const SMALL_SERVER_SETTINGS: &str = "shared_buffers = 16MB\nmax_connections = 60\nfsync = off\nfull_page_writes = off\n\
    unix_socket_directories = ''\nlogging_collector = off\nwal_level = replica\n";
/// Allows connections only from this machine.
const TRUST_LOCAL_CONNECTIONS: &str =
    "host all all 127.0.0.0/8 trust\nhost replication all 127.0.0.0/8 trust\n";

/// A server: its programs, its folder and its address.
pub(super) struct PostgresMachine {
    programs: PathBuf,
    data: PathBuf,
    name: &'static str,
    host: String,
}

impl PostgresMachine {
    /// Prepares a server without starting it. `None` if this machine has no PostgreSQL.
    pub(super) fn in_folder(folder: &Path, name: &'static str, host: String) -> Option<Self> {
        let Some(programs) = find_newest_programs() else {
            report_missing_program("initdb");
            return None;
        };
        change_owner(folder);
        Some(Self { programs, data: folder.join(name), name, host })
    }

    /// Returns whether this PostgreSQL has an extension.
    pub(super) fn has_extension(&self, name: &str) -> bool {
        let version = self.programs.parent().and_then(Path::file_name).expect("a folder for each version");
        Path::new(SHARED_FOLDER).join(version).join("extension").join(format!("{name}.control")).is_file()
    }

    /// Returns the address of the server, on the default port.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Initializes the server with these additional settings, and starts it.
    pub(super) fn create_server(&self, settings: &str) {
        let data = self.data.display().to_string();
        self.run_program(
            "initdb",
            &["-D", &data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8"],
        );
        self.append_to_file(
            "postgresql.conf",
            &format!("{SMALL_SERVER_SETTINGS}{settings}listen_addresses = '{}'\n", self.host),
        );
        self.append_to_file("pg_hba.conf", TRUST_LOCAL_CONNECTIONS);
        self.run_pg_ctl("start");
    }

    /// Makes the server a standby of another one, and starts it.
    pub(super) fn create_standby_of(&self, primary: &Self) {
        let data = self.data.display().to_string();
        let from = format!("host={} user=postgres application_name={}", primary.host, self.name);
        self.run_program(
            "pg_basebackup",
            &["-d", &from, "-D", &data, "-X", "stream", "-c", "fast", "--no-sync"],
        );
        fs::write(self.data.join("standby.signal"), "").expect("a file");
        let settings = format!(
            "listen_addresses = '{}'\nprimary_conninfo = '{from}'\nsynchronous_standby_names = ''\n",
            self.host
        );
        self.append_to_file("postgresql.conf", &settings);
        change_owner(&self.data);
        self.run_pg_ctl("start");
    }

    /// Runs a command of `pg_ctl` and waits for its end.
    pub(super) fn run_pg_ctl(&self, action: &str) {
        let done = self.try_pg_ctl(&[action, "-w", "-t", "60"]);
        assert!(done, "{} {action}: {}", self.name, fs::read_to_string(self.log_path()).unwrap_or_default());
    }

    /// Adds a setting and reloads the configuration.
    pub(super) fn change_setting(&self, line: &str) {
        self.append_to_file("postgresql.conf", &format!("{line}\n"));
        self.run_pg_ctl("reload");
    }

    /// Stops the server without a last checkpoint, as in a crash.
    pub(super) fn kill(&self) {
        self.try_pg_ctl(&["stop", "-m", "immediate"]);
    }

    /// Simulates a power cut. Calls `cut`, which cuts the power of the disk, and then kills all processes of
    /// the server.
    pub(super) async fn simulate_power_cut(&self, cut: impl FnOnce()) {
        let processes = self.process_ids();
        cut();
        // One of the processes may have ended already, so an error of the signal is ignored.
        let _sent = Command::new("kill").arg("-KILL").args(&processes).stderr(Stdio::null()).status();
        let is_gone = |process: &String| match fs::read_to_string(format!("/proc/{process}/stat")) {
            Ok(stat) => stat.rsplit(')').next().is_some_and(|state| state.trim_start().starts_with('Z')),
            Err(_) => true,
        };
        wait_until(|| processes.iter().all(is_gone), "ended processes").await;
    }

    /// Starts the server after a power cut. Returns whether the server accepts connections.
    pub(super) fn restart_after_power_cut(&self) -> bool {
        // `postmaster.pid` contains the id of the killed process. Another process of this machine may have
        // the same id, which would prevent the start.
        let _removed = fs::remove_file(self.data.join("postmaster.pid"));
        self.try_pg_ctl(&["start", "-w", "-t", "60"])
    }

    /// Makes the server accept connections without responding.
    pub(super) fn suspend(&self) {
        self.send_signal("-STOP");
    }

    /// Sends a signal to all processes of the server.
    fn send_signal(&self, signal: &str) {
        // One of the processes may have ended already, so an error of the signal is ignored.
        let mut sending = Command::new("kill");
        let _sent = sending.arg(signal).args(self.process_ids()).stderr(Stdio::null()).status();
    }

    /// Returns the process ids: the main process and its children.
    fn process_ids(&self) -> Vec<String> {
        let Ok(text) = fs::read_to_string(self.data.join("postmaster.pid")) else { return Vec::new() };
        let first = text.lines().next().expect("a process");
        let children = Command::new("ps").args(["-o", "pid=", "--ppid", first]).output().expect("ps");
        let children = String::from_utf8(children.stdout).expect("numbers");
        [first].into_iter().chain(children.split_whitespace()).map(str::to_owned).collect()
    }

    /// Returns the processor time that all processes of the server have used, in hundredths of a second.
    /// Ended processes are included.
    pub(super) fn processor_time(&self) -> u64 {
        let of = |(at, process): (usize, String)| {
            let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            // The fields after the process name contain the processor time of the process and of its ended
            // children.
            let fields = stat.rsplit(')').next().unwrap_or_default();
            let times = fields.split_whitespace().skip(11).take(if at == 0 { 4 } else { 2 });
            times.filter_map(|time| time.parse::<u64>().ok()).sum::<u64>()
        };
        self.process_ids().into_iter().enumerate().map(of).sum()
    }

    fn log_path(&self) -> PathBuf {
        self.data.with_extension("log")
    }

    fn try_pg_ctl(&self, arguments: &[&str]) -> bool {
        let (data, log) = (self.data.display().to_string(), self.log_path().display().to_string());
        let mut command = self.program_command("pg_ctl");
        command.args(arguments).args(["-D", &data]);
        if arguments.first() == Some(&"start") {
            command.args(["-l", &log]);
        }
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("pg_ctl").success()
    }

    fn append_to_file(&self, file: &str, text: &str) {
        let file = self.data.join(file);
        let before = fs::read_to_string(&file).expect("a file");
        fs::write(file, format!("{before}{text}")).expect("a file");
    }

    fn run_program(&self, program: &str, arguments: &[&str]) {
        let output = self.program_command(program).args(arguments).output().expect("it runs");
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Returns the command of a PostgreSQL program. PostgreSQL does not run as root. If the tests run as
    /// root, the command therefore uses the account `postgres`.
    fn program_command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if is_root() { Command::new("runuser") } else { Command::new(&program) };
        if is_root() {
            command.args(["-u", "postgres", "--"]).arg(&program);
        }
        command.current_dir("/").stdin(Stdio::null());
        command
    }
}

impl Drop for PostgresMachine {
    fn drop(&mut self) {
        self.send_signal("-CONT");
        self.kill();
    }
}

/// Returns the first three numbers of a range of loopback addresses. No other test uses this range, so the
/// default port is free on all its addresses.
pub(super) fn next_network() -> String {
    use std::sync::atomic::{AtomicU8, Ordering};
    static NEXT: AtomicU8 = AtomicU8::new(1);
    let [high, low, ..] = std::process::id().to_le_bytes();
    format!("127.{}.{}", 128 | high ^ low, NEXT.fetch_add(1, Ordering::SeqCst))
}

/// Changes the owner of a folder to the user who runs the servers.
fn change_owner(folder: &Path) {
    if is_root() {
        let done = Command::new("chown").arg("-R").arg("postgres").arg(folder).status();
        assert!(done.expect("chown").success());
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n")
}

/// Returns the folder with the programs of the newest version.
fn find_newest_programs() -> Option<PathBuf> {
    let versions = fs::read_dir(SERVERS_FOLDER).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let complete = versions.filter(|version| version.join("bin/initdb").is_file());
    let number = |version: &PathBuf| -> u32 {
        version.file_name().and_then(|name| name.to_str()?.parse().ok()).unwrap_or_default()
    };
    complete.max_by_key(number).map(|version| version.join("bin"))
}
