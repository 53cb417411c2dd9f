//! What a person at the command line is shown when something does not work: a sentence with its
//! cause, and an exit code that a script can rely on. Never a dump, never a secret.

use std::error::Error;
use std::net::SocketAddr;
use std::{fmt, io};

/// Why a command failed.
#[derive(Debug)]
pub struct Failure {
    message: String,
    exit: Exit,
    /// The JSON document for programs.
    document: Option<String>,
}

/// The exit codes of every command; 0 is: all done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: the reader of the output has what they wanted, and is gone.
    ReaderGone,
    /// 1: it ran, and some of its work was rejected.
    Refused,
    /// 2: it could not run, or had to stop.
    CouldNotRun,
}

/// What a command comes to.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// The command could not run.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: Exit::CouldNotRun, document: None }
    }

    /// The command could not run for that cause, which is shown with its own causes.
    pub fn caused(what: impl fmt::Display, cause: &dyn Error) -> Self {
        Self::new(format!("{what}: {}", with_causes(cause)))
    }

    /// An address cannot be listened on, for that cause.
    pub fn no_listening(wanted: SocketAddr, cause: &io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::AddrInUse => Self::new(format!(
                "{wanted} is not free to listen on: something listens there already; port 0 takes a free one"
            )),
            _ => Self::caused(format!("{wanted} cannot be listened on"), cause),
        }
    }

    /// The command ran, and the result is no.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit: Exit::Refused, document: None }
    }

    /// The same failure, with the operator API's JSON of it.
    #[must_use]
    pub fn with_document(self, document: String) -> Self {
        Self { document: Some(document), ..self }
    }

    /// The operator API's JSON of it, where it comes from there.
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

/// An error and its causes, each said once: many errors repeat their cause in their text.
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
        Self::caused("the database did not do as asked", &error)
    }
}

/// The output could not be written. A closed pipe, as with `| head`, is no failure.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let exit = match error.kind() {
            std::io::ErrorKind::BrokenPipe => Exit::ReaderGone,
            _ => Exit::CouldNotRun,
        };
        Self { exit, ..Self::caused("the output could not be written", &error) }
    }
}
