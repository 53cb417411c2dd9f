//! Runs the program `payroll-server` as a process. Builds the program if it is missing.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{LazyLock, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use super::client::Client;
use super::database::Database;
use super::settings::{ACCEPTED_WEAKNESSES, TEST_KEYS};

/// A running `payroll-server serve`, which is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pub(crate) client: Client,
    pub(crate) operator: Client,
    log: JoinHandle<String>,
}

impl Process {
    /// Serves a database on a free port, and returns when the server accepts requests.
    pub(crate) fn serve(database: &Database) -> Self {
        Self::serve_with(database, &[])
    }

    /// Serves a database like [`Self::serve`], with more arguments.
    pub(crate) fn serve_with(database: &Database, arguments: &[&str]) -> Self {
        Self::serve_with_keys(database, TEST_KEYS, arguments)
    }

    /// Serves a database like [`Self::serve_with`], with other keys.
    pub(crate) fn serve_with_keys(database: &Database, keys: &str, arguments: &[&str]) -> Self {
        Self::start(serve_command(database, keys, arguments))
    }

    /// Serves a database like [`Self::serve`] for tests with [`limit_file_size`](Self::limit_file_size). The
    /// server ignores the signal XFSZ, so that a write beyond the limit fails as on a full disk.
    pub(crate) fn serve_with_file_size_limit(database: &Database) -> Self {
        let serving = serve_command(database, TEST_KEYS, &[]);
        let mut command = command_without_settings("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(serving.get_program());
        command.args(serving.get_args());
        for (name, value) in serving.get_envs().filter_map(|(name, value)| Some((name, value?))) {
            command.env(name, value);
        }
        Self::start(command)
    }

    /// Limits the size of files that the server writes, in bytes or `unlimited`.
    pub(crate) fn limit_file_size(&self, size: &str) {
        let limit = [format!("--pid={}", self.child.id()), format!("--fsize={size}:")];
        let set = Command::new("prlimit").args(limit).status().expect("prlimit of util-linux");
        assert!(set.success(), "{set}");
    }

    /// Returns the number of the server's threads that process requests. Returns `None` if the system does
    /// not report it.
    pub(crate) fn worker_threads(&self) -> Option<usize> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).ok()?;
        let names =
            threads.filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("comm")).ok());
        Some(names.filter(|name| name.starts_with("actix-server")).count())
    }

    fn start(mut command: Command) -> Self {
        let mut child =
            command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the binary runs");
        let mut log = BufReader::new(child.stderr.take().expect("a log"));
        let reported = read_until(&mut log, "address");
        let client = |member: &str| Client::new(reported[member].as_str().expect("an address"));
        let (client, operator) = (client("address"), client("operator"));
        // A thread reads the log. Otherwise the pipe would become full and block the server.
        let log = std::thread::spawn(move || {
            let mut all = String::new();
            log.read_to_string(&mut all).expect("text");
            all
        });
        Self { child, client, operator, log }
    }

    /// Sends the stop signal to the server. Returns the log of the server since it started to listen.
    pub(crate) fn stop_and_read_log(mut self) -> String {
        self.send_stop_signal();
        self.wait();
        let log = std::mem::replace(&mut self.log, std::thread::spawn(String::new));
        log.join().expect("a log")
    }

    /// Kills the server, as the system does when memory runs out. Data that the server has written still
    /// reach the disk. The tests of `durability` cover power failures.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it was running");
        self.child.wait().expect("it is gone");
    }

    /// Sends the stop signal to the server, without waiting.
    pub(crate) fn send_stop_signal(&self) {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().expect("a signal");
    }

    /// Waits until the server has stopped. Returns its exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already, so an error of the kill is ignored.
        let _ended = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Returns the command that serves a database on a free port.
fn serve_command(database: &Database, keys: &str, arguments: &[&str]) -> Command {
    let mut command = database_command(database, &["serve", "--rate-limit-per-minute", "0"]);
    if !arguments.contains(&"--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    command.env("PAYROLL_KEYS", keys).args(arguments);
    if !arguments.contains(&"--database-connections") {
        command.args(["--database-connections", "4"]);
    }
    command.args(["--log-format", "json"]);
    command
}

/// Reads the log up to the first line with this member, and returns that line. Panics if there is no such
/// line.
fn read_until(log: &mut impl BufRead, member: &str) -> serde_json::Value {
    let mut all = String::new();
    for line in log.lines().map_while(Result::ok) {
        let reported: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        if reported[member].is_string() {
            return reported;
        }
        all.push_str(&line);
    }
    panic!("the server ended before it listened: {all}");
}

/// Runs the program `payroll-server` on a database with this standard input, and waits until it ends.
pub(crate) fn run(database: &Database, arguments: &[&str], input: &str) -> Output {
    run_to_completion(database_command(database, arguments), input)
}

/// Starts the program `payroll-server` on a database. Its standard input begins with this text and stays
/// open.
pub(crate) fn start_with_input(database: &Database, arguments: &[&str], input: &str) -> Child {
    let mut command = database_command(database, arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary runs");
    child.stdin.as_mut().expect("an input").write_all(input.as_bytes()).expect("it reads");
    child
}

/// Runs a command like [`run`], with other keys.
pub(crate) fn run_with_keys(database: &Database, keys: &str, arguments: &[&str]) -> Output {
    let mut command = database_command(database, arguments);
    command.env("PAYROLL_KEYS", keys);
    run_to_completion(command, "")
}

/// Runs the binary with these environment variables and no other setting.
pub(crate) fn run_with_variables(variables: &[(&str, &str)], arguments: &[&str], input: &str) -> Output {
    let mut command = bare_command(arguments);
    command.envs(variables.iter().copied());
    run_to_completion(command, input)
}

fn run_to_completion(mut command: Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut stdin = child.stdin.take().expect("an input");
    // The process may end before it has read its input, so an error of writing is ignored.
    let _written = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

/// Returns whether an interpreter is installed. Reports a missing interpreter on standard error.
pub(crate) fn is_installed(interpreter: &str) -> bool {
    let look = Command::new("sh").args(["-c", &format!("command -v {interpreter}")]).output();
    let found = look.is_ok_and(|it| it.status.success());
    if !found {
        let reported = writeln!(std::io::stderr(), "NOT TESTED: there is no {interpreter} on this machine");
        reported.expect("standard error");
    }
    found
}

/// A running demo, which is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Demo {
    child: Child,
    printed: OutputLines,
    pub(crate) page: String,
}

impl Demo {
    /// Starts the demo in this folder, and reads its output up to the end of the instructions.
    pub(crate) fn start(folder: &str) -> Self {
        Self::start_with(folder, &[])
    }

    /// Starts the demo like [`Self::start`], with more arguments.
    pub(crate) fn start_with(folder: &str, arguments: &[&str]) -> Self {
        let mut command = bare_command(&["demo", "--port", "0", "--keep", folder]);
        command.args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary runs");
        let mut printed = OutputLines::from_child(&mut child);
        let mut page = String::new();
        while !page.contains("Ctrl-C") {
            page.push_str(&printed.next_line());
            page.push('\n');
        }
        Self { child, printed, page }
    }

    /// Returns the next line of the demo's output.
    pub(crate) fn next_line(&mut self) -> String {
        self.printed.next_line()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // The process may have ended already, so an error of the kill is ignored.
        let _ended = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Reads the output of a running program line by line.
#[derive(Debug)]
pub(crate) struct OutputLines(mpsc::Receiver<String>);

/// The time limit for the next line, so that a program under test cannot block the tests.
const LINE_TIMEOUT: Duration = Duration::from_secs(60);

impl OutputLines {
    /// Reads the piped output of a program.
    pub(crate) fn from_child(child: &mut Child) -> Self {
        let output = BufReader::new(child.stdout.take().expect("an output"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self(lines)
    }

    /// Waits for the next line.
    pub(crate) fn next_line(&mut self) -> String {
        self.0.recv_timeout(LINE_TIMEOUT).expect("one more line")
    }
}

/// Runs lines in a shell, as if a reader had pasted them. Returns the complete output.
pub(crate) fn run_in_shell(lines: &[&str]) -> String {
    let script = format!("exec 2>&1\n{}", lines.join("\n"));
    let mut shell = command_without_settings("bash");
    let mut shell = shell.args(["-c", &script]).stdout(Stdio::piped()).spawn().expect("bash");
    let mut printed = String::new();
    shell.stdout.take().expect("an output").read_to_string(&mut printed).expect("text");
    shell.wait().expect("it ends");
    printed
}

/// Runs a script in an empty folder. In the script, `payroll-server` runs the program on this database.
/// Returns the complete output.
pub(crate) fn run_script(database: &Database, script: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let own = SERVER_BINARY.parent().expect("a folder").display();
    let path = format!("{own}:{}", std::env::var("PATH").expect("a path"));
    let mut shell = command_without_settings("bash");
    shell
        .args(["-c", &format!("exec 2>&1\numask 022\n{script}\nls -l")])
        .current_dir(folder.path())
        .env("PATH", path);
    shell.env("PAYROLL_DATABASE_URL", database.url()).env("PAYROLL_KEYS", TEST_KEYS);
    String::from_utf8(shell.output().expect("bash").stdout).expect("text")
}

/// Returns the command to run the binary on a database.
pub(super) fn database_command(database: &Database, arguments: &[&str]) -> Command {
    let mut command = bare_command(arguments);
    let (url, direct) = database.direct_and_pooled_urls();
    command.env("PAYROLL_DATABASE_URL", url).env("PAYROLL_KEYS", TEST_KEYS);
    command.env("PAYROLL_OPERATOR_LISTEN", "127.0.0.1:0");
    command.env("PAYROLL_ACCEPT_UNSAFE_DATABASE", ACCEPTED_WEAKNESSES);
    if !direct.is_empty() {
        command.env("PAYROLL_DIRECT_DATABASE_URL", direct);
    }
    command
}

/// Returns the command to run the binary without any setting.
pub(crate) fn bare_command(arguments: &[&str]) -> Command {
    let mut command = command_without_settings(&*SERVER_BINARY);
    command.args(arguments);
    command
}

/// Returns a program that does not inherit server settings from the environment of the tests.
fn command_without_settings(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PAYROLL_")) {
        command.env_remove(name);
    }
    command
}

/// The path of the program, in the folder of the test program. `cargo test --workspace` has already built the
/// program with the same features. If only one package is tested, this code builds the program.
static SERVER_BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let own = std::env::current_exe().expect("a path");
    let profile = own.ancestors().nth(2).expect("target/debug");
    let mut build = Command::new(env!("CARGO"));
    build.args(["test", "--quiet", "--workspace", "--no-run", "--test", "binary"]);
    build.args(if cfg!(debug_assertions) { None } else { Some("--release") });
    // Cargo has set environment variables for the package of this test. If the inner Cargo inherited them, it
    // would run build scripts again, and so would the next build.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|own| name.to_string_lossy().starts_with(own)) {
            build.env_remove(name);
        }
    }
    build.env("CARGO_TARGET_DIR", profile.parent().expect("target")).current_dir(env!("CARGO_MANIFEST_DIR"));
    assert!(build.status().expect("cargo").success(), "the binary builds");
    profile.join("payroll-server")
});
