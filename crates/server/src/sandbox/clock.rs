//! The clock of a sandbox: the machine's clock plus an offset.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::Clock;
use tokio::sync::watch;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// A clock that follows another clock and can be set forward.
pub struct SandboxClock {
    machine: Arc<dyn Clock>,
    /// The difference between this clock and the machine's clock, in microseconds.
    offset: AtomicI64,
    /// The microseconds by which the monotonic time was advanced when the clock was set.
    /// [`reset_to_machine_time`](Self::reset_to_machine_time) does not change this value, because monotonic
    /// time never goes back.
    passed: AtomicI64,
    changes: watch::Sender<()>,
}

impl SandboxClock {
    /// Creates a clock that shows the time of `machine` until it is set.
    #[must_use]
    pub fn new(machine: Arc<dyn Clock>) -> Self {
        Self {
            machine,
            offset: AtomicI64::new(0),
            passed: AtomicI64::new(0),
            changes: watch::Sender::new(()),
        }
    }

    /// Sets the clock forward to an instant. A clock that is already later does not change.
    pub(super) fn advance_to(&self, instant: Timestamp) {
        let step = instant.as_micros().saturating_sub(self.now().as_micros());
        if step > 0 {
            self.offset.fetch_add(step, Ordering::SeqCst);
            self.passed.fetch_add(step, Ordering::SeqCst);
            self.changes.send_replace(());
        }
    }

    /// Sets the clock back to the time of the machine.
    pub(super) fn reset_to_machine_time(&self) {
        self.offset.store(0, Ordering::SeqCst);
        self.changes.send_replace(());
    }

    /// Returns the offset in seconds, rounded to the nearest second.
    pub(super) fn seconds_ahead(&self) -> i64 {
        self.offset.load(Ordering::SeqCst).saturating_add(MICROS_PER_SECOND / 2) / MICROS_PER_SECOND
    }
}

impl Clock for SandboxClock {
    fn now(&self) -> Timestamp {
        let machine = self.machine.now().as_micros();
        Timestamp::from_micros(machine.saturating_add(self.offset.load(Ordering::SeqCst)))
    }

    fn monotonic_time(&self) -> Duration {
        let passed = u64::try_from(self.passed.load(Ordering::SeqCst)).unwrap_or_default();
        self.machine.monotonic_time() + Duration::from_micros(passed)
    }

    fn wait_until_set(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let mut changes = self.changes.subscribe();
        Box::pin(async move {
            // `changed` cannot fail, because the sender lives as long as the clock.
            let _ = changes.changed().await;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::SystemClock;

    #[test]
    fn reset_of_the_clock_keeps_monotonic_time() {
        let clock = SandboxClock::new(Arc::new(SystemClock));
        let (began, passed) = (clock.now(), clock.monotonic_time());
        clock.advance_to(began.plus_seconds(3_600));
        assert!(clock.now() >= began.plus_seconds(3_600));
        assert!(clock.monotonic_time() >= passed + Duration::from_secs(3_599));
        clock.advance_to(began);
        assert!(clock.now() >= began.plus_seconds(3_600), "it is not set back");
        clock.reset_to_machine_time();
        assert!(clock.now() < began.plus_seconds(3_599) && clock.seconds_ahead() == 0);
        assert!(clock.monotonic_time() >= passed + Duration::from_secs(3_599));
    }
}
