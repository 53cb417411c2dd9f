//! Retries of failed attempts, and their limits.
//!
//! An attempt is repeated after status 429 or 503, after a timeout, and after a broken connection. An
//! attempt is also repeated after status 409 with `Retry-After`. This response means that the first request
//! with the same `Idempotency-Key` is still in progress.
//!
//! The client waits for the server's `Retry-After`. Without this header, the maximum wait grows from
//! [`FIRST_DELAY`] to [`MAX_DELAY`]. A random part of each wait prevents clients from retrying at the same
//! moment.
//!
//! A `POST` has an `Idempotency-Key`, so the server processes the request once. A `PATCH` has no such key.
//! A failed `PATCH` is repeated only if the server cannot have processed it.

use std::time::{Duration, SystemTime};

use crate::error::Error;

/// The default number of attempts for a request. Three retries with their waits take long enough for a server
/// to restart.
pub const DEFAULT_ATTEMPTS: u32 = 4;

/// The maximum number of attempts that a client accepts. More attempts would only add load to a server that
/// is in trouble.
pub const MAX_ATTEMPTS: u32 = 10;

/// The maximum wait after the first failed attempt. The maximum doubles with each further attempt. The actual
/// wait is random, and at least half of the maximum.
pub const FIRST_DELAY: Duration = Duration::from_millis(500);

/// The maximum wait between two attempts if the server does not send `Retry-After`.
pub const MAX_DELAY: Duration = Duration::from_secs(8);

/// The maximum `Retry-After` for which the client waits. If the server sends a longer time, the client
/// returns the error at once. The error contains that time.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The maximum number of attempts of a request, and the conditions for another attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryPolicy {
    pub(crate) attempts: u32,
    pub(crate) first_delay: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: DEFAULT_ATTEMPTS, first_delay: FIRST_DELAY }
    }
}

/// Whether the client may repeat a request that the server has perhaps already executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetrySafety {
    /// A second execution changes nothing: the request is a read or a deletion, or it has an idempotency key.
    Safe,
    /// A second execution could change the data again.
    Unsafe,
}

impl RetryPolicy {
    /// Returns the wait before the next attempt, or `None` if the error is final. The random number `random`
    /// varies the wait, so that clients do not retry at the same moment.
    pub(crate) fn retry_delay(
        &self,
        attempt: u32,
        error: &Error,
        repetition: RetrySafety,
        random: u64,
    ) -> Option<Duration> {
        if attempt >= self.attempts.min(MAX_ATTEMPTS) || !may_retry(error, repetition) {
            return None;
        }
        match error.rejection().and_then(|it| it.retry_after) {
            Some(wait) if wait > MAX_RETRY_AFTER => None,
            Some(wait) => Some(wait.saturating_add(random_delay(self.first_delay, random))),
            None => {
                let doubled = 1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
                let full = self.first_delay.saturating_mul(doubled).min(MAX_DELAY);
                let half = full.checked_div(2).unwrap_or(full);
                Some(half.saturating_add(random_delay(half, random)))
            }
        }
    }
}

/// Returns whether another attempt can succeed and does no harm.
fn may_retry(error: &Error, repetition: RetrySafety) -> bool {
    let is_safe = repetition == RetrySafety::Safe;
    match error {
        Error::Connect(_) => true,
        Error::Connection(_) | Error::Timeout => is_safe,
        Error::Rejected(rejection) => match rejection.status {
            429 => true,
            503 => is_safe,
            // Status 409 with `Retry-After` means that the first request with this idempotency key is still
            // running.
            409 => is_safe && rejection.retry_after.is_some(),
            _ => false,
        },
        Error::PartlyRejected(_) | Error::Response(_) | Error::Invalid(_) => false,
    }
}

/// Returns a random duration, at most as long as `interval`.
fn random_delay(interval: Duration, random: u64) -> Duration {
    let millis = u64::try_from(interval.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(random.checked_rem(millis.saturating_add(1)).unwrap_or_default())
}

/// Reads the value of `Retry-After`: a number of seconds, or a date.
pub(crate) fn parse_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}
