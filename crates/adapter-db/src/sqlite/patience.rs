//! How long one waits for the file.

use std::time::Duration;

use tokio::time::Instant;

use super::errors::is_busy;

/// How long a caller waits for a connection or for the writer before it gets 503.
pub(super) const WAIT: Duration = Duration::from_secs(5);
/// Between two tries: a small part of the room that is left, and a try costs some microseconds.
pub(super) const RETRY: Duration = Duration::from_millis(2);

/// Sets a connection up, as soon as no other process makes the file or its log. SQLite rejects that at once,
/// regardless of the connection's busy timeout; it is over within moments.
#[expect(
    clippy::disallowed_methods,
    reason = "it happens at the start of several processes at once, and ends soon"
)]
pub(super) fn patiently<T>(mut set_up: impl FnMut() -> diesel::QueryResult<T>) -> diesel::QueryResult<T> {
    let since = Instant::now();
    loop {
        match set_up() {
            Err(error) if is_busy(&error) && since.elapsed() < WAIT => std::thread::sleep(RETRY),
            ended => return ended,
        }
    }
}
