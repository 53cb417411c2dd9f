//! What the loop has done so far, for whoever watches it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters since the start, which only grow, and levels. They may be read at any time.
#[derive(Debug, Default)]
pub struct Figures {
    /// Attempts that a receiver has taken.
    pub delivered: Count,
    /// Attempts that failed.
    pub failed: Count,
    /// Hooks that have begun to fail.
    pub failing: Count,
    /// Hooks that have failed for half of the time after which they are disabled.
    pub warned: Count,
    /// Hooks that were disabled because they failed for too long.
    pub disabled: Count,
    /// Hooks that are well again.
    pub recovered: Count,
    /// Deliveries that were claimed.
    pub claimed: Count,
    /// Deliveries that were claimed and given back without an attempt.
    pub given_back: Count,
    /// Outcomes that could not be recorded; these deliveries are sent again.
    pub unrecorded: Count,
    /// Level: attempts under way.
    pub in_flight: Count,
    /// Level: deliveries that are claimed and wait here to be sent.
    pub held: Count,
}

/// One number.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// The number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::Relaxed);
    }

    pub(super) fn set(&self, level: usize) {
        self.0.store(level as u64, Ordering::Relaxed);
    }
}
