//! Counts per minute for the last hour of this process, for charts without a metrics database. Each minute
//! has a slot, which is reused about an hour later. The memory is therefore constant, and counting needs only
//! atomic additions. When a slot is reused, a few concurrent counts may be lost.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use payroll_domain::date::Timestamp;

/// The number of minutes whose counts are stored, including the current minute.
const SLOT_COUNT: usize = 61;
const MICROS_PER_MINUTE: i64 = 60 * 1_000_000;

/// The counts of `N` counters in the last hour.
#[derive(Debug)]
pub struct LastHourCounts<const N: usize> {
    slots: [MinuteSlot<N>; SLOT_COUNT],
}

/// The counts of all counters in one minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinuteCounts<const N: usize> {
    /// The start of the minute.
    pub begin: Timestamp,
    /// The values of the counters in this minute.
    pub counts: [u64; N],
}

#[derive(Debug)]
struct MinuteSlot<const N: usize> {
    /// The number of the minute since 1970.
    minute: AtomicI64,
    counts: [AtomicU64; N],
}

impl<const N: usize> Default for LastHourCounts<N> {
    fn default() -> Self {
        let slot =
            |_| MinuteSlot { minute: AtomicI64::new(0), counts: std::array::from_fn(|_| AtomicU64::new(0)) };
        Self { slots: std::array::from_fn(slot) }
    }
}

impl<const N: usize> LastHourCounts<N> {
    /// For the minute of the instant `at`, adds one to each counter whose element in `counted` is `true`.
    pub fn increment(&self, at: Timestamp, counted: [bool; N]) {
        let minute = minute_number(at);
        let Some(slot) = self.slot(minute) else { return };
        let stood = slot.minute.load(Ordering::Acquire);
        // Each slot stores one minute. A later minute already uses the slot, so the late count is discarded.
        if stood > minute {
            return;
        }
        if stood < minute
            && slot.minute.compare_exchange(stood, minute, Ordering::AcqRel, Ordering::Acquire).is_ok()
        {
            for count in &slot.counts {
                count.store(0, Ordering::Release);
            }
        }
        for (count, _) in slot.counts.iter().zip(counted).filter(|(_, counted)| *counted) {
            count.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Returns the minutes with counts in the hour before the instant `now`, oldest first.
    pub fn counts_of_last_hour(&self, now: Timestamp) -> Vec<MinuteCounts<N>> {
        let last = minute_number(now);
        let first = last - (SLOT_COUNT as i64 - 1);
        let read = |minute: i64| {
            let slot = self.slot(minute)?;
            let counts = std::array::from_fn(|at| {
                slot.counts.get(at).map_or(0, |count| count.load(Ordering::Acquire))
            });
            let is_its = slot.minute.load(Ordering::Acquire) == minute && counts != [0; N];
            let begin = Timestamp::from_micros(minute * MICROS_PER_MINUTE);
            is_its.then_some(MinuteCounts { begin, counts })
        };
        (first..=last).filter_map(read).collect()
    }

    fn slot(&self, minute: i64) -> Option<&MinuteSlot<N>> {
        usize::try_from(minute.rem_euclid(SLOT_COUNT as i64)).ok().and_then(|slot| self.slots.get(slot))
    }
}

const fn minute_number(at: Timestamp) -> i64 {
    at.as_micros().div_euclid(MICROS_PER_MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant_at_minute(minute: i64) -> Timestamp {
        Timestamp::from_micros(1_778_544_000_000_000).plus_seconds(minute * 60 + 59)
    }

    fn read_counts(minutes: &LastHourCounts<2>, now: i64) -> Vec<[u64; 2]> {
        minutes.counts_of_last_hour(instant_at_minute(now)).iter().map(|it| it.counts).collect()
    }

    #[test]
    fn keeps_an_hour_of_counts_per_minute() {
        let minutes = LastHourCounts::default();
        for (minute, failed) in [(0, false), (0, true), (1, true), (1, false), (60, false)] {
            minutes.increment(instant_at_minute(minute), [true, failed]);
        }
        assert_eq!(read_counts(&minutes, 60), [[2, 1], [2, 1], [1, 0]]);
        assert_eq!(read_counts(&minutes, 61), [[2, 1], [1, 0]], "the first is more than an hour ago");
        minutes.increment(instant_at_minute(61), [true, false]);
        assert_eq!(read_counts(&minutes, 61), [[2, 1], [1, 0], [1, 0]], "in the place of the first");
        minutes.increment(instant_at_minute(0), [true, false]);
        assert_eq!(read_counts(&minutes, 61).len(), 3, "what comes too late has no place");
        assert!(read_counts(&minutes, 1000).is_empty());
    }

    #[test]
    fn the_counts_of_a_minute_start_at_second_zero() {
        let minutes = LastHourCounts::<1>::default();
        minutes.increment(instant_at_minute(3), [true]);
        assert_eq!(
            minutes.counts_of_last_hour(instant_at_minute(3)).first().map(|it| it.begin),
            Some(instant_at_minute(2).plus_seconds(1))
        );
    }
}
