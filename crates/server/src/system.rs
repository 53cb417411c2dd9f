//! The clock and randomness of the machine. No other module reads the system's clock or its randomness.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use payroll_domain::date::Timestamp;
use payroll_ports::{Clock, Randomness};

/// The instant at which the monotonic time of this process is zero.
#[expect(clippy::disallowed_methods, reason = "this is the clock that everything else is given")]
static PROCESS_START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else is given")]
    fn now(&self) -> Timestamp {
        // A time before 1970 means that the machine's clock is wrong. Such a time is treated as 1970, and no
        // token is valid at that time.
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_1970.as_micros()).unwrap_or(i64::MAX))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else is given")]
    fn monotonic_time(&self) -> Duration {
        PROCESS_START.elapsed()
    }
}

/// The randomness of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    #[expect(clippy::disallowed_methods, reason = "this is the randomness that everything else is given")]
    fn fill_with_random_bytes(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            // The process is aborted, because a server that continues with predictable secrets would be
            // worse than a stopped server.
            tracing::error!(%error, "the operating system gives no randomness; stopping at once");
            std::process::abort();
        }
    }
}

/// The file with the accounts of the machine.
const ACCOUNTS_FILE: &str = "/etc/passwd";

/// Returns the account that runs this process: its name, or its number if it has no name. Environment
/// variables are not trusted, because any user can set them.
#[must_use]
pub fn current_account_name() -> String {
    let number = rustix::process::getuid().as_raw();
    let accounts = std::fs::read_to_string(ACCOUNTS_FILE).unwrap_or_default();
    find_account_name(&accounts, number).unwrap_or_else(|| format!("account {number}"))
}

/// Returns the name of the account with this number. `accounts` is the content of [`ACCOUNTS_FILE`].
fn find_account_name(accounts: &str, number: u32) -> Option<String> {
    let of_number = |line: &&str| line.split(':').nth(2).and_then(|field| field.parse().ok()) == Some(number);
    let name = accounts.lines().find(of_number)?.split(':').next()?;
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_account_with_its_number() {
        let accounts = "root:x:0:0:root:/root:/bin/sh\nbroken\nann:x:1000:0::/home/ann:/bin/sh\n:x:7::::\n";
        assert_eq!(find_account_name(accounts, 1000).as_deref(), Some("ann"));
        assert_eq!((find_account_name(accounts, 7), find_account_name(accounts, 8)), (None, None));
        assert!(!current_account_name().is_empty());
    }
}
