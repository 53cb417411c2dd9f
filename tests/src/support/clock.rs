//! Time and chance of the application under test: the test moves the one, and the other repeats.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::{Clock, Randomness};

/// The instant at which every test begins: 2026-05-12T12:00:00Z.
pub(crate) const BEGINNING: Timestamp = Timestamp::from_micros(1_778_587_200_000_000);

/// A clock that stands until a test moves it.
#[derive(Debug)]
pub(crate) struct MovedClock {
    /// In microseconds since 1970.
    wall: AtomicI64,
    /// What has passed, in microseconds.
    passed: AtomicU64,
}

impl MovedClock {
    pub(crate) fn new() -> Self {
        Self { wall: AtomicI64::new(BEGINNING.as_micros()), passed: AtomicU64::new(0) }
    }

    /// Lets that time pass.
    pub(crate) fn move_seconds(&self, seconds: i64) {
        let passed = u64::try_from(seconds).expect("time passes forwards; `step_seconds` sets the clock");
        self.passed.fetch_add(passed * 1_000_000, Ordering::SeqCst);
        self.step_seconds(seconds);
    }

    /// Sets the clock by that much, as a person or another machine does; no time passes.
    pub(crate) fn step_seconds(&self, seconds: i64) {
        self.wall.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    /// Lets a millisecond pass, so that what is made later has a later id.
    pub(crate) fn tick(&self) {
        self.passed.fetch_add(1_000, Ordering::SeqCst);
        self.wall.fetch_add(1_000, Ordering::SeqCst);
    }
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.wall.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.passed.load(Ordering::SeqCst))
    }
}

/// Chance that is the same in every run of one test, and another one in each server started.
#[derive(Debug)]
pub(crate) struct RepeatedChance(AtomicU64);

/// Counts the servers, so that no two of them give out the same ids.
static SERVERS: AtomicU64 = AtomicU64::new(1);

impl RepeatedChance {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(SERVERS.fetch_add(1, Ordering::SeqCst) << 40))
    }

    /// SplitMix64, good enough for distinct values.
    fn next(&self) -> u64 {
        let mut bits = self.0.fetch_add(1, Ordering::SeqCst).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

impl Randomness for RepeatedChance {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }
}
