//! Creates ids that sort by the time of their creation. The caller supplies the time and the randomness.

use ulid::Ulid;

use crate::date::Timestamp;
use crate::id::Id;

/// A sequence of ids of 26 characters each. Ids that are created later sort after earlier ones.
///
/// The first 10 characters encode the time in milliseconds. The other 16 characters encode 80 random bits
/// that are incremented within the sequence. Because of these bits, ids of two sequences in the same
/// millisecond do not collide.
///
/// ```
/// use payroll_domain::{date::Timestamp, id::PaycheckId, id_sequence::IdSequence};
/// let mut ids = IdSequence::new(Timestamp::from_micros(1_785_199_045_149_000), [7; 10]);
/// let (first, second): (PaycheckId, PaycheckId) = (ids.next_id(), ids.next_id());
/// assert!(first < second);
/// ```
#[derive(Debug)]
pub struct IdSequence {
    next: Ulid,
}

impl IdSequence {
    /// Starts a sequence at a time, with 80 random bits. A time before 1970 is treated as 1970.
    #[must_use]
    pub fn new(now: Timestamp, random: [u8; 10]) -> Self {
        let milliseconds = u64::try_from(now.as_micros() / 1_000).unwrap_or(0);
        let random = random.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
        Self { next: Ulid::from_parts(milliseconds, random) }
    }

    /// Returns the next id of the sequence.
    pub fn next_id<K>(&mut self) -> Id<K> {
        let id = Id::from_ulid(self.next);
        // After the last value of the random range, the sequence continues with the first one.
        self.next = self.next.increment().unwrap_or_else(|start| start);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::PaycheckId;

    #[test]
    fn ids_stay_distinct_and_sorted_when_the_random_bits_overflow() {
        let mut ids = IdSequence::new(Timestamp::from_micros(1), [0xff; 10]);
        let (one, two): (PaycheckId, PaycheckId) = (ids.next_id(), ids.next_id());
        assert_ne!(one, two);
        assert_eq!(one.as_str().len(), 26);
        assert!(PaycheckId::parse(one.as_str()).is_ok());
    }
}
