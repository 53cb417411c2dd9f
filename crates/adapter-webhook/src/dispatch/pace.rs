//! How many deliveries of one hook are in progress at a time: more to a receiver that takes them
//! quickly, fewer to one that is slow, one to one that is dead.

use std::time::Duration;

/// What a hook begins with: little harm if no receiver responds, and four responses later it has 64.
const BEGINNING: usize = 4;
/// An attempt that ends within this time is quick.
const QUICK: Duration = Duration::from_secs(1);
/// What a receiver keeps that takes notifications, however slowly.
const SLOW: usize = 8;
/// Deliveries that are claimed ahead for each one in progress, so that none waits for the next claim.
const AHEAD: usize = 3;
/// The least that is claimed ahead where attempts end quickly, well or not: a dead receiver with a
/// large backlog would cost a claim for each attempt otherwise.
const MIN_AHEAD: usize = 12;
/// The most that are claimed ahead for one hook: what 64 in progress send in 14 ms at 14,000 a second,
/// which is longer than a claim takes.
pub(super) const MAX_AHEAD: usize = 200;

/// The pace of one hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pace {
    /// Deliveries that may be in progress.
    pub(super) allowed: usize,
    /// The last attempt was quick and went well, or there was none.
    pub(super) quick: bool,
    /// The last attempt has ended quickly, well or not.
    brisk: bool,
}

impl Pace {
    /// That of a hook that nothing is known of.
    pub(super) fn new(limit: usize) -> Self {
        Self { allowed: BEGINNING.min(limit), quick: true, brisk: true }
    }

    /// That after one more attempt.
    pub(super) fn after(self, success: bool, took: Duration, limit: usize) -> Self {
        let quick = took < QUICK;
        let allowed = match (success, quick) {
            (true, true) => self.allowed * 2,
            (true, false) if self.allowed > SLOW => (self.allowed / 2).max(SLOW),
            (true, false) => (self.allowed + 1).min(SLOW),
            (false, true) => self.allowed / 2,
            (false, false) => 1,
        };
        Self { allowed: allowed.clamp(1, limit.max(1)), quick: success && quick, brisk: quick }
    }

    /// How many may be claimed ahead of those in progress.
    pub(super) fn ahead(self) -> usize {
        if self.brisk { (self.allowed * AHEAD).clamp(MIN_AHEAD, MAX_AHEAD) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_AHEAD, Pace};
    use std::time::Duration;

    const LIMIT: usize = 64;
    /// Whether it went well, and after how many milliseconds.
    type Ended = (bool, u64);
    const OK: Ended = (true, 20);
    const SLOW_OK: Ended = (true, 5_000);
    const REFUSED: Ended = (false, 3);
    const TIMED_OUT: Ended = (false, 15_000);

    fn after(attempts: &[Ended]) -> Pace {
        let begin = Pace::new(LIMIT);
        attempts
            .iter()
            .fold(begin, |pace, (success, took)| pace.after(*success, Duration::from_millis(*took), LIMIT))
    }

    #[test]
    fn the_pace_follows_how_a_receiver_does() {
        let cases: &[(&[Ended], usize, usize)] = &[
            (&[], 4, 12),
            (&[OK], 8, 24),
            (&[OK, OK, OK, OK], 64, 192),
            (&[OK, OK, OK, OK, OK], 64, 192),
            (&[OK, OK, OK, OK, SLOW_OK], 32, 0),
            (&[OK, OK, OK, OK, SLOW_OK, SLOW_OK, SLOW_OK, SLOW_OK], 8, 0),
            (&[SLOW_OK], 5, 0),
            (&[SLOW_OK; 20], 8, 0),
            (&[REFUSED], 2, 12),
            (&[REFUSED; 9], 1, 12),
            (&[OK, OK, OK, OK, TIMED_OUT], 1, 0),
            (&[TIMED_OUT, OK], 2, 12),
            (&[TIMED_OUT, OK, OK, OK, OK, OK, OK], 64, 192),
        ];
        for (attempts, allowed, ahead) in cases {
            let pace = after(attempts);
            assert_eq!((pace.allowed, pace.ahead()), (*allowed, *ahead), "{attempts:?}");
        }
    }

    #[test]
    fn a_limit_below_the_beginning_holds() {
        let pace = Pace::new(2);
        assert_eq!(pace.allowed, 2);
        assert_eq!(pace.after(true, Duration::ZERO, 2).allowed, 2);
    }

    #[test]
    fn no_hook_has_more_than_the_most_claimed_ahead() {
        assert_eq!(Pace { allowed: 1_000, quick: true, brisk: true }.ahead(), MAX_AHEAD);
    }
}
