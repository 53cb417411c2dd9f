//! The operator API for commands: that of a running server, or in this process on the database of the
//! settings. Both run the same code, so a command has one path, one set of errors and one audit log.

mod answer;
mod key;
mod path;
mod remote;
mod request;

use std::time::Duration;

use indicatif::ProgressBar;
use payroll_adapter_http::{LocalOperator, LocalRequest};

pub(crate) use answer::{Answer, Fault};
pub(crate) use path::{ApiPath, path};
pub(crate) use remote::{Remote, authorization, base, client};
pub(crate) use request::{Method, Request};

use crate::failure::{Failure, Outcome};
use answer::LEFT_OUT;

/// The media type of a partial change (RFC 7396).
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
/// The time after which a person is shown that a request is still running.
const PATIENCE: Duration = Duration::from_secs(1);
/// The interval of the progress indicator.
const TICK: Duration = Duration::from_millis(120);

/// The operator API that a command calls.
pub(crate) enum Operator {
    /// The API in this process, on the database of the settings. Its responses equal those of a server, and
    /// the audit log contains the command line as the interface.
    Local(LocalOperator),
    /// The API of a running server at an address.
    Remote(Remote),
}

impl Operator {
    /// Sends a request, and shows its progress if it takes long.
    ///
    /// # Errors
    /// The request is rejected, or the response does not come from an operator API.
    pub(crate) async fn send(&self, request: Request) -> Outcome<Answer> {
        self.ask(request).await?.unless_refused()
    }

    /// Sends a document and returns its faults, if it has any.
    ///
    /// # Errors
    /// The errors of [`send`](Self::send), except faults of the document.
    pub(crate) async fn judge(&self, request: Request) -> Outcome<Result<Answer, Vec<Fault>>> {
        let answer = self.ask(request).await?;
        match answer.faults_of_document() {
            Some(faults) => Ok(Err(faults)),
            None => answer.unless_refused().map(Ok),
        }
    }

    /// Requests an object that may not exist. `None` if it does not exist.
    ///
    /// # Errors
    /// The same errors as for [`send`](Self::send).
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
        with_progress(shown, answer).await
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

/// Waits for work. After a while, a person at a terminal is shown that it is still running.
async fn with_progress<T>(what: String, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    if let Ok(done) = tokio::time::timeout(PATIENCE, &mut work).await {
        return done;
    }
    // indicatif draws on standard error, and only if that is a terminal.
    let progress = ProgressBar::new_spinner().with_message(what);
    progress.enable_steady_tick(TICK);
    let done = work.await;
    progress.finish_and_clear();
    done
}
