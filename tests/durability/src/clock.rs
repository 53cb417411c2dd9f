//! The clock of the application under test, which does not move until a test advances it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::Clock;

/// The time at which every test begins: 2026-05-12T12:00:00Z.
pub(crate) const BEGINNING: Timestamp = Timestamp::from_micros(1_778_587_200_000_000);

/// A clock that moves only when a test advances it.
#[derive(Debug, Default)]
pub(crate) struct StillClock(AtomicI64);

impl StillClock {
    /// Creates a clock that is the given number of seconds ahead of the beginning.
    pub(crate) const fn ahead(seconds: i64) -> Self {
        Self(AtomicI64::new(seconds * 1_000_000))
    }

    /// Advances the clock by the given number of seconds.
    pub(crate) fn pass(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }
}

impl Clock for StillClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(BEGINNING.as_micros() + self.0.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::SeqCst).unsigned_abs())
    }
}
