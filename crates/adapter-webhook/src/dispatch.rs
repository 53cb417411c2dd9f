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
mod hooks;
mod metrics;
mod pace;
mod recording;
mod settings;
mod shares;
#[cfg(test)]
mod tests;
mod world;

pub use metrics::{Count, Metrics};
pub use settings::DispatchSettings;

use std::sync::Arc;

use payroll_ports::{Clock, Store};

use crate::Sender;
use coordinator::Coordinator;
use world::World;

/// The loop that sends notifications.
pub struct Dispatcher {
    world: World,
    settings: DispatchSettings,
    metrics: Arc<Metrics>,
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
        Self { world: World { queue: store, sender, clock }, settings, metrics: Arc::default() }
    }

    /// What the loop has done so far; to be called before it runs.
    #[must_use]
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    /// Sends until `stop` is ready; then lets attempts in progress end, and gives back the rest.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        Coordinator::new(self.world, self.settings, self.metrics).run(stop).await;
    }
}
