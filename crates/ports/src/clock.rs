//! Time and chance, as arguments: a test moves the one and fixes the other.

use payroll_domain::date::Timestamp;
use payroll_domain::id_sequence::IdSequence;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The present instant, UTC.
    fn now(&self) -> Timestamp;
}

/// Gives randomness that nobody can guess.
pub trait Randomness: Send + Sync {
    /// Fills the bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// A sequence of new ids that sort by creation.
pub fn id_sequence(clock: &dyn Clock, randomness: &dyn Randomness) -> IdSequence {
    let mut random = [0; 10];
    randomness.fill(&mut random);
    IdSequence::new(clock.now(), random)
}
