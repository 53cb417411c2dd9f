//! The backoff while the storage is unavailable. Each wait is twice as long as the previous wait, up to 5
//! seconds.

use std::time::Duration;

const MIN_WAIT: Duration = Duration::from_millis(100);
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The duration of the last wait; `None` while the storage works.
#[derive(Debug, Default)]
pub(super) struct StorageBackoff(Option<Duration>);

impl StorageBackoff {
    /// Returns whether the next wait is the first wait of an outage. The problem is only logged at the first
    /// wait.
    pub(super) const fn is_first(&self) -> bool {
        self.0.is_none()
    }

    /// Doubles the wait and returns the new wait.
    pub(super) fn next(&mut self) -> Duration {
        let wait = self.0.map_or(MIN_WAIT, |last| (last * 2).min(MAX_WAIT));
        self.0 = Some(wait);
        wait
    }

    /// Whether the last wait was the maximum.
    pub(super) fn is_at_maximum(&self) -> bool {
        self.0 == Some(MAX_WAIT)
    }

    /// Resets the backoff. Returns whether the backoff was active.
    pub(super) fn reset(&mut self) -> bool {
        self.0.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_WAIT, StorageBackoff};

    #[test]
    fn delays_double_up_to_the_maximum_and_reset_after_a_success() {
        let mut backoff = StorageBackoff::default();
        assert!(backoff.is_first());
        let waits: Vec<_> = (0..8).map(|_| backoff.next().as_millis()).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
        assert_eq!(backoff.next(), MAX_WAIT);
        assert!(backoff.is_at_maximum() && backoff.reset() && !backoff.reset());
        assert_eq!(backoff.next().as_millis(), 100);
    }
}
