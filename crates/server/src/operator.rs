//! The operator API as the commands call it: of a running server, or in this process on the
//! database of the settings. The same code responds, so a command has one way, one set of
//! errors and one audit trail.

mod answer;
mod key;
mod path;
mod remote;
mod request;

use std::time::Duration;

use indicatif::ProgressBar;
use payroll_adapter_http::{LocalOperator, LocalRequest};

pub(crate) use answer::{Answer, Fault};
pub(crate) use path::{Path, path};
pub(crate) use remote::Remote;
pub(crate) use request::{Method, Request};

use crate::failure::{Failure, Outcome};
use answer::LEFT_OUT;

/// What a change of some members is sent as (RFC 7396).
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
/// How long a request may take before a person is shown that it still runs.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often what is shown then moves.
const TICK: Duration = Duration::from_millis(120);

/// The operator API that responds.
pub(crate) enum Operator {
    /// This process, on the database of the settings. Its responses are those of a server, and
    /// the audit trail names the command line.
    Local(LocalOperator),
    /// A running server at an address.
    Remote(Remote),
}

impl Operator {
    /// Sends a request; shows that it runs where it takes long.
    ///
    /// # Errors
    /// It is rejected, or there is no response of an operator API.
    pub(crate) async fn send(&self, request: Request) -> Outcome<Answer> {
        self.ask(request).await?.unless_refused()
    }

    /// Sends a document that may have faults of its own: those, where it has any.
    ///
    /// # Errors
    /// Those of [`send`](Self::send), but for faults of the document.
    pub(crate) async fn judge(&self, request: Request) -> Outcome<Result<Answer, Vec<Fault>>> {
        let answer = self.ask(request).await?;
        match answer.faults_of_document() {
            Some(faults) => Ok(Err(faults)),
            None => answer.unless_refused().map(Ok),
        }
    }

    /// Sends a request for what may not be there: `None` where it is not.
    ///
    /// # Errors
    /// The same as those of [`send`](Self::send).
    pub(crate) async fn find(&self, request: Request) -> Outcome<Option<Answer>> {
        let answer = self.ask(request).await?;
        if answer.is_not_found() { Ok(None) } else { answer.unless_refused().map(Some) }
    }

    async fn ask(&self, request: Request) -> Outcome<Answer> {
        let shown = format!("{} {}", request.method.as_str(), request.path);
        let answer = async {
            match self {
                Self::Local(local) => send_here(local, request).await,
                Self::Remote(remote) => remote.send(request).await,
            }
        };
        patiently(shown, answer).await
    }
}

/// Executes a request in this process.
async fn send_here(local: &LocalOperator, request: Request) -> Outcome<Answer> {
    let mut headers = vec![("accept", request.accept)];
    headers.extend(request.headers.iter().map(|(name, value)| (*name, value.as_str())));
    let head = LocalRequest { method: request.method.as_str(), target: &request.path, headers: &headers };
    let answer = local.send(head, request.body).await;
    let answer = answer.map_err(|error| Failure::caused("the response broke off", &*error))?;
    let etag = answer.header("etag").map(str::to_owned);
    let left_out = answer.header(LEFT_OUT).map(str::to_owned);
    Ok(Answer::new(answer.status, etag, answer.body).leaving_out(left_out.as_deref()))
}

/// Waits for work; after a while a person at a terminal is shown that it goes on.
async fn patiently<T>(what: String, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    if let Ok(done) = tokio::time::timeout(PATIENCE, &mut work).await {
        return done;
    }
    // indicatif draws on standard error, and only where that is a terminal.
    let progress = ProgressBar::new_spinner().with_message(what);
    progress.enable_steady_tick(TICK);
    let done = work.await;
    progress.finish_and_clear();
    done
}
