//! The dispatcher loop: claims due deliveries, sends them, and records the outcomes.
//!
//! One task makes all decisions ([`coordinator`]) and never waits for slow work. Slow work runs in separate
//! tasks: attempts, queries to the queue (`polling`), and the recording of outcomes (`recording`). Pure
//! functions (`fair_queue`, `concurrency_limit`) divide the capacity among the hooks. `hooks` contains the
//! loop's data about each hook.
//!
//! The state in memory has a limited size and may be lost at any time. In that case the claims expire, and
//! another process sends the deliveries.

mod backoff;
mod concurrency_limit;
mod coordinator;
mod environment;
mod fair_queue;
mod hooks;
mod metrics;
mod polling;
mod recording;
mod settings;
#[cfg(test)]
mod tests;

pub use metrics::{AtomicCount, DispatchMetrics};
pub use settings::DispatchSettings;

use std::sync::Arc;

use payroll_ports::{Clock, Store};

use crate::Sender;
use coordinator::DispatchCoordinator;
use environment::DispatchEnvironment;

/// The loop that sends notifications.
pub struct Dispatcher {
    environment: DispatchEnvironment,
    settings: DispatchSettings,
    metrics: Arc<DispatchMetrics>,
}

impl Dispatcher {
    /// Creates a loop that is not started yet.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        sender: Arc<Sender>,
        clock: Arc<dyn Clock>,
        settings: DispatchSettings,
    ) -> Self {
        Self {
            environment: DispatchEnvironment { queue: store, sender, clock },
            settings,
            metrics: Arc::default(),
        }
    }

    /// Returns the metrics of the loop. Call this function before [`run_until`](Self::run_until), which
    /// consumes the dispatcher.
    #[must_use]
    pub fn metrics(&self) -> Arc<DispatchMetrics> {
        Arc::clone(&self.metrics)
    }

    /// Sends notifications until `stop` completes. The loop then waits for the attempts in progress until the
    /// time limit, and releases all other claims.
    pub async fn run_until(self, stop: impl Future<Output = ()>) {
        DispatchCoordinator::new(self.environment, self.settings, self.metrics).run_until(stop).await;
    }
}
