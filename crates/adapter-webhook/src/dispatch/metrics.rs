//! The metrics of the dispatcher loop.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use payroll_ports::metrics::{Metric, to_f64};
use payroll_ports::minutes::LastHourCounts;
use tokio::time::Instant;

/// Counters since the start, and gauges. All values may be read at any time.
#[derive(Debug, Default)]
pub struct DispatchMetrics {
    /// The number of attempts that a receiver accepted.
    pub delivered: AtomicCount,
    /// The number of attempts that failed.
    pub failed: AtomicCount,
    /// The number of times that a hook started to fail.
    pub failing: AtomicCount,
    /// The number of times that a hook had been failing for half of the time after which it is disabled.
    pub warned: AtomicCount,
    /// The number of times that a hook was disabled because it failed for too long.
    pub disabled: AtomicCount,
    /// The number of times that a hook recovered.
    pub recovered: AtomicCount,
    /// The number of deliveries that were claimed.
    pub claimed: AtomicCount,
    /// The number of claims that were released without an attempt.
    pub released_claims: AtomicCount,
    /// The number of outcomes that could not be recorded. The deliveries of these outcomes are resent.
    pub unrecorded: AtomicCount,
    /// Gauge: the number of attempts in progress.
    pub in_flight: AtomicCount,
    /// Gauge: the number of claimed deliveries that are not sent yet.
    pub claimed_waiting: AtomicCount,
    /// Gauge: the amount of unfinished work, which is the sum of queries, claimed deliveries, attempts in
    /// progress and unrecorded outcomes.
    pub unfinished: AtomicCount,
    /// The attempts of the last hour. The two counts are all attempts and failed attempts.
    pub minutes: LastHourCounts<2>,
    /// The time of the last response of the queue, including errors.
    last_reply: Mutex<Option<Instant>>,
}

impl DispatchMetrics {
    /// Returns the time since the last reply of the queue; `None` while the loop does not run.
    pub fn time_since_last_poll(&self) -> Option<Duration> {
        self.last_reply.lock().unwrap_or_else(PoisonError::into_inner).map(|at| at.elapsed())
    }

    /// Returns all values as Prometheus metrics.
    #[must_use]
    pub fn to_metrics(&self) -> Vec<Metric> {
        const ATTEMPTS_HELP: &str = "Completed delivery attempts of this process.";
        const HEALTH_CHANGES_HELP: &str = "Changes of the health of hooks: started to fail, failed for half \
            of the time until they are disabled, were disabled, or recovered.";
        let attempts = |outcome, count: &AtomicCount| {
            Metric::counter("payroll_delivery_attempts_total", ATTEMPTS_HELP, count.get())
                .with_label("outcome", outcome)
        };
        let change = |change, count: &AtomicCount| {
            Metric::counter("payroll_hook_changes_total", HEALTH_CHANGES_HELP, count.get())
                .with_label("change", change)
        };
        vec![
            attempts("delivered", &self.delivered),
            attempts("failed", &self.failed),
            change("failing", &self.failing),
            change("warned", &self.warned),
            change("disabled", &self.disabled),
            change("recovered", &self.recovered),
            Metric::counter(
                "payroll_deliveries_claimed_total",
                "Deliveries that this process has claimed.",
                self.claimed.get(),
            ),
            Metric::counter(
                "payroll_deliveries_given_back_total",
                "Deliveries that this process has claimed and released without an attempt.",
                self.released_claims.get(),
            ),
            Metric::counter(
                "payroll_delivery_outcomes_lost_total",
                "Attempts whose outcome could not be recorded. Their deliveries are resent.",
                self.unrecorded.get(),
            ),
            Metric::gauge(
                "payroll_delivery_attempts_in_progress",
                "Delivery attempts in progress.",
                to_f64(self.in_flight.get()),
            ),
            Metric::gauge(
                "payroll_deliveries_held",
                "Deliveries that this process has claimed and will send next.",
                to_f64(self.claimed_waiting.get()),
            ),
        ]
    }

    pub(super) fn record_poll(&self) {
        self.set_last_poll(Some(Instant::now()));
    }

    /// Records that the loop has ended.
    pub(super) fn record_end(&self) {
        self.set_last_poll(None);
    }

    fn set_last_poll(&self, at: Option<Instant>) {
        *self.last_reply.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }
}

/// A number that can be read while other threads change it.
#[derive(Debug, Default)]
pub struct AtomicCount(AtomicU64);

impl AtomicCount {
    /// Returns the current value of the number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::Relaxed);
    }

    pub(super) fn set(&self, level: usize) {
        self.0.store(level as u64, Ordering::Relaxed);
    }
}
