//! Traits for time and randomness, so that a test can control both.

use std::pin::Pin;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_domain::id_sequence::IdSequence;

/// Provides two kinds of time. Use instants in UTC for texts that people read and for data that leaves the
/// process. Use monotonic time only for waiting and measuring.
pub trait Clock: Send + Sync {
    /// Returns the current instant in UTC. The instant may jump in both directions when the clock is set.
    fn now(&self) -> Timestamp;

    /// Returns the time since an arbitrary start. The start does not change during the life of the process.
    /// The returned time never goes back or jumps. The returned value has no meaning in another process.
    fn monotonic_time(&self) -> Duration;

    /// Completes when the clock is set to another time. A task that waits for an instant can then compare the
    /// time again. If the clock is never set, the future never completes.
    fn wait_until_set(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::pending())
    }
}

/// Provides cryptographically secure randomness.
pub trait Randomness: Send + Sync {
    /// Fills the bytes with random data.
    fn fill_with_random_bytes(&self, bytes: &mut [u8]);
}

/// Creates a sequence of new ids that sort by the time of their creation.
pub fn id_sequence(clock: &dyn Clock, randomness: &dyn Randomness) -> IdSequence {
    let mut random = [0; 10];
    randomness.fill_with_random_bytes(&mut random);
    IdSequence::new(clock.now(), random)
}

/// Creates a UUID of version 4, in lower case.
pub fn new_uuid(randomness: &dyn Randomness) -> String {
    let mut bytes = [0; 16];
    randomness.fill_with_random_bytes(&mut bytes);
    let random = u128::from_be_bytes(bytes);
    let bits = random & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let digits = format!("{bits:032x}");
    let groups = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
    groups.map(|(from, to)| digits.get(from..to).unwrap_or_default()).join("-")
}
