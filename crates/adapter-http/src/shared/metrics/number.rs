//! A counter or gauge that threads share.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that either only grows (a counter) or also falls (a gauge).
#[derive(Debug, Default)]
pub(crate) struct AtomicNumber(AtomicU64);

impl AtomicNumber {
    pub(crate) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn decrement(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
