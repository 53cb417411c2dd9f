//! What is done beside requests, for as long as the application runs.

use std::sync::Arc;
use std::time::Duration;

use payroll_ports::{Clock, Store};

/// How often ended idempotency keys are looked for: often enough that a day's keys never pile up.
const INTERVAL: Duration = Duration::from_secs(60);
/// Keys that are removed in one transaction, so that no request waits behind it for long.
const BATCH: u32 = 500;

/// Removes what has ended, again and again; never returns.
pub(crate) async fn run(store: Arc<dyn Store>, clock: Arc<dyn Clock>) {
    let mut interval = tokio::time::interval(INTERVAL);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        forget_expired(&*store, &*clock).await;
    }
}

async fn forget_expired(store: &dyn Store, clock: &dyn Clock) {
    loop {
        match store.forget_expired(clock.now(), BATCH).await {
            Ok(forgotten) if forgotten >= u64::from(BATCH) => {}
            Ok(_) => return,
            // The next turn tries again; requests do not depend on it.
            Err(error) => {
                tracing::warn!(%error, "ended idempotency keys could not be removed");
                return;
            }
        }
    }
}
