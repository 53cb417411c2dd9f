//! What became of attempts, on its way into storage: in batches, as many as are there when the last
//! write is over, and again until storage takes them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{Health, HealthStep, RetryPolicy, health};
use payroll_ports::StoreError;
use payroll_ports::deliveries::{Attempted, DeliveryQueue, HookNumber, HookOutcome};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::backoff::Backoff;

/// Outcomes of one write: with the beginnings of their responses 1 MB at most.
const BATCH: usize = 500;
/// How long outcomes are collected when they come many at a time. The first is written at once, so
/// that what a crash would resend is little.
const PAUSE: Duration = Duration::from_millis(10);

/// An attempt that has ended.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) attempted: Attempted,
    /// When the attempt ended.
    pub(super) at: Timestamp,
    /// What was believed of that time.
    pub(super) believed: Timestamp,
    /// It was a test call.
    pub(super) test: bool,
}

/// How an attempt has ended, for its hook.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    at: Timestamp,
    /// A hook is given up by what is believed of the time: one wrong reading disables no hook.
    believed: Timestamp,
    success: bool,
}

impl Outcome {
    /// How it has ended.
    pub(super) const fn ended(&self) -> Ended {
        Ended { at: self.at, believed: self.believed, success: self.success() }
    }

    /// The receiver has taken the notification.
    pub(super) const fn success(&self) -> bool {
        self.attempted.attempt.error.is_none()
    }
}

/// What is written at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Batch {
    pub(super) attempts: Vec<Attempted>,
    pub(super) hooks: Vec<HookOutcome>,
    /// It is a part of a batch that was rejected completely.
    pub(super) alone: bool,
}

/// What a write has come to.
pub(super) enum Written {
    /// The batch is stored.
    Stored(Batch),
    /// Storage cannot take it, now or ever, and it is given up.
    GivenUp(Batch),
    /// It is tried again.
    Later,
}

/// A write that is in progress.
struct Writing {
    batch: Arc<Batch>,
    task: JoinHandle<Result<(), StoreError>>,
}

/// Outcomes that are not stored yet.
#[derive(Default)]
pub(super) struct Recorder {
    fresh: VecDeque<Outcome>,
    /// Batches that were rejected, to be tried again one after the other.
    again: VecDeque<Batch>,
    writing: Option<Writing>,
    /// Nothing is written before.
    not_before: Option<Instant>,
    backoff: Backoff,
    /// How many outcomes are here.
    size: usize,
}

impl Recorder {
    /// How many outcomes are not stored.
    pub(super) const fn size(&self) -> usize {
        self.size
    }

    pub(super) fn add(&mut self, outcome: Outcome) {
        self.size += 1;
        self.fresh.push_back(outcome);
    }

    /// When something can be written that waits now; `None`: nothing waits, or a write is in progress.
    pub(super) fn next_write(&self) -> Option<Instant> {
        let waits = !self.fresh.is_empty() || !self.again.is_empty();
        // A whole batch gains nothing by waiting for more, unless storage has just refused one.
        let whole = self.again.is_empty() && self.fresh.len() >= BATCH;
        let not_before = self.not_before.filter(|_| !whole);
        (waits && self.writing.is_none()).then(|| not_before.unwrap_or_else(Instant::now))
    }

    /// Whether a write should begin now, and if it is of fresh outcomes, these.
    pub(super) fn take_fresh(&mut self) -> Vec<Outcome> {
        let due = self.next_write().is_some_and(|next| next <= Instant::now());
        if !due || !self.again.is_empty() {
            return Vec::new();
        }
        let many = self.fresh.len().min(BATCH);
        self.fresh.drain(..many).collect()
    }

    /// Has a batch written before all others.
    pub(super) fn put(&mut self, batch: Batch) {
        self.again.push_front(batch);
    }

    /// Begins to write outcomes that were added, or rejected before.
    pub(super) fn begin(&mut self, queue: &Arc<dyn DeliveryQueue>) {
        if self.next_write().is_none_or(|next| next > Instant::now()) {
            return;
        }
        let Some(batch) = self.again.pop_front() else { return };
        let (queue, batch) = (Arc::clone(queue), Arc::new(batch));
        let written = Arc::clone(&batch);
        let task = tokio::spawn(async move { queue.record(&written.attempts, &written.hooks).await });
        self.writing = Some(Writing { batch, task });
    }

    /// Waits for the end of the write; for ever, when there is none.
    pub(super) async fn ended(&mut self) -> Written {
        let Some(writing) = &mut self.writing else { return std::future::pending().await };
        let ended = (&mut writing.task).await.unwrap_or_else(|error| Err(StoreError::Bug(error.into())));
        // The task is over, and the batch is ours alone again.
        let batch = self.writing.take().map(|it| Arc::unwrap_or_clone(it.batch)).unwrap_or_default();
        match ended {
            Ok(()) => self.stored(batch),
            Err(error) => self.refused(batch, &error),
        }
    }

    fn stored(&mut self, batch: Batch) -> Written {
        self.size = self.size.saturating_sub(batch.attempts.len());
        if self.backoff.end() {
            tracing::info!("outcomes of notifications can be recorded again");
        }
        self.not_before = (batch.attempts.len() > 1).then(|| Instant::now() + PAUSE);
        Written::Stored(batch)
    }

    fn refused(&mut self, batch: Batch, error: &StoreError) -> Written {
        if self.backoff.begins() {
            tracing::warn!(%error, outcomes = self.size, "outcomes of notifications cannot be recorded");
        }
        let lasting = matches!(error, StoreError::Corrupt { .. } | StoreError::Bug(_));
        if !lasting || !(batch.alone || self.backoff.is_longest()) {
            self.not_before = Some(Instant::now() + self.backoff.next());
            self.again.push_front(batch);
            return Written::Later;
        }
        self.not_before = None;
        // What is wrong with one of them shall not hold up the others.
        if !batch.alone {
            for single in singles(batch).into_iter().rev() {
                self.again.push_front(single);
            }
            return Written::Later;
        }
        for attempted in &batch.attempts {
            let (id, next) = (attempted.id, attempted.next);
            tracing::error!(%error, hook = id.hook.0, position = id.position, ?next,
                "the outcome of a notification cannot be recorded; it will be resent");
        }
        self.size = self.size.saturating_sub(batch.attempts.len());
        Written::GivenUp(batch)
    }
}

/// The same as batches of one; what is learnt of the hooks goes with the first of each.
fn singles(batch: Batch) -> Vec<Batch> {
    let mut hooks = batch.hooks;
    let single = |attempted: Attempted| {
        let (own, others) = std::mem::take(&mut hooks)
            .into_iter()
            .partition::<Vec<_>, _>(|outcome| outcome.hook == attempted.id.hook);
        hooks = others;
        Batch { attempts: vec![attempted], hooks: own, alone: true }
    };
    batch.attempts.into_iter().map(single).collect()
}

/// What outcomes mean for their hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Judged {
    /// How it does now.
    pub(super) health: Health,
    /// What is new; the last, where there was more than one step.
    pub(super) outcome: HookOutcome,
}

/// What outcomes of one hook mean for it, in their order.
/// `None` when there is nothing new to report.
pub(super) fn judge(
    policy: &RetryPolicy,
    hook: HookNumber,
    before: Health,
    outcomes: &[Ended],
) -> Option<Judged> {
    let (mut now, mut last, mut failures, mut at) = (before, HealthStep::Same, 0, None);
    for Ended { at: ended, believed, success } in outcomes {
        let step = health(policy, now, *success, *believed);
        failures = if *success { 0 } else { failures + 1 };
        match step {
            HealthStep::Same => {}
            HealthStep::Recovered => now = Health::default(),
            HealthStep::Failing => now = Health { failing_since: Some(*ended), warned: false },
            HealthStep::Warn => now.warned = true,
            // No process sends to it from here on, but what is under way may still arrive.
            HealthStep::Disable => {}
        }
        if step != HealthStep::Same {
            (last, at) = (step, Some(*ended));
        }
    }
    // It has begun to fail and was well again, and storage never knew.
    if last == HealthStep::Recovered && before.failing_since.is_none() {
        last = HealthStep::Same;
    }
    let at = at.or_else(|| outcomes.last().map(|last| last.at))?;
    let reported = last != HealthStep::Same || failures > 0;
    reported.then_some(Judged { health: now, outcome: HookOutcome { hook, step: last, failures, at } })
}

#[cfg(test)]
mod tests {
    use super::{Ended, Judged, judge};
    use payroll_domain::date::Timestamp;
    use payroll_domain::delivery::HealthStep::{self, Disable, Failing, Recovered, Same, Warn};
    use payroll_domain::delivery::{Health, RetryPolicy};
    use payroll_ports::deliveries::HookNumber;

    const POLICY: RetryPolicy =
        RetryPolicy { retry_seconds: 300, obey_retry_after: false, disable_after_seconds: 1_000 };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn failing(since: i64, warned: bool) -> Health {
        Health { failing_since: Some(at(since)), warned }
    }

    /// Step, failures, when, and the health afterwards.
    type HealthChange = (HealthStep, u32, i64, Health);
    /// When each attempt ended, and whether it went well.
    type Times<'a> = &'a [(i64, bool)];

    #[test]
    fn outcomes_of_one_write_are_judged_in_their_order() {
        let well = Health::default();
        let cases: &[(Health, Times<'_>, Option<HealthChange>)] = &[
            (well, &[(1, true)], None),
            (well, &[(1, false)], Some((Failing, 1, 1, failing(1, false)))),
            (well, &[(1, false), (2, false)], Some((Failing, 2, 1, failing(1, false)))),
            (well, &[(1, false), (2, true)], None),
            (well, &[(1, false), (2, true), (3, false)], Some((Failing, 1, 3, failing(3, false)))),
            (failing(0, false), &[(9, true)], Some((Recovered, 0, 9, well))),
            (failing(0, false), &[(9, false)], Some((Same, 1, 9, failing(0, false)))),
            (failing(0, false), &[(500, false), (501, false)], Some((Warn, 2, 500, failing(0, true)))),
            (failing(0, true), &[(600, false)], Some((Same, 1, 600, failing(0, true)))),
            (failing(0, true), &[(1_000, false)], Some((Disable, 1, 1_000, failing(0, true)))),
            (failing(0, true), &[(1_000, false), (1_001, true)], Some((Recovered, 0, 1_001, well))),
        ];
        for (before, outcomes, expected) in cases {
            let ended = |(ended, success): &(i64, bool)| {
                let at = at(*ended);
                Ended { at, believed: at, success: *success }
            };
            let outcomes: Vec<_> = outcomes.iter().map(ended).collect();
            let judged = judge(&POLICY, HookNumber(1), *before, &outcomes);
            let reported = |Judged { health, outcome }: Judged| {
                (outcome.step, outcome.failures, outcome.at.as_seconds(), health)
            };
            assert_eq!(judged.map(reported), *expected, "{outcomes:?}");
        }
    }
}
