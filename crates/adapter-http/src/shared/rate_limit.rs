//! The rate limit: a token bucket per caller and process.
//!
//! A bucket is one number, the moment at which it is full again (the generic cell rate algorithm), so that a
//! limit can change while it is in use: which limit an application has is known only once the store was
//! queried. Moments are those of the monotonic clock: setting the clock of the machine locks no caller out.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use moka::sync::Cache;
use payroll_domain::code::Reason;

use crate::shared::error::Failure;
use crate::shared::limits::{BUCKET_IDLE, MAX_BUCKETS};

/// A bucket is as large as the requests of a minute.
const WINDOW_MICROS: i64 = 60_000_000;
/// The limit of a caller who is rejected is read from storage at most this often, unless this process
/// has changed one: a limit that another process has raised acts within a second, and a flood of rejected
/// requests costs storage next to nothing.
const LOOK_UP_MICROS: i64 = 1_000_000;

impl From<Empty> for Failure {
    /// 429 API-429.
    fn from(empty: Empty) -> Self {
        Self::from(Reason::TooManyRequests).retry_after(empty.retry_after_seconds)
    }
}

/// Counts the changes of applications that this process has stored, so that a caller who is rejected is
/// checked by its new limit at once. One for both sides.
#[derive(Debug, Default)]
pub struct LimitChanges(AtomicU64);

impl LimitChanges {
    /// An application was changed.
    pub(crate) fn one_more(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

static RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
static RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The buckets of one server.
pub(crate) struct RateLimiter {
    default_per_minute: Option<u32>,
    buckets: Cache<String, Arc<Bucket>>,
}

/// What is left to one caller.
#[derive(Debug, Default)]
struct Bucket {
    /// The moment at which it is full again, in microseconds of the monotonic clock.
    full_at: AtomicI64,
    /// The caller's own limit, as of the last read; 0: none.
    own_per_minute: AtomicU32,
    /// When the limit of a caller who was rejected was last read from storage, and after which change.
    looked_up_at: AtomicI64,
    looked_up_behind: AtomicU64,
}

/// One request's share of a bucket.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    bucket: Arc<Bucket>,
    default_per_minute: Option<u32>,
    /// When the request came, in microseconds of the monotonic clock.
    at: i64,
    /// What was taken out, in microseconds.
    taken: i64,
}

/// The bucket is empty.
#[derive(Debug)]
pub(crate) struct Empty {
    /// Seconds until there is something in it again.
    pub(crate) retry_after_seconds: i64,
}

impl RateLimiter {
    /// Buckets of that many requests per minute where a caller has no limit of its own; `None`: no
    /// limit.
    pub(crate) fn new(default_per_minute: Option<u32>) -> Self {
        let buckets = Cache::builder().max_capacity(MAX_BUCKETS).time_to_idle(BUCKET_IDLE).build();
        Self { default_per_minute, buckets }
    }

    /// Takes one request out of a caller's bucket, if there is one left in it.
    pub(crate) fn take(&self, caller: &str, now: Duration) -> (Ticket, Result<(), Empty>) {
        let bucket = match self.buckets.get(caller) {
            Some(bucket) => bucket,
            None => self.buckets.get_with_by_ref(caller, Arc::default),
        };
        let mut ticket =
            Ticket { bucket, default_per_minute: self.default_per_minute, at: micros(now), taken: 0 };
        let taken = ticket.take();
        (ticket, taken)
    }

    /// Whether a request of a caller could be taken out of its bucket; nothing is taken.
    pub(crate) fn look(&self, caller: &str, now: Duration) -> Result<(), Empty> {
        let Some(bucket) = self.buckets.get(caller) else { return Ok(()) };
        let ticket =
            Ticket { bucket, default_per_minute: self.default_per_minute, at: micros(now), taken: 0 };
        let Some(limit) = ticket.per_minute() else { return Ok(()) };
        let full_at = ticket.bucket.full_at.load(Ordering::Relaxed);
        after_one_more(full_at, ticket.at, cost_micros(limit)).map(|_| ())
    }
}

impl Ticket {
    /// Learns the limit that the caller has of its own, and counts by it the requests of the last minute,
    /// this one included.
    pub(crate) fn learn(&self, own_per_minute: Option<u32>) {
        let own = own_per_minute.unwrap_or(0);
        let before = self.bucket.own_per_minute.swap(own, Ordering::Relaxed);
        if before == own {
            return;
        }
        let cost = self.limit(own).map_or(0, cost_micros);
        let recount = |full_at: i64| {
            let used = (full_at - self.at).clamp(0, WINDOW_MICROS);
            Some(match self.limit(before).map(cost_micros) {
                // As many requests as before. Neither number is larger than a minute, so that the
                // product fits.
                Some(cost_before) => self.at + (used * cost / cost_before).min(WINDOW_MICROS),
                // Nothing was counted yet but this request.
                None => self.at + cost,
            })
        };
        // The closure always has an answer, so this cannot fail.
        let _ = self.bucket.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, recount);
    }

    /// Whether the limit of a caller that is rejected by the limit last read is to be read from storage again;
    /// true for one request after each change, and for one in a while.
    pub(crate) fn may_look_up(&self, changes: &LimitChanges) -> bool {
        let changes = changes.0.load(Ordering::Relaxed);
        if self.bucket.looked_up_behind.swap(changes, Ordering::Relaxed) != changes {
            return true;
        }
        let due = |last: i64| (self.at - last >= LOOK_UP_MICROS).then_some(self.at);
        self.bucket.looked_up_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, due).is_ok()
    }

    /// Puts back what was taken: the caller was not who it said it was.
    pub(crate) fn give_back(&self) {
        self.bucket.full_at.fetch_sub(self.taken, Ordering::Relaxed);
    }

    /// Says in `RateLimit` and `RateLimit-Policy` how much is left, if there is a limit.
    pub(crate) fn write_headers(&self, headers: &mut HeaderMap, now: Duration) {
        let Some(limit) = self.per_minute() else { return };
        let used = (self.bucket.full_at.load(Ordering::Relaxed) - micros(now)).max(0);
        let left = (WINDOW_MICROS - used).max(0) / cost_micros(limit);
        let full_in = seconds(used);
        let texts = [
            (&RATE_LIMIT, format!("\"minute\";r={left};t={full_in}")),
            (&RATE_LIMIT_POLICY, format!("\"minute\";q={limit};w=60")),
        ];
        for (name, text) in texts {
            if let Ok(value) = HeaderValue::try_from(text) {
                headers.insert(name.clone(), value);
            }
        }
    }

    /// Takes one request out of the bucket, if there is one left in it.
    pub(crate) fn take(&mut self) -> Result<(), Empty> {
        let Some(limit) = self.per_minute() else { return Ok(()) };
        let cost = cost_micros(limit);
        let take = |full_at: i64| after_one_more(full_at, self.at, cost).ok();
        match self.bucket.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(_) => {
                self.taken = cost;
                Ok(())
            }
            Err(full_at) => after_one_more(full_at, self.at, cost).map(|_| ()),
        }
    }

    fn per_minute(&self) -> Option<u32> {
        self.limit(self.bucket.own_per_minute.load(Ordering::Relaxed))
    }

    /// The limit that holds for a caller with that limit of its own; 0: with none.
    const fn limit(&self, own_per_minute: u32) -> Option<u32> {
        match own_per_minute {
            0 => self.default_per_minute,
            own => Some(own),
        }
    }
}

/// When a bucket is full again after one request more, if there is one left in it.
fn after_one_more(full_at: i64, now: i64, cost: i64) -> Result<i64, Empty> {
    let after = full_at.max(now) + cost;
    let wait = after - now - WINDOW_MICROS;
    if wait > 0 { Err(Empty { retry_after_seconds: seconds(wait) }) } else { Ok(after) }
}

fn micros(moment: Duration) -> i64 {
    i64::try_from(moment.as_micros()).unwrap_or(i64::MAX)
}

/// How much later a bucket is full for each request. A limit of more than one in a microsecond is
/// as good as none, and counts as that.
fn cost_micros(per_minute: u32) -> i64 {
    (WINDOW_MICROS / i64::from(per_minute.max(1))).max(1)
}

/// Full seconds, rounded up.
const fn seconds(micros: i64) -> i64 {
    micros.saturating_add(999_999).div_euclid(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(7);

    fn later(seconds: u64) -> Duration {
        START + Duration::from_secs(seconds)
    }

    #[test]
    fn as_many_requests_pass_at_once_as_the_limit_says_and_then_one_by_one() {
        let limiter = RateLimiter::new(Some(3));
        for _ in 0..3 {
            assert!(limiter.take("a", START).1.is_ok());
        }
        assert_eq!(limiter.take("a", START).1.unwrap_err().retry_after_seconds, 20);
        assert!(limiter.take("b", START).1.is_ok(), "another caller has a bucket of its own");
        assert!(limiter.take("a", later(19)).1.is_err());
        assert!(limiter.take("a", later(20)).1.is_ok());
        assert!(limiter.take("a", later(20)).1.is_err());
    }

    #[test]
    fn a_limit_of_its_own_holds_from_the_first_request_on() {
        let limiter = RateLimiter::new(None);
        let (first, _) = limiter.take("a", START);
        first.learn(Some(2));
        assert!(limiter.take("a", START).1.is_ok());
        assert!(limiter.take("a", START).1.is_err());
    }

    #[test]
    fn what_was_asked_before_counts_by_the_limit_that_is_learned() {
        for (before, after, left) in [(4, 8, 4), (4, 2, 0), (u32::MAX, 1, 0)] {
            let limiter = RateLimiter::new(Some(before));
            for _ in 0..4 {
                assert!(limiter.take("a", START).1.is_ok());
            }
            limiter.take("a", START).0.learn(Some(after));
            let passed = (0..10).filter(|_| limiter.take("a", START).1.is_ok()).count();
            assert_eq!(passed, left, "{before} {after}");
        }
    }

    #[test]
    fn a_caller_who_is_refused_has_storage_asked_once_in_a_while_and_behind_a_change() {
        let (limiter, changes) = (RateLimiter::new(Some(1)), LimitChanges::default());
        let looks = |seconds| limiter.take("a", later(seconds)).0.may_look_up(&changes);
        assert_eq!([looks(0), looks(0), looks(1), looks(1)], [true, false, true, false]);
        changes.one_more();
        assert_eq!([looks(1), looks(1)], [true, false]);
    }

    #[test]
    fn the_largest_limit_is_no_division_by_nothing() {
        let (ticket, taken) = RateLimiter::new(Some(u32::MAX)).take("a", START);
        let mut headers = HeaderMap::new();
        ticket.write_headers(&mut headers, START);
        assert!(taken.is_ok() && headers.contains_key("RateLimit"));
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let limiter = RateLimiter::new(Some(1));
        limiter.take("a", START).0.give_back();
        assert!(limiter.take("a", START).1.is_ok());
        assert!(limiter.take("a", START).1.is_err());
    }

    #[test]
    fn a_look_takes_nothing_and_tells_of_an_empty_bucket() {
        let limiter = RateLimiter::new(Some(1));
        assert!(limiter.look("a", START).is_ok() && limiter.look("a", START).is_ok());
        assert!(limiter.take("a", START).1.is_ok());
        assert_eq!(limiter.look("a", START).unwrap_err().retry_after_seconds, 60);
        assert!(limiter.look("a", later(60)).is_ok());
        assert!(RateLimiter::new(None).look("a", START).is_ok());
    }

    #[test]
    fn the_headers_say_what_is_left() {
        let (ticket, _) = RateLimiter::new(Some(60)).take("a", START);
        let mut headers = HeaderMap::new();
        ticket.write_headers(&mut headers, START);
        assert_eq!(headers.get("RateLimit").unwrap(), "\"minute\";r=59;t=1");
        assert_eq!(headers.get("RateLimit-Policy").unwrap(), "\"minute\";q=60;w=60");
    }
}
