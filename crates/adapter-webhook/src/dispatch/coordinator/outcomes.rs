//! Starts attempts, processes their ends, and records their outcomes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{self, Attempt, ErrorClass, HealthStep, NextStep, decide_next_step};
use payroll_ports::deliveries::{AttemptRecord, DeliveryTarget, HookNumber};
use tokio::task::{Id, JoinError};
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::super::hooks::StartedAttempt;
use super::super::recording::{
    AttemptOutcome, HealthOutcome, HookHealthUpdate, WriteBatch, WriteResult, determine_health_update,
};
use super::{DispatchCoordinator, MAX_UNRECORDED_ATTEMPTS};
use crate::SendResult;

impl DispatchCoordinator {
    pub(super) fn send_ready_deliveries(&mut self) {
        let (now, moment) = (self.environment.clock.now(), self.environment.clock.monotonic_time());
        while self.recorder.unrecorded_count() + self.hooks.in_flight_count() < MAX_UNRECORDED_ATTEMPTS {
            let Some(started_attempt) = self.hooks.start_next_attempt(moment) else { return };
            let (sender, target) =
                (Arc::clone(&self.environment.sender), Arc::clone(&started_attempt.target));
            let notification = started_attempt.delivery.notification.clone();
            let span = tracing::info_span!(
                target: "payroll_trace",
                "delivery attempt",
                delivered = Empty,
                "http.response.status_code" = Empty,
            );
            let attempting = async move {
                let started = Instant::now();
                let sent = sender.send_notification(&target, &notification, now).await;
                let span = Span::current();
                span.record("delivered", sent.error.is_none());
                if let Some(status) = sent.status {
                    span.record("http.response.status_code", status);
                }
                (sent, started.elapsed())
            };
            let attempt = self.attempts.spawn(attempting.instrument(span));
            self.started_attempts.insert(attempt.id(), (started_attempt, now));
        }
    }

    pub(super) fn handle_finished_attempt(
        &mut self,
        joined: Result<(Id, (SendResult, Duration)), JoinError>,
    ) {
        let (id, sent, duration) = match joined {
            Ok((id, (sent, took))) => (id, sent, took),
            Err(error) => {
                tracing::error!(%error, "a delivery attempt ended with an internal error");
                (error.id(), panicked_result(), Duration::ZERO)
            }
        };
        let Some((started_attempt, started)) = self.started_attempts.remove(&id) else { return };
        let success = sent.error.is_none();
        self.hooks.record_result(&started_attempt, success, duration);
        let metric = if success { &self.metrics.delivered } else { &self.metrics.failed };
        metric.add(1);
        let (now, believed) = self.read_clock();
        self.metrics.minutes.increment(now, [true, !success]);
        let test = started_attempt.delivery.notification.test;
        let retry_after = sent.retry_after;
        let attempt = attempt_record(sent, &started_attempt, started, duration);
        // A failed test call is not retried. The person who requested the test call sees the result and can
        // request another test call.
        let last =
            test || started_attempt.target.options.max_attempts.is_some_and(|most| attempt.number >= most);
        let outcome = delivery::AttemptResult { success, retry_after, is_last: last };
        let attempted = AttemptRecord {
            id: started_attempt.delivery.id,
            attempt,
            next_step: decide_next_step(&self.settings.retry, outcome, now),
        };
        self.recorder.add(AttemptOutcome { record: attempted, ended_at: now, trusted_end: believed, test });
    }
}

impl DispatchCoordinator {
    pub(super) fn record_outcomes(&mut self) {
        let fresh = self.recorder.take_new_outcomes();
        if !fresh.is_empty() {
            let batch = self.determine_health_changes(fresh);
            self.recorder.push_front(batch);
        }
        self.recorder.start_write(&self.environment.queue);
    }

    /// Determines how outcomes change the health of their hooks.
    fn determine_health_changes(&mut self, outcomes: Vec<AttemptOutcome>) -> WriteBatch {
        let mut by_hook: HashMap<HookNumber, Vec<HealthOutcome>> = HashMap::new();
        // A failed test call does not affect the health of the hook, because only real notifications count.
        // The person who requested the test call sees the failure.
        for outcome in outcomes.iter().filter(|outcome| outcome.is_success() || !outcome.test) {
            by_hook.entry(outcome.record.id.hook).or_default().push(outcome.health_outcome());
        }
        let mut batch = WriteBatch::default();
        for (hook, of_hook) in by_hook {
            let Some((before, target)) = self.hooks.find_health(hook) else { continue };
            if let Some(update) = determine_health_update(&self.settings.retry, hook, before, &of_hook) {
                self.update_health(&update, &target, outcomes.iter().rfind(|it| it.record.id.hook == hook));
                batch.hooks.push(update.outcome);
            }
        }
        batch.attempts = outcomes.into_iter().map(|outcome| outcome.record).collect();
        batch
    }

    /// Stores the new health of a hook. Changes are also counted and logged for the operator.
    fn update_health(
        &mut self,
        update: &HookHealthUpdate,
        target: &DeliveryTarget,
        last: Option<&AttemptOutcome>,
    ) {
        let (step, hook) = (update.outcome.step, update.outcome.hook);
        let new = self.hooks.set_health(hook, update.health, step == HealthStep::Disable);
        let metric = match step {
            HealthStep::Same => return,
            HealthStep::Recovered => &self.metrics.recovered,
            HealthStep::Failing => &self.metrics.failing,
            HealthStep::Warn => &self.metrics.warned,
            HealthStep::Disable if new => &self.metrics.disabled,
            // The hook was already disabled when these attempts ended. The hook stays disabled, and nothing
            // is counted or logged.
            HealthStep::Disable => return,
        };
        metric.add(1);
        log_health(step, target, last);
    }

    pub(super) fn handle_write_result(&mut self, written: WriteResult) {
        let batch = match written {
            WriteResult::WillRetry => return,
            WriteResult::Stored(batch) => batch,
            WriteResult::Discarded(batch) => {
                self.metrics.unrecorded.add(batch.attempts.len());
                batch
            }
        };
        for attempted in &batch.attempts {
            self.hooks.finish_delivery(attempted.id);
            if let NextStep::TryAgain { due } = attempted.next_step {
                self.next_due = Some(self.next_due.map_or(due, |next| next.min(due)));
            }
        }
    }
}

/// Logs a change of a hook's health.
fn log_health(step: HealthStep, target: &DeliveryTarget, last: Option<&AttemptOutcome>) {
    let (application, hook) = (target.key.application_id.as_str(), target.key.hook_id.as_str());
    let uri = target.address.without_query();
    let error = last.and_then(|it| it.record.attempt.error).map(ErrorClass::as_str);
    let status = last.and_then(|it| it.record.attempt.status);
    let words = match step {
        HealthStep::Same => return,
        HealthStep::Recovered => return tracing::info!(application, hook, uri, "a hook has recovered"),
        HealthStep::Failing => "a hook has begun to fail",
        HealthStep::Warn => "a hook has failed for half of the time after which it is disabled",
        HealthStep::Disable => {
            "a hook has failed for too long: it is disabled, and still collects notifications"
        }
    };
    if step == HealthStep::Disable {
        tracing::error!(application, hook, uri, error, status, "{words}");
    } else {
        tracing::warn!(application, hook, uri, error, status, "{words}");
    }
}

/// Converts the result of an attempt for the delivery log.
fn attempt_record(
    result: SendResult,
    started_attempt: &StartedAttempt,
    started_at: Timestamp,
    duration: Duration,
) -> Attempt {
    Attempt {
        number: started_attempt.delivery.attempts.saturating_add(1),
        at: started_at,
        duration_milliseconds: u32::try_from(duration.as_millis()).unwrap_or(u32::MAX),
        cause: started_attempt.delivery.cause,
        status: result.status,
        error: result.error,
        // NUL is replaced, because PostgreSQL cannot store it in a text.
        response_body: result.response_body.map(|body| body.replace('\0', "\u{fffd}")),
        response_truncated: result.response_truncated,
        retry_after: result.retry_after,
    }
}

/// Returns the result of an attempt whose task panicked because of a bug.
const fn panicked_result() -> SendResult {
    SendResult {
        status: None,
        error: Some(ErrorClass::Internal),
        retry_after: None,
        response_body: None,
        response_truncated: false,
    }
}
