//! Requests by the minute, of the last hour and of this process, for who looks at a chart and keeps no
//! metrics elsewhere. There is a place for each minute of an hour, which the same minute of the next hour
//! takes over; so they take the same memory however many requests come, and a request only adds to numbers.
//! Of requests that end together at the turn of a minute a few may be left out.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use actix_web::http::StatusCode;
use payroll_domain::date::Timestamp;

/// Minutes that are kept, with the one that goes on.
const KEPT: usize = 61;
const MICROS_OF_A_MINUTE: i64 = 60 * 1_000_000;

/// The requests of the last hour.
pub(crate) struct Minutes {
    places: [Place; KEPT],
}

/// The requests of a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Minute {
    /// When it began.
    pub(crate) begin: Timestamp,
    /// All of them.
    pub(crate) requests: u64,
    /// Those that were answered 4xx.
    pub(crate) refused: u64,
    /// Those that were answered 5xx.
    pub(crate) failed: u64,
}

#[derive(Default)]
struct Place {
    /// Since 1970.
    minute: AtomicI64,
    requests: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
}

impl Default for Minutes {
    fn default() -> Self {
        Self { places: std::array::from_fn(|_| Place::default()) }
    }
}

impl Minutes {
    /// A request was answered that came at that instant.
    pub(crate) fn note(&self, at: Timestamp, status: StatusCode) {
        let minute = minute_of(at);
        let Some(place) = self.place(minute) else { return };
        let stood = place.minute.load(Ordering::Acquire);
        // A request that took so long that its place is another minute's has no place any more.
        if stood > minute {
            return;
        }
        if stood < minute
            && place.minute.compare_exchange(stood, minute, Ordering::AcqRel, Ordering::Acquire).is_ok()
        {
            for number in [&place.requests, &place.refused, &place.failed] {
                number.store(0, Ordering::Release);
            }
        }
        place.requests.fetch_add(1, Ordering::AcqRel);
        if status.is_client_error() {
            place.refused.fetch_add(1, Ordering::AcqRel);
        }
        if status.is_server_error() {
            place.failed.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Those of the hour before that instant in which there was any request, the oldest first.
    pub(crate) fn before(&self, now: Timestamp) -> Vec<Minute> {
        let last = minute_of(now);
        let first = last - (KEPT as i64 - 1);
        let read = |minute: i64| {
            let place = self.place(minute)?;
            let number = |number: &AtomicU64| number.load(Ordering::Acquire);
            let is_its = place.minute.load(Ordering::Acquire) == minute && number(&place.requests) > 0;
            is_its.then(|| Minute {
                begin: Timestamp::from_micros(minute * MICROS_OF_A_MINUTE),
                requests: number(&place.requests),
                refused: number(&place.refused),
                failed: number(&place.failed),
            })
        };
        (first..=last).filter_map(read).collect()
    }

    fn place(&self, minute: i64) -> Option<&Place> {
        usize::try_from(minute.rem_euclid(KEPT as i64)).ok().and_then(|place| self.places.get(place))
    }
}

const fn minute_of(at: Timestamp) -> i64 {
    at.as_micros().div_euclid(MICROS_OF_A_MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_micros(1_778_544_000_000_000).plus_seconds(minute * 60 + 59)
    }

    fn counts(minutes: &Minutes, now: i64) -> Vec<(u64, u64, u64)> {
        minutes.before(at(now)).iter().map(|it| (it.requests, it.refused, it.failed)).collect()
    }

    #[test]
    fn an_hour_is_kept_by_the_minute() {
        let minutes = Minutes::default();
        for (minute, status) in [(0, 200), (0, 404), (1, 503), (1, 201), (60, 200)] {
            minutes.note(at(minute), StatusCode::from_u16(status).unwrap());
        }
        assert_eq!(counts(&minutes, 60), [(2, 1, 0), (2, 0, 1), (1, 0, 0)]);
        assert_eq!(counts(&minutes, 61), [(2, 0, 1), (1, 0, 0)], "the first is more than an hour ago");
        minutes.note(at(61), StatusCode::OK);
        assert_eq!(counts(&minutes, 61), [(2, 0, 1), (1, 0, 0), (1, 0, 0)], "in the place of the first");
        minutes.note(at(0), StatusCode::OK);
        assert_eq!(counts(&minutes, 61).len(), 3, "what comes too late has no place");
        assert_eq!(counts(&minutes, 1000), []);
    }

    #[test]
    fn a_minute_begins_where_it_does() {
        let minutes = Minutes::default();
        minutes.note(at(3), StatusCode::OK);
        assert_eq!(minutes.before(at(3)).first().map(|it| it.begin), Some(at(2).plus_seconds(1)));
    }
}
