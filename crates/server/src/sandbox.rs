//! The functions of a sandbox: a clock that can be set, and a reset to the initial data. Only a server that
//! was started as a sandbox (`demo`, `serve --sandbox`) has these functions.

mod clock;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use payroll_adapter_http::RequestLog;
use payroll_adapter_webhook::DispatchMetrics;
use payroll_domain::date::Timestamp;
use payroll_ports::sandbox::{ClockAdvance, Sandbox};
use payroll_ports::{Clock, Store, StoreError};
use tokio::sync::Mutex;
use tokio::time::Instant;

pub use self::clock::SandboxClock;

use crate::config::{Setting, Settings};
use crate::failure::{Failure, Outcome};
use crate::housekeeping::Housekeeper;

/// The time limit for one request that advances the clock. HTTP clients usually have a longer timeout.
const MAX_ADVANCE_TIME: Duration = Duration::from_secs(20);
/// The interval at which a request that advances the clock checks whether all due deliveries are sent.
const QUEUE_CHECK_INTERVAL: Duration = Duration::from_millis(2);
/// The interval between two turns of housekeeping while the clock is advanced, in seconds of the sandbox's
/// clock.
const HOUSEKEEPING_SECONDS: i64 = 3_600;

/// The data that a sandbox has at its start and after each reset.
#[async_trait]
pub trait SandboxSeed: Send + Sync {
    /// Stores the initial data in an empty store.
    ///
    /// # Errors
    /// Returns the errors of the store.
    async fn fill_store(&self, store: &dyn Store) -> Result<(), StoreError>;
}

/// A sandbox without initial data.
pub struct EmptySeed;

#[async_trait]
impl SandboxSeed for EmptySeed {
    async fn fill_store(&self, _: &dyn Store) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Marks a new database as a sandbox if the settings require a sandbox. Rejects any other database without
/// the mark, because a reset would delete its data.
///
/// # Errors
/// The database contains companies or applications and is not a sandbox, or it cannot be read.
pub(crate) async fn mark_as_sandbox_or_reject(settings: &Settings, store: &dyn Store) -> Outcome {
    if !settings.sandbox || store.is_sandbox().await? {
        return Ok(());
    }
    if !store.is_empty().await? {
        return Err(Failure::new(format!(
            "the database {} was not created as a sandbox, and a sandbox can be emptied by one request. Leave out \
             --sandbox, or serve a new database or a copy that `payroll-server copy --anonymise` makes",
            settings.database_url.show()
        )));
    }
    Ok(store.mark_as_sandbox().await?)
}

/// The functions that operators of a sandbox call, which advance the clock and reset the data.
pub(crate) struct SandboxControls {
    store: Arc<dyn Store>,
    database_name: String,
    clock: Arc<SandboxClock>,
    delivery_metrics: Arc<DispatchMetrics>,
    requests: RequestLog,
    seed: Arc<dyn SandboxSeed>,
    /// The housekeeper. Its mutex ensures that only one request advances the clock.
    housekeeper: Mutex<Housekeeper>,
}

impl SandboxControls {
    pub(crate) fn create_sandbox_controls(
        (store, database_name): (Arc<dyn Store>, String),
        clock: Arc<SandboxClock>,
        (delivery_metrics, requests): (Arc<DispatchMetrics>, RequestLog),
        (seed, housekeeper): (Arc<dyn SandboxSeed>, Housekeeper),
    ) -> Arc<dyn Sandbox> {
        let housekeeper = Mutex::new(housekeeper);
        Arc::new(Self { store, database_name, clock, delivery_metrics, requests, seed, housekeeper })
    }

    /// Waits until all due deliveries are sent. Returns `Some(Some(instant))` with the time of the next queued
    /// delivery, `Some(None)` if no delivery is queued, and `None` if the deadline passed first.
    async fn wait_until_deliveries_sent(
        &self,
        deadline: Instant,
    ) -> Result<Option<Option<Timestamp>>, StoreError> {
        // Without a delivery loop in this process, no delivery is sent, and the wait would never end.
        while self.delivery_metrics.time_since_last_poll().is_some() {
            let (open, claimed) =
                (self.delivery_metrics.unfinished.get(), self.delivery_metrics.claimed.get());
            let ready = self.store.ready_hooks().await?;
            let now = self.clock.now();
            let is_quiet = ready.iter().all(|hook| hook.due > now);
            // If a delivery was claimed while this loop read the state, its due time in `ready` can be the
            // end of the claim. The metrics are therefore read a second time. If they differ, the loop checks
            // again.
            if open == 0
                && is_quiet
                && self.delivery_metrics.unfinished.get() == 0
                && self.delivery_metrics.claimed.get() == claimed
            {
                return Ok(Some(ready.iter().map(|hook| hook.due).min()));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            tokio::time::sleep(QUEUE_CHECK_INTERVAL).await;
        }
        Ok(Some(None))
    }
}

#[async_trait]
impl Sandbox for SandboxControls {
    fn database_name(&self) -> &str {
        &self.database_name
    }

    fn seconds_ahead(&self) -> i64 {
        self.clock.seconds_ahead()
    }

    async fn advance_to(&self, instant: Timestamp) -> Result<ClockAdvance, StoreError> {
        let mut housekeeper = self.housekeeper.lock().await;
        let deadline = Instant::now() + MAX_ADVANCE_TIME;
        let mut last_housekeeping = self.clock.now();
        loop {
            let Some(next) = self.wait_until_deliveries_sent(deadline).await? else {
                return Ok(ClockAdvance::UnderWay(self.clock.now()));
            };
            let now = self.clock.now();
            if now >= instant {
                housekeeper.run_once().await;
                return Ok(ClockAdvance::Reached);
            }
            let next_housekeeping = last_housekeeping.plus_seconds(HOUSEKEEPING_SECONDS);
            let stop =
                next.map_or(next_housekeeping, |next| next.min(next_housekeeping)).max(now).min(instant);
            self.clock.advance_to(stop);
            if stop >= next_housekeeping {
                housekeeper.run_once().await;
                last_housekeeping = stop;
            }
            if Instant::now() >= deadline && stop < instant {
                return Ok(ClockAdvance::UnderWay(self.clock.now()));
            }
        }
    }

    fn release_clock(&self) {
        self.clock.reset_to_machine_time();
    }

    async fn reset_database(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.housekeeper.lock().await;
        self.requests.delete_and_discard_pending(self.store.clear_database()).await?;
        self.seed.fill_store(&*self.store).await
    }
}
