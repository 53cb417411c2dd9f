//! The rate limit: a token bucket per caller and process.
//!
//! A bucket is one number, the instant at which it is full again (the generic cell rate
//! algorithm), so that a limit can change while it is in use: which limit an application has is
//! known only once the store was asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use moka::sync::Cache;
use payroll_domain::date::Timestamp;

use crate::limits::{BUCKET_IDLE, MAX_BUCKETS};

/// A bucket is as large as the requests of a minute.
const WINDOW_MICROS: i64 = 60_000_000;

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
    /// The instant at which it is full again, in microseconds since 1970.
    full_at: AtomicI64,
    /// The caller's own limit, as it was last heard of; 0: none.
    own_per_minute: AtomicU32,
}

/// One request's share of a bucket.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    bucket: Arc<Bucket>,
    default_per_minute: Option<u32>,
    /// When the request came, in microseconds since 1970.
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
    pub(crate) fn take(&self, caller: &str, now: Timestamp) -> (Ticket, Result<(), Empty>) {
        let bucket = match self.buckets.get(caller) {
            Some(bucket) => bucket,
            None => self.buckets.get_with_by_ref(caller, Arc::default),
        };
        let mut ticket =
            Ticket { bucket, default_per_minute: self.default_per_minute, at: now.as_micros(), taken: 0 };
        let taken = ticket.take();
        (ticket, taken)
    }
}

impl Ticket {
    /// Learns the limit that the caller has of its own, and counts this request by it.
    pub(crate) fn learn(&self, own_per_minute: Option<u32>) {
        let own = own_per_minute.unwrap_or(0);
        if self.bucket.own_per_minute.swap(own, Ordering::Relaxed) != own {
            let cost = self.per_minute().map_or(0, cost_micros);
            let recount = |full_at: i64| Some((full_at - self.taken).max(self.at) + cost);
            // The closure always has an answer, so this cannot fail.
            let _ = self.bucket.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, recount);
        }
    }

    /// Puts back what was taken: the caller was not who it said it was.
    pub(crate) fn give_back(&self) {
        self.bucket.full_at.fetch_sub(self.taken, Ordering::Relaxed);
    }

    /// Says in `RateLimit` and `RateLimit-Policy` how much is left, if there is a limit.
    pub(crate) fn write_headers(&self, headers: &mut HeaderMap, now: Timestamp) {
        let Some(limit) = self.per_minute() else { return };
        let used = (self.bucket.full_at.load(Ordering::Relaxed) - now.as_micros()).max(0);
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

    fn take(&mut self) -> Result<(), Empty> {
        let Some(limit) = self.per_minute() else { return Ok(()) };
        let now = self.at;
        let cost = cost_micros(limit);
        let take = |full_at: i64| {
            let after = full_at.max(now) + cost;
            (after - now <= WINDOW_MICROS).then_some(after)
        };
        match self.bucket.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(_) => {
                self.taken = cost;
                Ok(())
            }
            Err(full_at) => {
                let wait = full_at + cost - now - WINDOW_MICROS;
                Err(Empty { retry_after_seconds: seconds(wait) })
            }
        }
    }

    fn per_minute(&self) -> Option<u32> {
        match self.bucket.own_per_minute.load(Ordering::Relaxed) {
            0 => self.default_per_minute,
            own => Some(own),
        }
    }
}

/// How much later a bucket is full for each request. A limit of more than one in a microsecond is
/// as good as none, and counts as that.
fn cost_micros(per_minute: u32) -> i64 {
    (WINDOW_MICROS / i64::from(per_minute.max(1))).max(1)
}

/// Whole seconds, rounded up.
const fn seconds(micros: i64) -> i64 {
    micros.saturating_add(999_999).div_euclid(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_micros(1_785_199_045_000_000);

    #[test]
    fn as_many_requests_pass_at_once_as_the_limit_says_and_then_one_by_one() {
        let limiter = RateLimiter::new(Some(3));
        for _ in 0..3 {
            assert!(limiter.take("a", START).1.is_ok());
        }
        assert_eq!(limiter.take("a", START).1.unwrap_err().retry_after_seconds, 20);
        assert!(limiter.take("b", START).1.is_ok(), "another caller has a bucket of its own");
        assert!(limiter.take("a", START.plus_seconds(19)).1.is_err());
        assert!(limiter.take("a", START.plus_seconds(20)).1.is_ok());
        assert!(limiter.take("a", START.plus_seconds(20)).1.is_err());
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
    fn the_headers_say_what_is_left() {
        let (ticket, _) = RateLimiter::new(Some(60)).take("a", START);
        let mut headers = HeaderMap::new();
        ticket.write_headers(&mut headers, START);
        assert_eq!(headers.get("RateLimit").unwrap(), "\"minute\";r=59;t=1");
        assert_eq!(headers.get("RateLimit-Policy").unwrap(), "\"minute\";q=60;w=60");
    }
}
