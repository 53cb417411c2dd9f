//! The task that makes all decisions of the dispatcher loop.

mod outcomes;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::MAX_RETRY_AFTER_SECONDS;
use payroll_ports::deliveries::DeliveryId;
use payroll_ports::{ClockState, StoreError};
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::backoff::StorageBackoff;
use super::hooks::{ClaimLifetime, HookTable, StartedAttempt};
use super::polling::{QueryInProgress, QueueQuery, QueueReply};
use super::recording::AttemptRecorder;
use super::{DispatchEnvironment, DispatchMetrics, DispatchSettings};
use crate::{SendLimits, SendResult};

/// The maximum number of outcomes that are not recorded yet. Attempts in progress are included. At this
/// number, no more deliveries are claimed until some outcomes are recorded. With the stored responses of
/// receivers, this number of outcomes takes about 5 MB.
const MAX_UNRECORDED_ATTEMPTS: usize = 2_048;
/// The minimum time between two claims while many deliveries arrive. The pause makes claims larger and fewer.
/// This is efficient, because a claim of ten deliveries costs hardly more than a claim of one delivery.
const MIN_CLAIM_INTERVAL: Duration = Duration::from_millis(5);
/// The minimum time between two claims if the last claim was full, which means that more deliveries are
/// pending.
const MIN_INTERVAL_AFTER_FULL_CLAIM: Duration = Duration::from_millis(2);
/// The maximum difference in seconds between the clocks of synchronized machines.
const MAX_CLOCK_SKEW_SECONDS: i64 = 60;

/// The time limit for the last write to the queue when the loop stops. This time is added to the time limit
/// for attempts.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// The state of the running dispatcher loop.
pub(super) struct DispatchCoordinator {
    environment: DispatchEnvironment,
    settings: DispatchSettings,
    metrics: Arc<DispatchMetrics>,
    hooks: HookTable,
    attempts: JoinSet<(SendResult, Duration)>,
    started_attempts: HashMap<Id, (StartedAttempt, Timestamp)>,
    recorder: AttemptRecorder,
    query: QueryInProgress,
    backoff: StorageBackoff,
    /// Whether the store must be queried for hooks with pending deliveries.
    query_due: bool,
    /// Whether the next query is a claim even if a query for ready hooks is due. On a busy server, changes
    /// arrive during each query, and each change makes another query for ready hooks due. Without this flag,
    /// there would only be queries for ready hooks and never a claim.
    claim_is_next: bool,
    /// The earliest time at which the store may be queried again.
    not_before: Instant,
    next_poll: Instant,
    /// The next future time at which a delivery is due.
    next_due: Option<Timestamp>,
    /// The state that determines the trusted time, which ignores a recent jump of the system clock.
    time: ClockState,
    /// Whether the clock may have been set back before the loop started or since then. If so, stored due
    /// times may be much too late.
    was_set_back: bool,
}

impl DispatchCoordinator {
    pub(super) fn new(
        environment: DispatchEnvironment,
        settings: DispatchSettings,
        metrics: Arc<DispatchMetrics>,
    ) -> Self {
        let life = ClaimLifetime::new(settings.claim_seconds, SendLimits::default().attempt);
        let now = Instant::now();
        Self {
            environment,
            settings,
            metrics,
            hooks: HookTable::new(settings, life),
            attempts: JoinSet::new(),
            started_attempts: HashMap::new(),
            recorder: AttemptRecorder::default(),
            query: QueryInProgress::default(),
            backoff: StorageBackoff::default(),
            query_due: true,
            claim_is_next: false,
            not_before: now,
            next_poll: now + settings.poll_interval,
            next_due: None,
            time: ClockState::default(),
            was_set_back: true,
        }
    }

    pub(super) async fn run_until(mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let queue = Arc::clone(&self.environment.queue);
        let mut queued = queue.wait_for_deliveries();
        let clock = Arc::clone(&self.environment.clock);
        self.metrics.record_poll();
        self.read_clock();
        loop {
            self.send_ready_deliveries();
            self.record_outcomes();
            self.start_next_query();
            self.update_gauges();
            let wake = self.next_wake_time();
            tokio::select! {
                () = &mut stop => break,
                () = self.next_event() => {}
                () = &mut queued => {
                    self.query_due = true;
                    queued = queue.wait_for_deliveries();
                }
                () = clock.wait_until_set() => self.check_clock(),
                () = sleep_until(wake) => self.check_clock(),
            }
        }
        self.metrics.record_end();
        self.shut_down().await;
    }

    /// Waits for the next event and processes it. If the future is dropped, no event is lost.
    async fn next_event(&mut self) {
        tokio::select! {
            written = self.recorder.wait_for_write() => self.handle_write_result(written),
            reply = self.query.wait_for_reply() => self.handle_reply(reply),
            Some(ended) = self.attempts.join_next_with_id() => {
                self.handle_finished_attempt(ended);
                while let Some(ended) = self.attempts.try_join_next_with_id() {
                    self.handle_finished_attempt(ended);
                }
            }
        }
    }

    /// Returns the next time at which the loop must wake up even without an event.
    fn next_wake_time(&self) -> Instant {
        let mut wake = self.next_poll;
        if let Some(due) = self.next_due {
            let micros = due.as_micros().saturating_sub(self.environment.clock.now().as_micros());
            wake =
                wake.min(Instant::now() + Duration::from_micros(u64::try_from(micros).unwrap_or_default()));
        }
        // A start time in the past needs no wake-up. If the attempt has not started by then, another
        // condition delays it, such as the limit of concurrent attempts. The end of this condition is an
        // event that wakes the loop.
        let wait = self
            .hooks
            .next_start()
            .and_then(|start| start.checked_sub(self.environment.clock.monotonic_time()));
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            wake = wake.min(Instant::now() + wait);
        }
        self.next_work_time().map_or(wake, |work| wake.min(work))
    }

    /// Returns the next time at which the store may be queried or outcomes may be written.
    fn next_work_time(&self) -> Option<Instant> {
        let pausing = self.query.is_idle() && self.not_before > Instant::now();
        pausing.then_some(self.not_before).into_iter().chain(self.recorder.next_write_time()).min()
    }

    /// Returns the current time of the system clock, and the trusted time, which ignores a recent jump
    /// forward.
    fn read_clock(&mut self) -> (Timestamp, Timestamp) {
        let now = self.environment.clock.now();
        let reading = self.time.read_clock(now, self.environment.clock.monotonic_time());
        self.was_set_back |= reading.went_back;
        (now, reading.trusted_time)
    }

    fn check_clock(&mut self) {
        let ((now, _), moment) = (self.read_clock(), Instant::now());
        if self.next_due.is_some_and(|due| due <= now) {
            self.next_due = None;
            self.query_due = true;
        }
        if moment >= self.next_poll {
            self.next_poll = moment + self.settings.poll_interval;
            self.query_due = true;
            self.hooks.remove_expired_claims(self.environment.clock.monotonic_time());
        }
    }

    fn update_gauges(&self) {
        self.metrics.in_flight.set(self.hooks.in_flight_count());
        self.metrics.claimed_waiting.set(self.hooks.claimed_count());
        let query_in_progress = usize::from(self.query_due || !self.query.is_idle());
        self.metrics.unfinished.set(
            query_in_progress
                + self.recorder.unrecorded_count()
                + self.hooks.in_flight_count()
                + self.hooks.claimed_count(),
        );
    }
}

/// Chooses the next query to the delivery queue, and applies the reply to the query.
impl DispatchCoordinator {
    fn start_next_query(&mut self) {
        if !self.query.is_idle() || Instant::now() < self.not_before {
            return;
        }
        if let Some(question) = self.choose_next_query() {
            self.query.start(&self.environment.queue, question);
        }
    }

    fn choose_next_query(&mut self) -> Option<QueueQuery> {
        if let Some(question) = self.take_release_query() {
            return Some(question);
        }
        let now = self.environment.clock.now();
        if std::mem::take(&mut self.was_set_back) {
            let latest = now.plus_seconds(self.max_wait_seconds());
            return Some(QueueQuery::MakeDue { now, latest });
        }
        if !self.claim_is_next
            && let Some(query) = self.take_ready_query()
        {
            return Some(query);
        }
        self.claim_is_next = false;
        self.create_claim_query(now).or_else(|| self.take_ready_query())
    }

    /// Returns the query for hooks with pending deliveries, if one is due.
    fn take_ready_query(&mut self) -> Option<QueueQuery> {
        self.claim_is_next = std::mem::take(&mut self.query_due);
        self.claim_is_next.then_some(QueueQuery::Ready)
    }

    /// Returns the query for the targets of hooks that are not loaded yet. If all targets are loaded, returns
    /// the claim of deliveries.
    fn create_claim_query(&mut self, now: Timestamp) -> Option<QueueQuery> {
        let moment = self.environment.clock.monotonic_time();
        let unknown = self.hooks.find_hooks_to_look_up(moment);
        if !unknown.is_empty() {
            self.claim_is_next = true;
            return Some(QueueQuery::Targets(self.hooks.count_health_changes(&unknown)));
        }
        if self.recorder.unrecorded_count() + self.hooks.in_flight_count() >= MAX_UNRECORDED_ATTEMPTS {
            return None;
        }
        let requests = self.hooks.create_claim_requests(moment);
        let until = now.plus_seconds(self.settings.claim_seconds.into());
        (!requests.is_empty()).then_some(QueueQuery::Claim { requests, now, until, since: moment })
    }

    /// Returns the maximum number of seconds until a pending delivery is due or a claim expires, including
    /// the maximum clock difference. If a stored time is further in the future, a clock was set back.
    fn max_wait_seconds(&self) -> i64 {
        let retry = &self.settings.retry;
        let longest = if retry.obey_retry_after { MAX_RETRY_AFTER_SECONDS } else { 0 };
        i64::from(retry.retry_seconds.max(longest).max(self.settings.claim_seconds)) + MAX_CLOCK_SKEW_SECONDS
    }

    fn take_release_query(&mut self) -> Option<QueueQuery> {
        let returning = self.hooks.take_claims_to_release();
        (!returning.is_empty()).then_some(QueueQuery::ReleaseClaims(returning))
    }

    fn handle_reply(&mut self, reply: Result<QueueReply, StoreError>) {
        self.metrics.record_poll();
        let now = self.environment.clock.now();
        let response = match reply {
            Ok(response) => response,
            Err(error) => return self.start_storage_backoff(&error),
        };
        if self.backoff.reset() {
            tracing::info!("notifications can be delivered again");
        }
        match response {
            QueueReply::Released(count) => self.metrics.released_claims.add(count),
            QueueReply::Ready(ready) => self.next_due = self.hooks.set_ready_hooks(&ready, now),
            QueueReply::Targets { requested, targets: found } => {
                self.hooks.set_targets(&requested, found, self.environment.clock.monotonic_time());
            }
            QueueReply::MadeDue(count) => {
                self.query_due = true;
                if count > 0 {
                    tracing::warn!(
                        notifications = count,
                        "the clock was set back, so waiting notifications are sent now"
                    );
                }
            }
            QueueReply::Claimed { requests: wishes, deliveries: claimed, since } => {
                let all = claimed.len() < wishes.iter().map(|wish| wish.limit as usize).sum();
                let new = self.hooks.add_claimed(&wishes, claimed, since);
                self.metrics.claimed.add(new);
                if new > 1 {
                    self.not_before =
                        Instant::now() + if all { MIN_CLAIM_INTERVAL } else { MIN_INTERVAL_AFTER_FULL_CLAIM };
                }
            }
        }
    }

    fn start_storage_backoff(&mut self, error: &StoreError) {
        if self.backoff.is_first() {
            tracing::warn!(%error, "notifications cannot be sent, because the delivery queue in the \
                database does not respond");
        }
        self.not_before = Instant::now() + self.backoff.next();
        // The failed query may have been the query for ready hooks, or the query that corrects due times
        // after a clock was set back. Both queries are therefore repeated.
        (self.query_due, self.was_set_back) = (true, true);
    }
}

/// The shutdown of the loop.
impl DispatchCoordinator {
    /// Waits for attempts in progress to end and records their outcomes. Releases all other claims.
    async fn shut_down(mut self) {
        let deadline = Instant::now() + self.settings.shutdown_timeout;
        self.wait_for_writes(deadline).await;
        self.abort_attempts().await;
        if self.recorder.unrecorded_count() > 0 {
            let outcomes = self.recorder.unrecorded_count();
            tracing::error!(
                outcomes,
                "the results of some delivery attempts could not be stored, so these \
                notifications will be resent"
            );
        }
    }

    /// Aborts the attempts that have exceeded the time limit.
    async fn abort_attempts(&mut self) {
        let departures = self.started_attempts.values();
        let aborted_ids: Vec<DeliveryId> = departures.map(|(departure, _)| departure.delivery.id).collect();
        if aborted_ids.is_empty() {
            return;
        }
        tracing::warn!(
            notifications = aborted_ids.len(),
            "delivery attempts were aborted by the shutdown, and will be repeated"
        );
        self.attempts.abort_all();
        let given_back = self.environment.queue.release_claims(&aborted_ids);
        if !matches!(tokio::time::timeout(FINAL_WRITE_TIMEOUT, given_back).await, Ok(Ok(()))) {
            tracing::warn!("the claims of deliveries could not be released, and expire by themselves");
        }
    }

    async fn wait_for_writes(&mut self, deadline: Instant) {
        loop {
            self.hooks.release_all();
            self.record_outcomes();
            if self.query.is_idle()
                && Instant::now() >= self.not_before
                && let Some(question) = self.take_release_query()
            {
                self.query.start(&self.environment.queue, question);
            }
            if self.attempts.is_empty() && self.recorder.unrecorded_count() == 0 && self.query.is_idle() {
                return;
            }
            let wake = self.next_work_time().map_or(deadline, |work| work.min(deadline));
            tokio::select! {
                () = self.next_event() => {}
                () = sleep_until(wake) => {
                    if Instant::now() >= deadline {
                        return;
                    }
                }
            }
        }
    }
}
