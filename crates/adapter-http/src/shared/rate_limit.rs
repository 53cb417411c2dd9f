//! The rate limit: one token bucket per caller and process.
//!
//! A bucket stores one number: the time at which the bucket is full again (generic cell rate algorithm). The
//! limit of a caller can change at any time, because an application's own limit is known only after the store
//! was queried. [`RateLimitCharge::set_limit`] then converts the number, so that the requests of the last
//! minute count against the new limit. Times come from the monotonic clock, so a change of the system clock
//! does not block a caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use moka::sync::Cache;
use payroll_domain::code::Reason;

use crate::shared::error::Failure;
use crate::shared::limits::{BUCKET_IDLE_TIME, MAX_BUCKETS};

/// The capacity of a bucket in microseconds of refill time. A full bucket allows the requests of one minute.
const BUCKET_CAPACITY_MICROS: i64 = 60_000_000;
/// The minimum time in microseconds between two reads of a rejected caller's limit from the store. A limit
/// that another process has raised takes effect within a second, and rejected requests cause few queries. If
/// this process has changed a limit, the limit is read immediately.
const LOOK_UP_INTERVAL_MICROS: i64 = 1_000_000;

impl From<RateLimitExceeded> for Failure {
    /// Converts the error to 429 API-429 with `Retry-After`.
    fn from(empty: RateLimitExceeded) -> Self {
        Self::from(Reason::TooManyRequests).with_retry_after(empty.retry_after_seconds)
    }
}

/// Counts the changes to applications by this process, through both APIs. After a change, a new limit applies
/// to a rejected caller immediately.
#[derive(Debug, Default)]
pub struct LimitChangeCounter(AtomicU64);

impl LimitChangeCounter {
    /// Counts one change to an application.
    pub(crate) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

static RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
static RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The token buckets of one server.
pub(crate) struct RateLimiter {
    default_per_minute: Option<u32>,
    buckets: Cache<String, Arc<TokenBucket>>,
}

/// The token bucket of one caller.
#[derive(Debug, Default)]
struct TokenBucket {
    /// The time at which the bucket is full again, in microseconds of the monotonic clock.
    full_at: AtomicI64,
    /// The caller's own limit at the last read; 0 if the caller has no own limit.
    own_per_minute: AtomicU32,
    /// The time at which a rejected caller's limit was last read from the storage.
    looked_up_at: AtomicI64,
    changes_at_look_up: AtomicU64,
}

/// The tokens that one request took from a bucket and that can be returned to the bucket.
#[derive(Debug, Clone)]
pub(crate) struct RateLimitCharge {
    bucket: Arc<TokenBucket>,
    default_per_minute: Option<u32>,
    /// The arrival time of the request, in microseconds of the monotonic clock.
    arrived_at: i64,
    /// The amount that was taken from the bucket, in microseconds of refill time.
    charged: i64,
}

/// The error for a caller whose bucket is empty.
#[derive(Debug)]
pub(crate) struct RateLimitExceeded {
    /// The seconds until the bucket contains a token again.
    pub(crate) retry_after_seconds: i64,
}

impl RateLimiter {
    /// Creates buckets for callers without their own limit. Each of these callers may send this number of
    /// requests per minute; `None` sets no limit.
    pub(crate) fn new(default_per_minute: Option<u32>) -> Self {
        let buckets = Cache::builder().max_capacity(MAX_BUCKETS).time_to_idle(BUCKET_IDLE_TIME).build();
        Self { default_per_minute, buckets }
    }

    /// Takes a token from the caller's bucket, if one is left.
    pub(crate) fn take_from_bucket(
        &self,
        caller: &str,
        now: Duration,
    ) -> (RateLimitCharge, Result<(), RateLimitExceeded>) {
        let bucket = match self.buckets.get(caller) {
            Some(bucket) => bucket,
            None => self.buckets.get_with_by_ref(caller, Arc::default),
        };
        let mut ticket = RateLimitCharge {
            bucket,
            default_per_minute: self.default_per_minute,
            arrived_at: to_micros(now),
            charged: 0,
        };
        let result = ticket.take_token();
        (ticket, result)
    }

    /// Verifies that a token is left for the caller, without taking it.
    pub(crate) fn check_limit(&self, caller: &str, now: Duration) -> Result<(), RateLimitExceeded> {
        let Some(bucket) = self.buckets.get(caller) else { return Ok(()) };
        let ticket = RateLimitCharge {
            bucket,
            default_per_minute: self.default_per_minute,
            arrived_at: to_micros(now),
            charged: 0,
        };
        let Some(limit) = ticket.per_minute() else { return Ok(()) };
        let full_at = ticket.bucket.full_at.load(Ordering::Relaxed);
        full_at_after_request(full_at, ticket.arrived_at, cost_micros(limit)).map(|_| ())
    }
}

impl RateLimitCharge {
    /// Stores the limit that is configured for this caller. The requests of the last minute, including the
    /// request that is being handled, then count against the new limit.
    pub(crate) fn set_limit(&self, own_per_minute: Option<u32>) {
        let own = own_per_minute.unwrap_or(0);
        let before = self.bucket.own_per_minute.swap(own, Ordering::Relaxed);
        if before == own {
            return;
        }
        let cost = self.effective_limit(own).map_or(0, cost_micros);
        let recount = |full_at: i64| {
            let used = (full_at - self.arrived_at).clamp(0, BUCKET_CAPACITY_MICROS);
            Some(match self.effective_limit(before).map(cost_micros) {
                // The new time keeps the number of requests that the caller has used up. `used` and `cost`
                // are at most one minute in microseconds, so their product does not overflow.
                Some(cost_before) => {
                    self.arrived_at + (used * cost / cost_before).min(BUCKET_CAPACITY_MICROS)
                }
                // Without a previous limit, the bucket did not count earlier requests. Only the request
                // that is being handled counts.
                None => self.arrived_at + cost,
            })
        };
        // `fetch_update` fails only if its closure returns `None`, and this closure always returns `Some`.
        let _ = self.bucket.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, recount);
    }

    /// Whether to read the limit of a rejected caller from the storage again. The result is `true` for one
    /// request after each change, and otherwise for one request per second.
    pub(crate) fn may_reread_limit(&self, changes: &LimitChangeCounter) -> bool {
        let changes = changes.0.load(Ordering::Relaxed);
        if self.bucket.changes_at_look_up.swap(changes, Ordering::Relaxed) != changes {
            return true;
        }
        let due = |last: i64| (self.arrived_at - last >= LOOK_UP_INTERVAL_MICROS).then_some(self.arrived_at);
        self.bucket.looked_up_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, due).is_ok()
    }

    /// Returns the tokens to the bucket. Call this function if the authentication of the caller failed.
    pub(crate) fn refund_tokens(&self) {
        self.bucket.full_at.fetch_sub(self.charged, Ordering::Relaxed);
    }

    /// Writes the headers `RateLimit` and `RateLimit-Policy` if there is a limit.
    pub(crate) fn write_headers(&self, headers: &mut HeaderMap, now: Duration) {
        let Some(limit) = self.per_minute() else { return };
        let used = (self.bucket.full_at.load(Ordering::Relaxed) - to_micros(now)).max(0);
        let left = (BUCKET_CAPACITY_MICROS - used).max(0) / cost_micros(limit);
        let full_in = ceil_seconds(used);
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

    /// Takes a token from the bucket, if one is left.
    pub(crate) fn take_token(&mut self) -> Result<(), RateLimitExceeded> {
        let Some(limit) = self.per_minute() else { return Ok(()) };
        let cost = cost_micros(limit);
        let take = |full_at: i64| full_at_after_request(full_at, self.arrived_at, cost).ok();
        match self.bucket.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(_) => {
                self.charged = cost;
                Ok(())
            }
            Err(full_at) => full_at_after_request(full_at, self.arrived_at, cost).map(|_| ()),
        }
    }

    fn per_minute(&self) -> Option<u32> {
        self.effective_limit(self.bucket.own_per_minute.load(Ordering::Relaxed))
    }

    /// Returns the limit for a caller whose own limit is `own_per_minute`, where 0 means the default. `None`
    /// means no limit.
    const fn effective_limit(&self, own_per_minute: u32) -> Option<u32> {
        match own_per_minute {
            0 => self.default_per_minute,
            own => Some(own),
        }
    }
}

/// Returns the time at which the bucket is full again after one more request.
fn full_at_after_request(full_at: i64, now: i64, interval: i64) -> Result<i64, RateLimitExceeded> {
    let after = full_at.max(now) + interval;
    let wait = after - now - BUCKET_CAPACITY_MICROS;
    if wait > 0 { Err(RateLimitExceeded { retry_after_seconds: ceil_seconds(wait) }) } else { Ok(after) }
}

fn to_micros(moment: Duration) -> i64 {
    i64::try_from(moment.as_micros()).unwrap_or(i64::MAX)
}

/// Returns the number of microseconds by which each request delays the time at which the bucket is full. The
/// minimum is 1, so a limit above one request per microsecond is not enforced exactly.
fn cost_micros(per_minute: u32) -> i64 {
    (BUCKET_CAPACITY_MICROS / i64::from(per_minute.max(1))).max(1)
}

/// Converts microseconds to seconds, rounded up.
const fn ceil_seconds(micros: i64) -> i64 {
    micros.saturating_add(999_999).div_euclid(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(7);

    fn after_seconds(seconds: u64) -> Duration {
        START + Duration::from_secs(seconds)
    }

    #[test]
    fn a_burst_up_to_the_limit_is_accepted_and_then_single_requests() {
        let limiter = RateLimiter::new(Some(3));
        for _ in 0..3 {
            assert!(limiter.take_from_bucket("a", START).1.is_ok());
        }
        assert_eq!(limiter.take_from_bucket("a", START).1.unwrap_err().retry_after_seconds, 20);
        assert!(limiter.take_from_bucket("b", START).1.is_ok(), "another caller has a bucket of its own");
        assert!(limiter.take_from_bucket("a", after_seconds(19)).1.is_err());
        assert!(limiter.take_from_bucket("a", after_seconds(20)).1.is_ok());
        assert!(limiter.take_from_bucket("a", after_seconds(20)).1.is_err());
    }

    #[test]
    fn a_separate_limit_applies_from_the_first_request() {
        let limiter = RateLimiter::new(None);
        let (first, _) = limiter.take_from_bucket("a", START);
        first.set_limit(Some(2));
        assert!(limiter.take_from_bucket("a", START).1.is_ok());
        assert!(limiter.take_from_bucket("a", START).1.is_err());
    }

    #[test]
    fn earlier_requests_count_against_a_new_limit() {
        for (before, after, left) in [(4, 8, 4), (4, 2, 0), (u32::MAX, 1, 0)] {
            let limiter = RateLimiter::new(Some(before));
            for _ in 0..4 {
                assert!(limiter.take_from_bucket("a", START).1.is_ok());
            }
            limiter.take_from_bucket("a", START).0.set_limit(Some(after));
            let passed = (0..10).filter(|_| limiter.take_from_bucket("a", START).1.is_ok()).count();
            assert_eq!(passed, left, "{before} {after}");
        }
    }

    #[test]
    fn a_rejected_caller_causes_few_reads_of_the_limit() {
        let (limiter, changes) = (RateLimiter::new(Some(1)), LimitChangeCounter::default());
        let looks =
            |seconds| limiter.take_from_bucket("a", after_seconds(seconds)).0.may_reread_limit(&changes);
        assert_eq!([looks(0), looks(0), looks(1), looks(1)], [true, false, true, false]);
        changes.increment();
        assert_eq!([looks(1), looks(1)], [true, false]);
    }

    #[test]
    fn the_largest_limit_causes_no_division_by_zero() {
        let (ticket, result) = RateLimiter::new(Some(u32::MAX)).take_from_bucket("a", START);
        let mut headers = HeaderMap::new();
        ticket.write_headers(&mut headers, START);
        assert!(result.is_ok() && headers.contains_key("RateLimit"));
    }

    #[test]
    fn refunded_tokens_can_be_used_again() {
        let limiter = RateLimiter::new(Some(1));
        limiter.take_from_bucket("a", START).0.refund_tokens();
        assert!(limiter.take_from_bucket("a", START).1.is_ok());
        assert!(limiter.take_from_bucket("a", START).1.is_err());
    }

    #[test]
    fn check_limit_takes_no_token_and_reports_an_empty_bucket() {
        let limiter = RateLimiter::new(Some(1));
        assert!(limiter.check_limit("a", START).is_ok() && limiter.check_limit("a", START).is_ok());
        assert!(limiter.take_from_bucket("a", START).1.is_ok());
        assert_eq!(limiter.check_limit("a", START).unwrap_err().retry_after_seconds, 60);
        assert!(limiter.check_limit("a", after_seconds(60)).is_ok());
        assert!(RateLimiter::new(None).check_limit("a", START).is_ok());
    }

    #[test]
    fn the_headers_report_the_remaining_requests() {
        let (ticket, _) = RateLimiter::new(Some(60)).take_from_bucket("a", START);
        let mut headers = HeaderMap::new();
        ticket.write_headers(&mut headers, START);
        assert_eq!(headers.get("RateLimit").unwrap(), "\"minute\";r=59;t=1");
        assert_eq!(headers.get("RateLimit-Policy").unwrap(), "\"minute\";q=60;w=60");
    }
}
