//! The clock of the application under test, which does not move until a test advances it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::Clock;

/// The time at which every test begins: 2026-05-12T12:00:00Z.
pub(crate) const START_TIME: Timestamp = Timestamp::from_micros(1_778_587_200_000_000);

/// A clock that moves only when a test advances it. The fields contain microseconds.
#[derive(Debug, Default)]
pub(crate) struct ManualClock {
    passed: AtomicI64,
    /// The microseconds by which the system time was changed without advancing the monotonic time.
    jumped: AtomicI64,
}

impl ManualClock {
    /// Creates a clock that is the given number of seconds ahead of the beginning.
    pub(crate) const fn ahead_of_start(seconds: i64) -> Self {
        Self { passed: AtomicI64::new(seconds * 1_000_000), jumped: AtomicI64::new(0) }
    }

    /// Advances the clock by the given number of seconds.
    pub(crate) fn advance_seconds(&self, seconds: i64) {
        self.passed.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    /// Changes the system time by the given number of seconds without advancing the monotonic time.
    pub(crate) fn shift_system_time(&self, seconds: i64) {
        self.jumped.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    /// Creates a clock with the same times. The new clock represents the clock of the machine after a
    /// restart.
    pub(crate) fn copy_times(&self) -> Self {
        let copied = |time: &AtomicI64| AtomicI64::new(time.load(Ordering::SeqCst));
        Self { passed: copied(&self.passed), jumped: copied(&self.jumped) }
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        let moved = self.passed.load(Ordering::SeqCst) + self.jumped.load(Ordering::SeqCst);
        Timestamp::from_micros(START_TIME.as_micros() + moved)
    }

    fn monotonic_time(&self) -> Duration {
        Duration::from_micros(self.passed.load(Ordering::SeqCst).unsigned_abs())
    }
}
