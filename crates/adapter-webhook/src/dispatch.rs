//! The loop: claims what is due, sends it, records what became of it.
//!
//! One task decides ([`coordinator`]); it waits for nothing but news. What takes time has tasks of
//! its own: attempts, questions to the queue (`asking`), and the write of outcomes (`recording`). Who
//! gets how much is decided by pure functions (`shares`, `pace`) on what is known of hooks
//! (`hooks`). Everything that is kept here is bounded, and may be lost at any time: claims end by
//! themselves.

mod asking;
mod backoff;
mod coordinator;
mod figures;
mod hooks;
mod pace;
mod recording;
mod shares;
#[cfg(test)]
mod tests;

pub use figures::{Count, Figures};

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{Notification, RetryPolicy};
use payroll_ports::deliveries::{DeliveryQueue, Target};
use payroll_ports::{Clock, Store};

use crate::{Sender, Sent};
use coordinator::Coordinator;

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
    world: World,
    settings: DispatchSettings,
    figures: Arc<Figures>,
}

/// What is outside of the loop.
#[derive(Clone)]
struct World {
    queue: Arc<dyn DeliveryQueue>,
    sender: Arc<dyn Sending>,
    clock: Arc<dyn Clock>,
}

/// Makes one attempt, within the time of [`SendLimits`](crate::SendLimits).
#[async_trait]
trait Sending: Send + Sync {
    async fn attempt(&self, target: &Target, notification: &Notification, now: Timestamp) -> Sent;
}

#[async_trait]
impl Sending for Sender {
    async fn attempt(&self, target: &Target, notification: &Notification, now: Timestamp) -> Sent {
        self.send(target, notification, now).await
    }
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
        Self { world: World { queue: store, sender, clock }, settings, figures: Arc::default() }
    }

    /// What the loop has done so far; to be asked for before it runs.
    #[must_use]
    pub fn figures(&self) -> Arc<Figures> {
        Arc::clone(&self.figures)
    }

    /// Sends until `stop` is ready; then lets attempts under way end, and gives back the rest.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        Coordinator::new(self.world, self.settings, self.figures).run(stop).await;
    }
}
