//! Metrics of the delivery queue. Counting a long queue in the store takes a while, so the result is cached
//! for 10 seconds. A request waits at most 1 second for a new count.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::deliveries::QueueSummary;
use payroll_ports::metrics::{Metric, to_f64};
use payroll_ports::{Clock, Store};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

/// The maximum age of a count. A request that finds an older count starts a new count.
const COUNT_LIFETIME: Duration = Duration::from_secs(10);
/// The maximum time that a request waits for a new count. After this time, the request gets the previous
/// count.
const COUNT_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) struct QueueMetrics {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    cached: Arc<Mutex<Option<(Instant, QueueSummary)>>>,
    count_task: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

impl QueueMetrics {
    pub(super) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, cached: Arc::default(), count_task: tokio::sync::Mutex::default() }
    }

    /// Returns the metrics of the last count. The list is empty before the first count.
    pub(super) async fn metrics(&self) -> Vec<Metric> {
        if self.cached_summary().is_none_or(|(at, _)| at.elapsed() > COUNT_LIFETIME) {
            self.refresh_summary().await;
        }
        let Some((at, summary)) = self.cached_summary() else { return Vec::new() };
        queue_metrics(&summary, self.clock.now(), at.elapsed())
    }

    fn cached_summary(&self) -> Option<(Instant, QueueSummary)> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Starts a count unless a count is in progress, and waits for the result at most [`COUNT_TIMEOUT`].
    async fn refresh_summary(&self) {
        let mut counting = self.count_task.lock().await;
        let task = counting.get_or_insert_with(|| {
            let (store, known) = (Arc::clone(&self.store), Arc::clone(&self.cached));
            tokio::spawn(async move {
                // An error is ignored, because `payroll_ready` reports an unreachable store.
                if let Ok(summary) = store.queue_summary().await {
                    *known.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), summary));
                }
            })
        });
        if timeout(COUNT_TIMEOUT, task).await.is_ok() {
            *counting = None;
        }
    }
}

fn queue_metrics(summary: &QueueSummary, now: Timestamp, age: Duration) -> Vec<Metric> {
    let deliveries = |state, count| {
        let meaning = "Deliveries in the shared queue by state: pending for active hooks, of these retrying \
            after a failure, and held for inactive hooks.";
        Metric::gauge("payroll_queue_deliveries", meaning, to_f64(count)).with_label("state", state)
    };
    let hooks = |state, count| {
        let meaning = "Hooks by state: active, active whose last attempt failed, and inactive.";
        Metric::gauge("payroll_hooks", meaning, to_f64(count)).with_label("state", state)
    };
    let oldest =
        summary.oldest_waiting.map_or(0, |queued| now.as_micros().saturating_sub(queued.as_micros()));
    let oldest = Duration::from_micros(u64::try_from(oldest).unwrap_or_default());
    vec![
        deliveries("waiting", summary.pending),
        deliveries("retrying", summary.retrying),
        deliveries("held", summary.collected),
        Metric::gauge(
            "payroll_queue_oldest_waiting_seconds",
            "Age of the oldest pending delivery of an active hook, in seconds.",
            oldest.as_secs_f64(),
        ),
        Metric::gauge(
            "payroll_queue_counted_seconds",
            "Seconds since the queue was counted.",
            age.as_secs_f64(),
        ),
        hooks("active", summary.active_hooks),
        hooks("failing", summary.failing_hooks),
        hooks("inactive", summary.inactive_hooks),
    ]
}
