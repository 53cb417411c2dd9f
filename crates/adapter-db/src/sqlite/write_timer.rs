//! Lets writers of other processes use the same file in turn.
//!
//! SQLite has no queue for its single writer: a process that finds the file locked tries again. SQLite's own
//! busy handler tries at growing intervals of up to a tenth of a second. A process with many consecutive
//! transactions could therefore block all other processes. With this module, a waiting process tries every
//! few milliseconds, and a process that writes a lot pauses regularly. Writers of the same process wait in a
//! queue instead.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::connection::Conn;
use super::patience::{MAX_WAIT, RETRY_INTERVAL};
use crate::error::{Failure, Outcome};

/// The time of consecutive writing before a pause. Another process waits at most for this time, unless a
/// single transaction takes longer.
const MAX_WRITE_TIME: Duration = Duration::from_millis(100);
/// The minimum pause. A waiting process can try several times to get the lock within this time, even on a
/// busy machine.
const MIN_PAUSE: Duration = Duration::from_millis(8);
/// The length of a pause is the writing time before the pause divided by this number, but at least
/// [`MIN_PAUSE`]. With this ratio, a series of transactions takes only a little longer because of the pauses.
const PAUSE_DIVISOR: u32 = 12;

/// Begins a write transaction as soon as no other process is writing.
#[expect(clippy::disallowed_methods, reason = "a unit of work has its thread for itself, until it ends")]
pub(super) fn begin_write_transaction(conn: &Conn) -> Outcome<()> {
    let since = Instant::now();
    while !conn.begin_immediate()? {
        if since.elapsed() >= MAX_WAIT {
            return Err(Failure::Unavailable("another process writes to the database".to_owned()));
        }
        std::thread::sleep(RETRY_INTERVAL);
    }
    Ok(())
}

/// Measures the time for which this process has written without a pause.
#[derive(Debug, Clone, Default)]
pub(super) struct WriteTimer(Arc<Mutex<Duration>>);

impl WriteTimer {
    /// Records that a transaction has run since `started`. If the process has then written for
    /// `MAX_WRITE_TIME`, the method pauses.
    pub(super) async fn record_and_pause(&self, started: Instant) {
        if let Some(room) = self.calculate_pause(started.elapsed()) {
            tokio::time::sleep(room).await;
        }
    }

    fn calculate_pause(&self, written: Duration) -> Option<Duration> {
        let mut turn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *turn += written;
        if *turn < MAX_WRITE_TIME {
            return None;
        }
        let turn = std::mem::take(&mut *turn);
        Some((turn / PAUSE_DIVISOR).max(MIN_PAUSE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_in_proportion_to_the_time_of_writes() {
        let turn = WriteTimer::default();
        assert_eq!(turn.calculate_pause(MAX_WRITE_TIME / 2), None);
        assert_eq!(turn.calculate_pause(MAX_WRITE_TIME / 2), Some(MAX_WRITE_TIME / PAUSE_DIVISOR));
        assert_eq!(turn.calculate_pause(MAX_WRITE_TIME / 2), None, "the next turn begins anew");
        assert!(turn.calculate_pause(MAX_WRITE_TIME * 10) > Some(MAX_WRITE_TIME / 2));
    }
}
