//! Tracks whether the database responds. A separate connection queries the database regularly, and this
//! module stores the last result.
//!
//! The query runs twice a second and does not use the connection pool. A busy pool is therefore not mistaken
//! for an outage. Callers read the last result without waiting. The module `notifications` sends the query on
//! its own connection.
//!
//! A database can become unavailable in two ways. If the database rejects statements or its connections
//! break, each request gets an error from its own connection. If the database is silent (for example a host
//! without power), requests would wait. Therefore, when a query has had no response for [`SILENCE_TIMEOUT`],
//! requests in progress are aborted. No request is started until the database responds again.

use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::error::{Failure, Outcome};

/// The interval between two queries.
pub(super) const QUERY_INTERVAL: Duration = Duration::from_millis(500);
/// The time without a response after which health checks report that the database is unavailable. With the
/// interval between two queries, an outage is reported in less than two seconds.
pub(super) const UNAVAILABLE_AFTER: Duration = Duration::from_secs(1);
/// The time without a response after which requests in progress are aborted. The time is long enough that a
/// short delay on a busy machine aborts no request, because an aborted write may still have been executed.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(3);
/// The error message while commits wait for the confirmation of a standby that does not respond.
pub(super) const COMMITS_WAIT_MESSAGE: &str = "commits wait for a standby that does not confirm them";

/// The last known state of the database.
pub(super) struct DatabaseLiveness {
    last_response: Mutex<LastResponse>,
    lost_signal: watch::Sender<bool>,
    /// Whether commits wait for a standby that does not confirm them.
    commits_wait: watch::Sender<bool>,
}

struct LastResponse {
    /// The schema version from the last response, or the reason why the database is not available.
    version: Result<String, String>,
    /// The instant since which queries have had no response. `None` if the last query had a response.
    unanswered_since: Option<Instant>,
}

/// The error if a query got no response. The caller must open a new connection.
pub(super) struct NoResponse;

impl DatabaseLiveness {
    /// Creates the state before the first query.
    pub(super) fn new() -> Self {
        let last_response = LastResponse {
            version: Err("the database has not responded yet".to_owned()),
            unanswered_since: None,
        };
        Self {
            last_response: Mutex::new(last_response),
            lost_signal: watch::Sender::new(false),
            commits_wait: watch::Sender::new(false),
        }
    }

    /// Returns the last known version of the schema.
    pub(super) fn schema_version(&self) -> Outcome<String> {
        let last_response = self.last_response.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last_response.unanswered_since.is_some_and(|since| since.elapsed() > UNAVAILABLE_AFTER) {
            return Err(Failure::Unavailable("the database does not respond".to_owned()));
        }
        last_response.version.clone().map_err(Failure::Unavailable)
    }

    /// Waits for the database to respond to a query. Gives up if the database is silent for too long.
    pub(super) async fn wait_for_response<T, E>(
        &self,
        query: impl Future<Output = Result<T, E>>,
    ) -> Result<T, NoResponse> {
        let since = self.record_unanswered_query();
        let left = (since + SILENCE_TIMEOUT).saturating_duration_since(Instant::now());
        match timeout(left, query).await {
            Ok(Ok(response)) => {
                self.update_last_response(|last_response| last_response.unanswered_since = None);
                self.lost_signal.send_replace(false);
                Ok(response)
            }
            // The connection is broken. The attempt to open a new connection will show whether the database
            // is available.
            Ok(Err(_)) => Err(NoResponse),
            Err(_) => {
                self.record_silence("the database has not responded for too long");
                Err(NoResponse)
            }
        }
    }

    /// Records that a connection could not be opened.
    pub(super) fn record_failure(&self, error: &dyn std::fmt::Display) {
        self.record_unanswered_query();
        self.update_last_response(|last_response| last_response.version = Err(error.to_string()));
    }

    /// Records that there was no response. After [`SILENCE_TIMEOUT`], the requests in progress are aborted.
    pub(super) fn record_silence(&self, problem: &str) {
        if self.record_unanswered_query().elapsed() >= SILENCE_TIMEOUT && !self.lost_signal.send_replace(true)
        {
            tracing::error!(problem, "the database does not respond: requests are rejected until it does");
        }
    }

    /// Records a response with the version of the schema.
    pub(super) fn record_response(&self, version: String) {
        self.update_last_response(|last_response| last_response.version = Ok(version));
    }

    /// Runs the work, which is aborted if the database becomes silent.
    ///
    /// # Errors
    /// The errors of the work, or [`Failure::Unavailable`] if the database became silent. In the second case,
    /// the database may have executed the work nevertheless.
    pub(super) async fn run_while_database_responds<T>(
        &self,
        work: impl Future<Output = Outcome<T>>,
    ) -> Outcome<T> {
        let mut lost = self.lost_signal.subscribe();
        let silent = || Failure::Unavailable("the database does not respond".to_owned());
        if *lost.borrow_and_update() {
            return Err(silent());
        }
        tokio::select! {
            biased;
            outcome = work => outcome,
            _ = lost.wait_for(|lost| *lost) => Err(silent()),
        }
    }

    /// Records whether commits wait for a standby.
    pub(super) fn set_commits_wait(&self, commits_wait: bool) {
        self.commits_wait.send_replace(commits_wait);
    }

    /// Runs work that writes, unless commits are waiting for a standby. If commits start to wait, this
    /// function stops waiting for the work.
    ///
    /// # Errors
    /// The errors of the work, or [`Failure::Unwritable`] if commits wait. In the second case, the database
    /// may still commit the work when the standby responds again.
    pub(super) async fn run_unless_commits_wait<T>(
        &self,
        work: impl Future<Output = Outcome<T>>,
    ) -> Outcome<T> {
        let mut waiting = self.commits_wait.subscribe();
        let refused = || Failure::Unwritable(COMMITS_WAIT_MESSAGE.to_owned());
        if *waiting.borrow_and_update() {
            return Err(refused());
        }
        tokio::select! {
            biased;
            outcome = work => outcome,
            _ = waiting.wait_for(|waiting| *waiting) => Err(refused()),
        }
    }

    /// Returns whether the database has become silent.
    pub(super) fn is_silent(&self) -> bool {
        *self.lost_signal.borrow()
    }

    /// Records that a query has no response. Returns the instant since which queries have had no response.
    fn record_unanswered_query(&self) -> Instant {
        self.update_last_response(|last_response| {
            *last_response.unanswered_since.get_or_insert_with(Instant::now)
        })
    }

    fn update_last_response<T>(&self, work: impl FnOnce(&mut LastResponse) -> T) -> T {
        work(&mut self.last_response.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    type LivenessReply = Result<(), &'static str>;

    async fn wait_for_query(
        liveness: &DatabaseLiveness,
        response: impl Future<Output = LivenessReply>,
    ) -> bool {
        liveness.wait_for_response(response).await.is_ok()
    }

    async fn can_run(liveness: &DatabaseLiveness) -> bool {
        liveness.run_while_database_responds(ready(Ok(()))).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn reports_a_silent_database_before_it_aborts_requests() {
        let liveness = DatabaseLiveness::new();
        liveness.record_response("7".to_owned());
        let given_up =
            async { liveness.run_while_database_responds(pending::<Outcome<()>>()).await.is_err() };
        let watching = async {
            tokio::time::advance(UNAVAILABLE_AFTER + Duration::from_millis(1)).await;
            (liveness.schema_version().is_err(), can_run(&liveness).await)
        };
        let (answered, seen, given_up) =
            tokio::join!(wait_for_query(&liveness, pending::<LivenessReply>()), watching, given_up);
        assert_eq!((answered, seen, given_up), (false, (true, true), true));
        assert!(!can_run(&liveness).await);
    }

    #[tokio::test(start_paused = true)]
    async fn aborts_and_rejects_writes_while_commits_wait_for_a_standby() {
        let liveness = DatabaseLiveness::new();
        let started = liveness.run_unless_commits_wait(pending::<Outcome<()>>());
        let (given_up, ()) = tokio::join!(started, async { liveness.set_commits_wait(true) });
        assert!(matches!(given_up, Err(Failure::Unwritable(_))));
        assert!(liveness.run_unless_commits_wait(ready(Ok(()))).await.is_err() && can_run(&liveness).await);
        liveness.set_commits_wait(false);
        assert!(liveness.run_unless_commits_wait(ready(Ok(()))).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_database_that_rejects_queries_is_unavailable_but_aborts_no_request() {
        let liveness = DatabaseLiveness::new();
        liveness.record_response("7".to_owned());
        assert!(!wait_for_query(&liveness, ready(Err("the connection broke"))).await);
        assert!(liveness.schema_version().is_ok(), "it may have been the connection alone");
        liveness.record_failure(&"refused");
        assert!(liveness.schema_version().is_err() && can_run(&liveness).await);
    }

    #[tokio::test(start_paused = true)]
    async fn liveness_recovers_after_one_response() {
        let liveness = DatabaseLiveness::new();
        wait_for_query(&liveness, pending::<LivenessReply>()).await;
        assert!(!can_run(&liveness).await);
        assert!(wait_for_query(&liveness, ready(Ok(()))).await);
        liveness.record_response("8".to_owned());
        assert_eq!((liveness.schema_version().ok(), can_run(&liveness).await), (Some("8".to_owned()), true));
    }
}
