//! Limits the number of concurrent deliveries to one hook. The limit doubles while the receiver accepts
//! deliveries quickly. For a receiver that accepts slowly, the limit moves to 8 step by step. A quick
//! failure halves the limit. A slow failure, for example of a receiver that does not respond, sets the
//! limit to 1.

use std::time::Duration;

/// The initial limit of concurrent deliveries. A low limit causes little load if the receiver does not
/// respond. After four quick successes, the limit has grown to 64.
const INITIAL_LIMIT: usize = 4;
/// The maximum duration of a quick attempt.
const MAX_QUICK_DURATION: Duration = Duration::from_secs(1);
/// The limit of concurrent deliveries that a receiver reaches if it accepts slowly.
const SLOW_RECEIVER_LIMIT: usize = 8;
/// The number of deliveries to claim in advance for each attempt in progress, so that no attempt has to wait
/// for the next claim.
const PREFETCH_FACTOR: usize = 3;
/// The minimum number of deliveries to claim in advance if attempts end quickly. Without this minimum, a
/// receiver that fails quickly would need one claim per attempt.
const MIN_PREFETCH_COUNT: usize = 12;
/// The maximum number of deliveries to claim in advance for one hook. At 14,000 deliveries per second, these
/// deliveries last for 14 ms. A claim takes less time.
pub(super) const MAX_PREFETCH_COUNT: usize = 200;

/// The concurrency limit of one hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConcurrencyLimit {
    /// The maximum number of concurrent deliveries.
    pub(super) limit: usize,
    /// Whether the last attempt succeeded quickly. The value is `true` before the first attempt.
    pub(super) last_was_quick: bool,
    /// Whether the last attempt ended quickly, with success or failure.
    last_ended_quickly: bool,
}

impl ConcurrencyLimit {
    /// Creates the limit for a hook without previous attempts.
    pub(super) fn new(limit: usize) -> Self {
        Self { limit: INITIAL_LIMIT.min(limit), last_was_quick: true, last_ended_quickly: true }
    }

    /// Returns the limit after the end of an attempt. The parameter `limit` is the configured maximum of the
    /// limit.
    pub(super) fn adjust_after_attempt(self, success: bool, duration: Duration, limit: usize) -> Self {
        let quick = duration < MAX_QUICK_DURATION;
        let allowed = match (success, quick) {
            (true, true) => self.limit * 2,
            (true, false) if self.limit > SLOW_RECEIVER_LIMIT => (self.limit / 2).max(SLOW_RECEIVER_LIMIT),
            (true, false) => (self.limit + 1).min(SLOW_RECEIVER_LIMIT),
            (false, true) => self.limit / 2,
            (false, false) => 1,
        };
        Self {
            limit: allowed.clamp(1, limit.max(1)),
            last_was_quick: success && quick,
            last_ended_quickly: quick,
        }
    }

    /// Returns the number of deliveries to claim in addition to the deliveries in progress.
    pub(super) fn prefetch_count(self) -> usize {
        if self.last_ended_quickly {
            (self.limit * PREFETCH_FACTOR).clamp(MIN_PREFETCH_COUNT, MAX_PREFETCH_COUNT)
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ConcurrencyLimit, MAX_PREFETCH_COUNT};
    use std::time::Duration;

    const MAX_LIMIT: usize = 64;
    /// Whether an attempt succeeded, and its duration in milliseconds.
    type AttemptResult = (bool, u64);
    const FAST_SUCCESS: AttemptResult = (true, 20);
    const SLOW_SUCCESS: AttemptResult = (true, 5_000);
    const FAST_FAILURE: AttemptResult = (false, 3);
    const TIMEOUT_FAILURE: AttemptResult = (false, 15_000);

    fn adjust_after_attempts(attempts: &[AttemptResult]) -> ConcurrencyLimit {
        let begin = ConcurrencyLimit::new(MAX_LIMIT);
        attempts.iter().fold(begin, |pace, (success, took)| {
            pace.adjust_after_attempt(*success, Duration::from_millis(*took), MAX_LIMIT)
        })
    }

    #[test]
    fn the_limit_adjusts_to_the_results_of_attempts() {
        let cases: &[(&[AttemptResult], usize, usize)] = &[
            (&[], 4, 12),
            (&[FAST_SUCCESS], 8, 24),
            (&[FAST_SUCCESS, FAST_SUCCESS, FAST_SUCCESS, FAST_SUCCESS], 64, 192),
            (&[FAST_SUCCESS, FAST_SUCCESS, FAST_SUCCESS, FAST_SUCCESS, FAST_SUCCESS], 64, 192),
            (&[FAST_SUCCESS, FAST_SUCCESS, FAST_SUCCESS, FAST_SUCCESS, SLOW_SUCCESS], 32, 0),
            (
                &[
                    FAST_SUCCESS,
                    FAST_SUCCESS,
                    FAST_SUCCESS,
                    FAST_SUCCESS,
                    SLOW_SUCCESS,
                    SLOW_SUCCESS,
                    SLOW_SUCCESS,
                    SLOW_SUCCESS,
                ],
                8,
                0,
            ),
            (&[SLOW_SUCCESS], 5, 0),
            (&[SLOW_SUCCESS; 20], 8, 0),
            (&[FAST_FAILURE], 2, 12),
            (&[FAST_FAILURE; 9], 1, 12),
            (&[FAST_SUCCESS, FAST_SUCCESS, FAST_SUCCESS, FAST_SUCCESS, TIMEOUT_FAILURE], 1, 0),
            (&[TIMEOUT_FAILURE, FAST_SUCCESS], 2, 12),
            (
                &[
                    TIMEOUT_FAILURE,
                    FAST_SUCCESS,
                    FAST_SUCCESS,
                    FAST_SUCCESS,
                    FAST_SUCCESS,
                    FAST_SUCCESS,
                    FAST_SUCCESS,
                ],
                64,
                192,
            ),
        ];
        for (attempts, allowed, ahead) in cases {
            let pace = adjust_after_attempts(attempts);
            assert_eq!((pace.limit, pace.prefetch_count()), (*allowed, *ahead), "{attempts:?}");
        }
    }

    #[test]
    fn a_maximum_below_the_initial_limit_applies() {
        let pace = ConcurrencyLimit::new(2);
        assert_eq!(pace.limit, 2);
        assert_eq!(pace.adjust_after_attempt(true, Duration::ZERO, 2).limit, 2);
    }

    #[test]
    fn no_hook_claims_more_than_the_maximum() {
        assert_eq!(
            ConcurrencyLimit { limit: 1_000, last_was_quick: true, last_ended_quickly: true }
                .prefetch_count(),
            MAX_PREFETCH_COUNT
        );
    }
}
