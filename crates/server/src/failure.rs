//! Errors of the command line: a sentence with its cause for people, and an exit code for scripts. They never
//! contain a backtrace or a secret.

use std::error::Error;
use std::net::SocketAddr;
use std::{fmt, io};

/// The reason why a command failed.
#[derive(Debug)]
pub struct Failure {
    message: String,
    exit: Exit,
    /// The JSON document for programs.
    document: Option<String>,
}

/// The exit codes of failed commands. Success is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Exit code 0: the reader of the output has closed it.
    ReaderGone,
    /// Exit code 1: the command ran, and some of its work was rejected.
    Refused,
    /// Exit code 2: the command could not run, or had to stop.
    CouldNotRun,
}

/// The result of a command.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// The command could not run.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: Exit::CouldNotRun, document: None }
    }

    /// The command could not run because of an error, which is shown with its own causes.
    pub fn with_cause(what: impl fmt::Display, cause: &dyn Error) -> Self {
        Self::new(format!("{what}: {}", with_causes(cause)))
    }

    /// An address could not be bound because of an error.
    pub fn cannot_listen(address: SocketAddr, cause: &io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::AddrInUse => Self::new(format!(
                "cannot listen on {address}: another program uses it. Port 0 selects a free port"
            )),
            _ => Self::with_cause(format!("cannot listen on {address}"), cause),
        }
    }

    /// The command ran, and its work was rejected.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: Exit::Refused, document: None }
    }

    /// The command needs an object that does not exist. Programs get the sentence as the `description` of an error.
    pub fn unknown_object(message: impl Into<String>) -> Self {
        let message = message.into();
        let document = serde_json::json!({"errors": [{"description": message}]});
        Self::refused(message).with_document(document.to_string())
    }

    /// The same failure with the JSON of the operator API.
    #[must_use]
    pub fn with_document(self, document: String) -> Self {
        Self { document: Some(document), ..self }
    }

    /// The JSON of the operator API, if the failure comes from there.
    #[must_use]
    pub fn document(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// The exit code of the command.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        self.exit
    }
}

/// An error with its causes, without repetitions. Many errors repeat their cause in their text.
fn with_causes(error: &dyn Error) -> String {
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

/// A failure of the store.
impl From<payroll_ports::StoreError> for Failure {
    fn from(error: payroll_ports::StoreError) -> Self {
        Self::with_cause("the database operation failed", &error)
    }
}

/// The output could not be written. A closed pipe, as with `| head`, is not a failure.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let exit = match error.kind() {
            std::io::ErrorKind::BrokenPipe => Exit::ReaderGone,
            _ => Exit::CouldNotRun,
        };
        Self { exit, ..Self::with_cause("the output could not be written", &error) }
    }
}
