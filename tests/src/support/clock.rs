//! The clock and the random numbers of the application under test. The test moves the clock, and the random
//! numbers are reproducible.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::{Clock, Randomness};

/// The time at which every test starts: 2026-05-12T12:00:00Z.
pub(crate) const START_TIME: Timestamp = Timestamp::from_micros(1_778_587_200_000_000);

/// A clock that moves only if a test moves it.
#[derive(Debug)]
pub(crate) struct ManualClock {
    /// The system time in microseconds since 1970.
    wall: AtomicI64,
    /// The monotonic time in microseconds.
    passed: AtomicU64,
}

impl ManualClock {
    pub(crate) fn new() -> Self {
        Self { wall: AtomicI64::new(START_TIME.as_micros()), passed: AtomicU64::new(0) }
    }

    /// Advances the system time and the monotonic time by this number of seconds.
    pub(crate) fn advance_seconds(&self, seconds: i64) {
        let passed = u64::try_from(seconds).expect("time passes forwards; `step_seconds` sets the clock");
        self.passed.fetch_add(passed * 1_000_000, Ordering::SeqCst);
        self.step_seconds(seconds);
    }

    /// Changes only the system time by this number of seconds, like a person who sets the clock. The
    /// monotonic time stays unchanged.
    pub(crate) fn step_seconds(&self, seconds: i64) {
        self.wall.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    /// Advances the clock by a millisecond, so that later objects have later ids.
    pub(crate) fn advance_one_millisecond(&self) {
        self.passed.fetch_add(1_000, Ordering::SeqCst);
        self.wall.fetch_add(1_000, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.wall.load(Ordering::SeqCst))
    }

    fn monotonic_time(&self) -> Duration {
        Duration::from_micros(self.passed.load(Ordering::SeqCst))
    }
}

/// A generator of pseudo-random numbers. A test gets the same numbers in each run. Different servers get
/// different numbers.
#[derive(Debug)]
pub(crate) struct RepeatableRandomness(AtomicU64);

/// The number of servers so far. Each server starts its random numbers at another value, so that no two
/// servers generate the same id.
static SERVER_COUNT: AtomicU64 = AtomicU64::new(1);

impl RepeatableRandomness {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(SERVER_COUNT.fetch_add(1, Ordering::SeqCst) << 40))
    }

    /// Returns the next number of SplitMix64. This generator is sufficient because the tests only need
    /// different values.
    fn next(&self) -> u64 {
        let mut bits = self.0.fetch_add(1, Ordering::SeqCst).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

impl Randomness for RepeatableRandomness {
    fn fill_with_random_bytes(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }
}
