//! The operator API that commands call: the API of a running server, or an API in this process on the
//! database of the settings. Both APIs run the same code, so their errors and audit log entries are the same.

mod key;
mod path;
mod remote;
mod request;
mod response;

use std::time::Duration;

use indicatif::ProgressBar;
use payroll_adapter_http::{LocalOperator, LocalRequest};

pub(crate) use path::{ApiPath, path};
pub(crate) use remote::{RemoteOperator, create_client, normalize_base_url, read_authorization_header};
pub(crate) use request::{Method, Request};
pub(crate) use response::{Fault, OperatorResponse};

use crate::failure::{Failure, Outcome};
use response::OMITTED_CHECK_COUNT_HEADER;

/// The media type of a JSON merge patch (RFC 7396).
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
/// The time after which a progress indicator shows that a request is still running.
const PROGRESS_BAR_DELAY: Duration = Duration::from_secs(1);
/// The interval at which the progress indicator is redrawn.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(120);

/// The operator API that a command calls, locally or over HTTP.
pub(crate) enum OperatorClient {
    /// The API in this process, on the database of the settings. Its responses equal the responses of a
    /// server. The audit log records that the changes came from the command line.
    Local(LocalOperator),
    /// The API of a running server at an address.
    Remote(RemoteOperator),
}

impl OperatorClient {
    /// Sends a request, and shows a progress indicator if the request takes long.
    ///
    /// # Errors
    /// The operator API has rejected the request, or the response does not come from an operator API.
    pub(crate) async fn send(&self, request: Request) -> Outcome<OperatorResponse> {
        self.send_unchecked(request).await?.into_success()
    }

    /// Sends a request with a JSON document. If the document is rejected because of its faults, the inner
    /// `Err` contains these faults.
    ///
    /// # Errors
    /// Returns the errors of [`send`](Self::send), except faults of the sent document.
    pub(crate) async fn send_document(
        &self,
        request: Request,
    ) -> Outcome<Result<OperatorResponse, Vec<Fault>>> {
        let response = self.send_unchecked(request).await?;
        match response.document_faults() {
            Some(faults) => Ok(Err(faults)),
            None => response.into_success().map(Ok),
        }
    }

    /// Requests an object that may not exist. `None` if the status is 404.
    ///
    /// # Errors
    /// Returns the same errors as [`send`](Self::send).
    pub(crate) async fn find(&self, request: Request) -> Outcome<Option<OperatorResponse>> {
        let response = self.send_unchecked(request).await?;
        if response.is_not_found() { Ok(None) } else { response.into_success().map(Some) }
    }

    async fn send_unchecked(&self, request: Request) -> Outcome<OperatorResponse> {
        let shown = format!("{} {}", request.method.as_str(), request.path);
        let response = async {
            match self {
                Self::Local(local) => execute_in_process(local, request).await,
                Self::Remote(remote) => remote.send(request).await,
            }
        };
        run_with_progress(shown, response).await
    }
}

/// Runs a request in this process.
async fn execute_in_process(local: &LocalOperator, request: Request) -> Outcome<OperatorResponse> {
    let mut headers = vec![("accept", request.accept)];
    headers.extend(request.headers.iter().map(|(name, value)| (*name, value.as_str())));
    let head = LocalRequest { method: request.method.as_str(), target: &request.path, headers: &headers };
    let response = local.send(head, request.body).await;
    let response = response.map_err(|error| Failure::with_cause("the response is incomplete", &*error))?;
    let etag = response.header("etag").map(str::to_owned);
    let left_out = response.header(OMITTED_CHECK_COUNT_HEADER).map(str::to_owned);
    Ok(OperatorResponse::new(response.status, etag, response.body).with_omitted_checks(left_out.as_deref()))
}

/// Waits for `work`. If the work takes longer than [`PROGRESS_BAR_DELAY`], a person at a terminal sees a
/// progress indicator.
async fn run_with_progress<T>(what: String, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    if let Ok(done) = tokio::time::timeout(PROGRESS_BAR_DELAY, &mut work).await {
        return done;
    }
    // The progress indicator is drawn on standard error, and only if standard error is a terminal.
    let progress = ProgressBar::new_spinner().with_message(what);
    progress.enable_steady_tick(PROGRESS_INTERVAL);
    let done = work.await;
    progress.finish_and_clear();
    done
}
