//! A disk on which each sync takes some time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The duration of a sync in microseconds.
static SYNC_MICROS: AtomicU64 = AtomicU64::new(0);

/// Makes syncs slow as long as this value exists.
pub(crate) struct SlowSyncs(());

/// Makes each sync take the given time.
pub(crate) fn slow_down_syncs(each: Duration) -> SlowSyncs {
    SYNC_MICROS.store(u64::try_from(each.as_micros()).expect("64 bits"), Ordering::Relaxed);
    SlowSyncs(())
}

impl Drop for SlowSyncs {
    fn drop(&mut self) {
        SYNC_MICROS.store(0, Ordering::Relaxed);
    }
}

/// Waits for the duration of a sync.
#[expect(clippy::disallowed_methods, reason = "a disk holds the thread that waits for it")]
pub(crate) fn delay_sync_if_slowed() {
    std::thread::sleep(Duration::from_micros(SYNC_MICROS.load(Ordering::Relaxed)));
}
