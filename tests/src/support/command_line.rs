//! Runs operator commands in two ways: on the database itself, and through a running server.

use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use super::database::Database;
use super::process::{Process, bare_command, database_command, run, run_with_variables};
use super::server::on_every_database_kind;
use super::settings::OPERATOR_KEY;
use super::terminal;

/// Runs commands on a database with the test data, directly or through a running server.
pub(crate) struct ServerCommandLine<'a> {
    pub(crate) database: &'a Database,
    server: Option<Process>,
}

#[derive(Debug)]
pub(crate) struct CommandResult {
    /// The exit code of the command.
    pub(crate) code: Option<i32>,
    /// The text on standard output.
    pub(crate) out: String,
    /// The text on standard error.
    pub(crate) errors: String,
}

/// Runs a test on each available database, first without a server and then through a running server.
pub(crate) fn run_with_and_without_server(test: impl AsyncFn(&ServerCommandLine<'_>)) {
    on_every_database_kind(async |database| test(&ServerCommandLine { database, server: None }).await);
    on_every_database_kind(async |database| {
        let server = Some(Process::serve(database));
        test(&ServerCommandLine { database, server }).await;
    });
}

impl ServerCommandLine<'_> {
    /// Returns whether the command uses a running server.
    pub(crate) const fn is_remote(&self) -> bool {
        self.server.is_some()
    }

    /// Runs a command without standard input.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandResult {
        self.run_with_input(arguments, "")
    }

    /// Runs a command with this standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> CommandResult {
        match &self.server {
            Some(server) => run_on_server(server, OPERATOR_KEY, arguments, input),
            None => run(self.database, arguments, input).into(),
        }
    }

    /// Runs a command whose input is a terminal. The text is typed at this terminal.
    pub(crate) fn run_at_terminal(&self, arguments: &[&str], typed: &str) -> CommandResult {
        terminal::run_in_terminal(self.command(arguments), typed).into()
    }

    /// Starts a command that runs until it is stopped.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).spawn().expect("the binary runs")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        match &self.server {
            Some(server) => {
                let url = format!("http://{}", server.operator.address());
                let mut command = bare_command(&[arguments, &["--url", &url]].concat());
                command.env("PAYROLL_OPERATOR_KEY", OPERATOR_KEY);
                command
            }
            None => database_command(self.database, arguments),
        }
    }

    /// Runs a command that must succeed. Returns its output.
    pub(crate) fn run_successfully(&self, arguments: &[&str]) -> String {
        let reported = self.run(arguments);
        assert_eq!(reported.code, Some(0), "{arguments:?}: {reported:?}");
        reported.out
    }

    /// Runs a command that must succeed. Returns the only document in its output.
    pub(crate) fn run_json(&self, arguments: &[&str]) -> Value {
        parse_document(&self.run_successfully(&[arguments, &["--json"]].concat()))
    }
}

/// Runs a command through a server with this operator key. The command has no other settings.
pub(crate) fn run_on_server(server: &Process, key: &str, arguments: &[&str], input: &str) -> CommandResult {
    let url = format!("http://{}", server.operator.address());
    run_with_variables(&[("PAYROLL_OPERATOR_KEY", key)], &[arguments, &["--url", &url]].concat(), input)
        .into()
}

/// Parses the output of a command. The output must be one JSON document.
pub(crate) fn parse_document(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

impl From<Output> for CommandResult {
    fn from(Output { status, stdout, stderr }: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Self { code: status.code(), out: text(stdout), errors: text(stderr) }
    }
}
