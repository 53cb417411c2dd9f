//! New ids that sort by creation, made from a time and randomness that are handed in.

use ulid::Ulid;

use crate::date::Timestamp;
use crate::id::Id;

/// Ids of one moment: 26 characters each, later ones sort after earlier ones.
///
/// The first 10 characters hold the time in milliseconds, the others 80 random bits that count up
/// within the sequence, so ids of other sequences of the same millisecond do not collide.
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
    /// Starts a sequence at a time, with 80 random bits. A time before 1970 counts as 1970.
    #[must_use]
    pub fn new(now: Timestamp, random: [u8; 10]) -> Self {
        let milliseconds = u64::try_from(now.as_micros() / 1_000).unwrap_or(0);
        let random = random.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
        Self { next: Ulid::from_parts(milliseconds, random) }
    }

    /// The next id.
    pub fn next_id<K>(&mut self) -> Id<K> {
        let id = Id::from_ulid(self.next);
        // At the very end of the random range the sequence goes on at its beginning.
        self.next = self.next.increment().unwrap_or_else(|start| start);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::PaycheckId;

    #[test]
    fn ids_of_a_sequence_differ_and_sort_even_where_the_random_bits_overflow() {
        let mut ids = IdSequence::new(Timestamp::from_micros(1), [0xff; 10]);
        let (one, two): (PaycheckId, PaycheckId) = (ids.next_id(), ids.next_id());
        assert_ne!(one, two);
        assert_eq!(one.as_str().len(), 26);
        assert!(PaycheckId::parse(one.as_str()).is_ok());
    }
}
