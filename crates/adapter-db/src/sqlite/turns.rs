//! Taking turns with the writers of other processes on the same file.
//!
//! SQLite has no queue for its one writer: a process that finds it taken tries again. SQLite's own way of
//! waiting tries at growing intervals, up to a tenth of a second, so that a process that writes one
//! transaction after the other could keep all others out. Here a process that waits tries often, and one that
//! writes much leaves room now and then. Writers of the same process need none of this: their lane is a
//! queue.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::connection::Conn;
use super::patience::{RETRY, WAIT};
use crate::error::{Failure, Outcome};

/// How long the file is written to before room is left: what another process waits for at most,
/// if no single transaction takes longer.
const TURN: Duration = Duration::from_millis(100);
/// The least room: several tries of a process that waits, on a busy machine too.
const LEAST_ROOM: Duration = Duration::from_millis(8);
/// The room is this part of the time before it: what waited meanwhile gets through, and many
/// transactions take little longer than they would alone.
const PART: u32 = 12;

/// Begins a transaction that writes, as soon as no other process does.
#[expect(clippy::disallowed_methods, reason = "a unit of work has its thread for itself, until it ends")]
pub(super) fn begin(conn: &Conn) -> Outcome<()> {
    let since = Instant::now();
    while !conn.begin_immediate()? {
        if since.elapsed() >= WAIT {
            return Err(Failure::Unavailable("another process writes to the database".to_owned()));
        }
        std::thread::sleep(RETRY);
    }
    Ok(())
}

/// How long this process has written without leaving room.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn(Arc<Mutex<Duration>>);

impl Turn {
    /// Leaves room, if it is time, after a transaction that began then.
    pub(super) async fn end(&self, begun: Instant) {
        if let Some(room) = self.room_after(begun.elapsed()) {
            tokio::time::sleep(room).await;
        }
    }

    fn room_after(&self, written: Duration) -> Option<Duration> {
        let mut turn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *turn += written;
        if *turn < TURN {
            return None;
        }
        let turn = std::mem::take(&mut *turn);
        Some((turn / PART).max(LEAST_ROOM))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_left_when_a_turn_is_over_and_grows_with_it() {
        let turn = Turn::default();
        assert_eq!(turn.room_after(TURN / 2), None);
        assert_eq!(turn.room_after(TURN / 2), Some(TURN / PART));
        assert_eq!(turn.room_after(TURN / 2), None, "the next turn begins anew");
        assert!(turn.room_after(TURN * 10) > Some(TURN / 2));
    }
}
