//! Records the outcomes of attempts in the store. While a batch is written, new outcomes are collected for
//! the next batch. If a write fails, it is retried.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{HealthStep, HookHealth, RetryPolicy, decide_health_step};
use payroll_ports::StoreError;
use payroll_ports::deliveries::{AttemptRecord, DeliveryQueue, HookHealthChange, HookNumber};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::backoff::StorageBackoff;

/// The maximum number of outcomes per write. With the stored parts of the receivers' responses, this number
/// of outcomes takes at most 1 MB.
const MAX_ATTEMPTS_PER_WRITE: usize = 500;
/// The time for which outcomes are collected under load before a write. Without load, an outcome is written
/// immediately. The time is short, because deliveries without a recorded outcome are resent after a crash.
const COLLECTION_INTERVAL: Duration = Duration::from_millis(10);

/// The outcome of an attempt.
#[derive(Debug)]
pub(super) struct AttemptOutcome {
    pub(super) record: AttemptRecord,
    /// The time at which the attempt ended.
    pub(super) ended_at: Timestamp,
    /// The trusted time at which the attempt ended, which ignores a recent jump of the system clock.
    pub(super) trusted_end: Timestamp,
    /// Whether the delivery was a test call.
    pub(super) test: bool,
}

/// The members of an outcome that determine the hook's health.
#[derive(Debug, Clone, Copy)]
pub(super) struct HealthOutcome {
    ended_at: Timestamp,
    /// The trusted time at which the attempt ended. The trusted time determines when a hook is disabled, so
    /// a single wrong reading of the clock disables no hook.
    trusted_end: Timestamp,
    success: bool,
}

impl AttemptOutcome {
    /// Returns the members of the outcome that determine the hook's health.
    pub(super) const fn health_outcome(&self) -> HealthOutcome {
        HealthOutcome { ended_at: self.ended_at, trusted_end: self.trusted_end, success: self.is_success() }
    }

    /// Whether the receiver accepted the notification.
    pub(super) const fn is_success(&self) -> bool {
        self.record.attempt.error.is_none()
    }
}

/// The outcomes and health changes that one write stores.
#[derive(Debug, Clone, Default)]
pub(super) struct WriteBatch {
    pub(super) attempts: Vec<AttemptRecord>,
    pub(super) hooks: Vec<HookHealthChange>,
    /// Whether the batch contains a single outcome from a batch that the store rejected.
    pub(super) is_single: bool,
}

/// The result of writing a batch of outcomes.
pub(super) enum WriteResult {
    /// The batch is stored.
    Stored(WriteBatch),
    /// The store rejected the batch permanently, so it was discarded.
    Discarded(WriteBatch),
    /// The write failed and will be retried.
    WillRetry,
}

/// A write that is in progress.
struct WriteInProgress {
    batch: Arc<WriteBatch>,
    task: JoinHandle<Result<(), StoreError>>,
}

/// Collects outcomes and writes them in batches.
#[derive(Default)]
pub(super) struct AttemptRecorder {
    new_outcomes: VecDeque<AttemptOutcome>,
    /// Batches to write before the new outcomes.
    queued_batches: VecDeque<WriteBatch>,
    write_in_progress: Option<WriteInProgress>,
    /// No write starts before this time.
    not_before: Option<Instant>,
    backoff: StorageBackoff,
    /// The number of outcomes that are not recorded.
    size: usize,
}

impl AttemptRecorder {
    /// Returns the number of outcomes that are not recorded.
    pub(super) const fn unrecorded_count(&self) -> usize {
        self.size
    }

    pub(super) fn add(&mut self, outcome: AttemptOutcome) {
        self.size += 1;
        self.new_outcomes.push_back(outcome);
    }

    /// Returns the earliest time of the next write. Returns `None` if nothing is pending or a write is in
    /// progress.
    pub(super) fn next_write_time(&self) -> Option<Instant> {
        let waits = !self.new_outcomes.is_empty() || !self.queued_batches.is_empty();
        // A full batch is written at once, without a wait for more outcomes. After the store has rejected a
        // batch, even a full batch waits.
        let whole = self.queued_batches.is_empty() && self.new_outcomes.len() >= MAX_ATTEMPTS_PER_WRITE;
        let not_before = self.not_before.filter(|_| !whole);
        (waits && self.write_in_progress.is_none()).then(|| not_before.unwrap_or_else(Instant::now))
    }

    /// Removes and returns the new outcomes for the next write. The result is empty if the next write may not
    /// start yet, or if another batch must be written first.
    pub(super) fn take_new_outcomes(&mut self) -> Vec<AttemptOutcome> {
        let due = self.next_write_time().is_some_and(|next| next <= Instant::now());
        if !due || !self.queued_batches.is_empty() {
            return Vec::new();
        }
        let many = self.new_outcomes.len().min(MAX_ATTEMPTS_PER_WRITE);
        self.new_outcomes.drain(..many).collect()
    }

    /// Adds a batch of outcomes that is written before all others.
    pub(super) fn push_front(&mut self, batch: WriteBatch) {
        self.queued_batches.push_front(batch);
    }

    /// Starts writing the first queued batch of outcomes.
    pub(super) fn start_write(&mut self, queue: &Arc<dyn DeliveryQueue>) {
        if self.next_write_time().is_none_or(|next| next > Instant::now()) {
            return;
        }
        let Some(batch) = self.queued_batches.pop_front() else { return };
        let (queue, batch) = (Arc::clone(queue), Arc::new(batch));
        let written = Arc::clone(&batch);
        let task =
            tokio::spawn(async move { queue.record_attempts(&written.attempts, &written.hooks).await });
        self.write_in_progress = Some(WriteInProgress { batch, task });
    }

    /// Waits for the end of the write. If no write is in progress, the wait never ends.
    pub(super) async fn wait_for_write(&mut self) -> WriteResult {
        let Some(writing) = &mut self.write_in_progress else { return std::future::pending().await };
        let ended = (&mut writing.task).await.unwrap_or_else(|error| Err(StoreError::Bug(error.into())));
        // The task has ended and has dropped its reference, so the batch is usually moved out without a
        // copy.
        let batch =
            self.write_in_progress.take().map(|it| Arc::unwrap_or_clone(it.batch)).unwrap_or_default();
        match ended {
            Ok(()) => self.handle_stored_batch(batch),
            Err(error) => self.handle_rejected_batch(batch, &error),
        }
    }

    fn handle_stored_batch(&mut self, batch: WriteBatch) -> WriteResult {
        self.size = self.size.saturating_sub(batch.attempts.len());
        if self.backoff.reset() {
            tracing::info!("the results of delivery attempts can be stored again");
        }
        self.not_before = (batch.attempts.len() > 1).then(|| Instant::now() + COLLECTION_INTERVAL);
        WriteResult::Stored(batch)
    }

    fn handle_rejected_batch(&mut self, batch: WriteBatch, error: &StoreError) -> WriteResult {
        if self.backoff.is_first() {
            tracing::warn!(%error, outcomes = self.size, "the results of delivery attempts cannot be stored");
        }
        let lasting = matches!(error, StoreError::Corrupt { .. } | StoreError::Bug(_));
        if !lasting || !(batch.is_single || self.backoff.is_at_maximum()) {
            self.not_before = Some(Instant::now() + self.backoff.next());
            self.queued_batches.push_front(batch);
            return WriteResult::WillRetry;
        }
        self.not_before = None;
        // Each outcome is retried separately, so that an invalid outcome does not block the others.
        if !batch.is_single {
            for single in split_batch(batch).into_iter().rev() {
                self.queued_batches.push_front(single);
            }
            return WriteResult::WillRetry;
        }
        for attempted in &batch.attempts {
            let (id, next) = (attempted.id, attempted.next_step);
            tracing::error!(%error, hook = id.hook.0, position = id.position, ?next,
                "the result of a delivery attempt cannot be stored, so the notification will be resent");
        }
        self.size = self.size.saturating_sub(batch.attempts.len());
        WriteResult::Discarded(batch)
    }
}

/// Splits a batch into batches with one outcome. The health change of a hook stays with its first outcome.
fn split_batch(batch: WriteBatch) -> Vec<WriteBatch> {
    let mut hooks = batch.hooks;
    let single = |attempted: AttemptRecord| {
        let (own, others) = std::mem::take(&mut hooks)
            .into_iter()
            .partition::<Vec<_>, _>(|outcome| outcome.hook == attempted.id.hook);
        hooks = others;
        WriteBatch { attempts: vec![attempted], hooks: own, is_single: true }
    };
    batch.attempts.into_iter().map(single).collect()
}

/// The effect of attempt outcomes on the health of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HookHealthUpdate {
    /// The health of the hook after the outcomes.
    pub(super) health: HookHealth,
    /// The change to record: the last one, if there were several changes.
    pub(super) outcome: HookHealthChange,
}

/// Determines the effect of one hook's outcomes, which must be in the order of time. `None` if no change
/// needs to be recorded.
pub(super) fn determine_health_update(
    policy: &RetryPolicy,
    hook: HookNumber,
    before: HookHealth,
    outcomes: &[HealthOutcome],
) -> Option<HookHealthUpdate> {
    let (mut now, mut last, mut failures, mut at) = (before, HealthStep::Same, 0, None);
    for HealthOutcome { ended_at: ended, trusted_end: believed, success } in outcomes {
        let step = decide_health_step(policy, now, *success, *believed);
        failures = if *success { 0 } else { failures + 1 };
        match step {
            HealthStep::Same => {}
            HealthStep::Recovered => now = HookHealth::default(),
            HealthStep::Failing => now = HookHealth { failing_since: Some(*ended), warned: false },
            HealthStep::Warn => now.warned = true,
            // A disabled hook gets no new attempts, but attempts in progress may still succeed. The loop
            // therefore processes the remaining outcomes too.
            HealthStep::Disable => {}
        }
        if step != HealthStep::Same {
            (last, at) = (step, Some(*ended));
        }
    }
    // The failure and the recovery are both in this batch, so the store has never recorded the failure, and
    // no change needs to be recorded.
    if last == HealthStep::Recovered && before.failing_since.is_none() {
        last = HealthStep::Same;
    }
    let at = at.or_else(|| outcomes.last().map(|last| last.ended_at))?;
    let reported = last != HealthStep::Same || failures > 0;
    reported.then_some(HookHealthUpdate {
        health: now,
        outcome: HookHealthChange { hook, step: last, failures, changed_at: at },
    })
}

#[cfg(test)]
mod tests {
    use super::{HealthOutcome, HookHealthUpdate, determine_health_update};
    use payroll_domain::date::Timestamp;
    use payroll_domain::delivery::HealthStep::{self, Disable, Failing, Recovered, Same, Warn};
    use payroll_domain::delivery::{HookHealth, RetryPolicy};
    use payroll_ports::deliveries::HookNumber;

    const POLICY: RetryPolicy =
        RetryPolicy { retry_seconds: 300, obey_retry_after: false, disable_after_seconds: 1_000 };

    fn timestamp_at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn failing_hook_health(since: i64, warned: bool) -> HookHealth {
        HookHealth { failing_since: Some(timestamp_at(since)), warned }
    }

    /// The expected change of a hook's health: the step, the number of failures, the time of the step in
    /// seconds, and the health after the step.
    type HealthChange = (HealthStep, u32, i64, HookHealth);
    /// The ends of a hook's attempts: for each attempt, the time in seconds, and whether the attempt
    /// succeeded.
    type AttemptEnds<'a> = &'a [(i64, bool)];

    #[test]
    fn outcomes_of_one_write_are_applied_in_order() {
        let well = HookHealth::default();
        let cases: &[(HookHealth, AttemptEnds<'_>, Option<HealthChange>)] = &[
            (well, &[(1, true)], None),
            (well, &[(1, false)], Some((Failing, 1, 1, failing_hook_health(1, false)))),
            (well, &[(1, false), (2, false)], Some((Failing, 2, 1, failing_hook_health(1, false)))),
            (well, &[(1, false), (2, true)], None),
            (
                well,
                &[(1, false), (2, true), (3, false)],
                Some((Failing, 1, 3, failing_hook_health(3, false))),
            ),
            (failing_hook_health(0, false), &[(9, true)], Some((Recovered, 0, 9, well))),
            (failing_hook_health(0, false), &[(9, false)], Some((Same, 1, 9, failing_hook_health(0, false)))),
            (
                failing_hook_health(0, false),
                &[(500, false), (501, false)],
                Some((Warn, 2, 500, failing_hook_health(0, true))),
            ),
            (
                failing_hook_health(0, true),
                &[(600, false)],
                Some((Same, 1, 600, failing_hook_health(0, true))),
            ),
            (
                failing_hook_health(0, true),
                &[(1_000, false)],
                Some((Disable, 1, 1_000, failing_hook_health(0, true))),
            ),
            (
                failing_hook_health(0, true),
                &[(1_000, false), (1_001, true)],
                Some((Recovered, 0, 1_001, well)),
            ),
        ];
        for (before, outcomes, expected) in cases {
            let ended = |(ended, success): &(i64, bool)| {
                let at = timestamp_at(*ended);
                HealthOutcome { ended_at: at, trusted_end: at, success: *success }
            };
            let outcomes: Vec<_> = outcomes.iter().map(ended).collect();
            let update = determine_health_update(&POLICY, HookNumber(1), *before, &outcomes);
            let reported = |HookHealthUpdate { health, outcome }: HookHealthUpdate| {
                (outcome.step, outcome.failures, outcome.changed_at.as_seconds(), health)
            };
            assert_eq!(update.map(reported), *expected, "{outcomes:?}");
        }
    }
}
