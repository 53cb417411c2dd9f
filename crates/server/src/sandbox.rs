//! A sandbox: a clock that can be set, and the way back to the beginning. Only a server that was started as
//! one (`demo`, `serve --sandbox`) has any of it.

mod clock;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use payroll_adapter_webhook::Metrics;
use payroll_domain::date::Timestamp;
use payroll_ports::sandbox::{Advance, Sandbox};
use payroll_ports::{Clock, Store, StoreError};
use tokio::sync::Mutex;
use tokio::time::Instant;

pub use self::clock::SandboxClock;

use crate::config::{Setting, Settings};
use crate::failure::{Failure, Outcome};
use crate::housekeeping::Housekeeper;

/// How long one request to advance the clock may take: as long as clients usually wait.
const LONGEST_REQUEST: Duration = Duration::from_secs(20);
/// How often it is looked whether what is due has been done.
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// Seconds of the sandbox's time between two turns of housekeeping while the clock is advanced.
const HOUSEKEEPING_SECONDS: i64 = 3_600;

/// What the sandbox begins with, and begins with again.
#[async_trait]
pub trait Seed: Send + Sync {
    /// Stores it where nothing is stored.
    ///
    /// # Errors
    /// What the store says.
    async fn sow(&self, store: &dyn Store) -> Result<(), StoreError>;
}

/// A sandbox that begins with nothing.
pub struct Nothing;

#[async_trait]
impl Seed for Nothing {
    async fn sow(&self, _: &dyn Store) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Marks a new database as a sandbox where the settings ask for one, and rejects every other database that is not
/// marked: a reset would empty it.
///
/// # Errors
/// The database holds companies or applications and is no sandbox, or it cannot be read.
pub(crate) async fn admit(settings: &Settings, store: &dyn Store) -> Outcome {
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

/// The controls of a sandbox in this process.
pub(crate) struct Controls {
    store: Arc<dyn Store>,
    database_name: String,
    clock: Arc<SandboxClock>,
    sending: Arc<Metrics>,
    seed: Arc<dyn Seed>,
    /// Who has it advances the clock; one at a time.
    housekeeper: Mutex<Housekeeper>,
}

impl Controls {
    pub(crate) fn in_process(
        (store, database_name): (Arc<dyn Store>, String),
        clock: Arc<SandboxClock>,
        sending: Arc<Metrics>,
        (seed, housekeeper): (Arc<dyn Seed>, Housekeeper),
    ) -> Arc<dyn Sandbox> {
        let housekeeper = Mutex::new(housekeeper);
        Arc::new(Self { store, database_name, clock, sending, seed, housekeeper })
    }

    /// Waits until nothing that is due is left to be sent; gives when the next is due. `None`: it takes too
    /// long.
    async fn settle(&self, deadline: Instant) -> Result<Option<Option<Timestamp>>, StoreError> {
        // Without a sender nothing is ever sent, and nothing waited for.
        while self.sending.since_last_look().is_some() {
            let (open, claimed) = (self.sending.open.get(), self.sending.claimed.get());
            let ready = self.store.ready().await?;
            let now = self.clock.now();
            let is_quiet = ready.iter().all(|hook| hook.due > now);
            // What was claimed and recorded in between would show a claim's end as what is due next.
            if open == 0 && is_quiet && self.sending.open.get() == 0 && self.sending.claimed.get() == claimed
            {
                return Ok(Some(ready.iter().map(|hook| hook.due).min()));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        Ok(Some(None))
    }
}

#[async_trait]
impl Sandbox for Controls {
    fn database_name(&self) -> &str {
        &self.database_name
    }

    fn seconds_ahead(&self) -> i64 {
        self.clock.seconds_ahead()
    }

    async fn advance_to(&self, instant: Timestamp) -> Result<Advance, StoreError> {
        let mut housekeeper = self.housekeeper.lock().await;
        let deadline = Instant::now() + LONGEST_REQUEST;
        let mut kept_house = self.clock.now();
        loop {
            let Some(next) = self.settle(deadline).await? else {
                return Ok(Advance::UnderWay(self.clock.now()));
            };
            let now = self.clock.now();
            if now >= instant {
                housekeeper.turn().await;
                return Ok(Advance::Arrived);
            }
            let house = kept_house.plus_seconds(HOUSEKEEPING_SECONDS);
            let stop = next.map_or(house, |next| next.min(house)).max(now).min(instant);
            self.clock.advance_to(stop);
            if stop >= house {
                housekeeper.turn().await;
                kept_house = stop;
            }
            if Instant::now() >= deadline && stop < instant {
                return Ok(Advance::UnderWay(self.clock.now()));
            }
        }
    }

    fn release_clock(&self) {
        self.clock.release();
    }

    async fn reset(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.housekeeper.lock().await;
        self.store.clear().await?;
        self.seed.sow(&*self.store).await
    }
}
