//! Errors of the command line. Each error has a human-readable sentence about its cause, and an exit code for
//! scripts. An error never contains a backtrace or a secret.

use std::error::Error;
use std::net::SocketAddr;
use std::{fmt, io};

/// The reason why a command failed.
#[derive(Debug)]
pub struct Failure {
    message: String,
    exit: ExitStatus,
    /// The JSON document that is printed with `--json`, if there is one.
    document: Option<String>,
}

/// The exit codes of failed commands. Success is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Exit code 0: the program that reads the output has closed the pipe.
    ReaderGone,
    /// Exit code 1: the command ran, but a request or at least one line of the input was rejected, a
    /// verification failed, or the user replied no.
    Refused,
    /// Exit code 2: the command could not run, or had to stop.
    CouldNotRun,
}

/// The result of a command.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// Creates the failure of a command that could not run.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: ExitStatus::CouldNotRun, document: None }
    }

    /// Creates the failure of a command that could not run because of an error. The message includes the
    /// causes of that error.
    pub fn with_cause(what: impl fmt::Display, cause: &dyn Error) -> Self {
        Self::new(format!("{what}: {}", format_with_causes(cause)))
    }

    /// Creates the failure for an address that could not be bound.
    pub fn cannot_listen(address: SocketAddr, cause: &io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::AddrInUse => Self::new(format!(
                "cannot listen on {address}: another program uses it. Port 0 selects a free port"
            )),
            _ => Self::with_cause(format!("cannot listen on {address}"), cause),
        }
    }

    /// Creates the failure of a command that ran, with the exit code of [`ExitStatus::Refused`].
    pub fn refused(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: ExitStatus::Refused, document: None }
    }

    /// Creates the failure for an object that does not exist. With `--json`, the message is also printed as
    /// the `description` in a JSON error.
    pub fn unknown_object(message: impl Into<String>) -> Self {
        let message = message.into();
        let document = serde_json::json!({"errors": [{"description": message}]});
        Self::refused(message).with_document(document.to_string())
    }

    /// Adds the JSON of the operator API, which is printed with `--json`.
    #[must_use]
    pub fn with_document(self, document: String) -> Self {
        Self { document: Some(document), ..self }
    }

    /// Returns the JSON document that is printed with `--json`. `None` if the failure has no such document.
    #[must_use]
    pub fn document(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// Returns the exit code of the command.
    #[must_use]
    pub const fn exit_status(&self) -> ExitStatus {
        self.exit
    }
}

/// Returns the text of an error, followed by the texts of its causes. A cause is omitted if the text already
/// contains it.
fn format_with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let words = next.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = next.source();
    }
    text
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Failure {}

/// Converts the error of a failed database operation.
impl From<payroll_ports::StoreError> for Failure {
    fn from(error: payroll_ports::StoreError) -> Self {
        Self::with_cause("the database operation failed", &error)
    }
}

/// Converts the error of a failed write to the output. A closed pipe, as with `| head`, gets exit code 0.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let exit = match error.kind() {
            std::io::ErrorKind::BrokenPipe => ExitStatus::ReaderGone,
            _ => ExitStatus::CouldNotRun,
        };
        Self { exit, ..Self::with_cause("the output could not be written", &error) }
    }
}
