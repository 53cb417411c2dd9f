//! The machine's clock and randomness: the only place that reads either.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use payroll_domain::date::Timestamp;
use payroll_ports::{Clock, Randomness};

/// What the monotonic readings of this process count from.
#[expect(clippy::disallowed_methods, reason = "this is the clock that everything else is given")]
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else is given")]
    fn now(&self) -> Timestamp {
        // A clock before 1970 is a broken one; the beginning of time makes every token invalid.
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_1970.as_micros()).unwrap_or(i64::MAX))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else is given")]
    fn monotonic(&self) -> Duration {
        BEGINNING.elapsed()
    }
}

/// The randomness of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    #[expect(clippy::disallowed_methods, reason = "this is the randomness that everything else is given")]
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            // A secret that can be guessed is worse than a server that is down.
            tracing::error!(%error, "the operating system gives no randomness; stopping at once");
            std::process::abort();
        }
    }
}
