//! The time limits for waiting for the database file.

use std::time::Duration;

use tokio::time::Instant;

use super::errors::is_busy;

/// The maximum time that a caller waits for a connection or the writer. After this time the caller gets
/// status 503.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(5);
/// The interval between two attempts to get the lock. The interval is much shorter than the pauses of a
/// writer. An attempt takes some microseconds.
pub(super) const RETRY_INTERVAL: Duration = Duration::from_millis(2);

/// Sets up a connection. If another process is creating the file or its log, SQLite fails immediately,
/// regardless of the busy timeout. This function therefore retries the setup for a short time.
#[expect(
    clippy::disallowed_methods,
    reason = "it happens at the start of several processes at once, and ends soon"
)]
pub(super) fn retry_setup_while_busy<T>(
    mut set_up: impl FnMut() -> diesel::QueryResult<T>,
) -> diesel::QueryResult<T> {
    let since = Instant::now();
    loop {
        match set_up() {
            Err(error) if is_busy(&error) && since.elapsed() < MAX_WAIT => std::thread::sleep(RETRY_INTERVAL),
            ended => return ended,
        }
    }
}
