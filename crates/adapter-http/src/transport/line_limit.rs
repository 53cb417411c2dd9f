//! A limit on the log lines that any client can cause.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Lines a second about what was no request: enough to see who sends what, and no way to fill a disk.
const MAX_LINES_A_SECOND: u32 = 10;

/// Lets a limited number of lines through in each second, and counts the others.
#[derive(Debug, Default)]
pub(crate) struct LineLimit(Mutex<Window>);

#[derive(Debug, Default)]
struct Window {
    /// The second that is counted.
    second: u64,
    lines: u32,
    /// Since the last line.
    left_out: u64,
}

impl LineLimit {
    /// Whether there may be a line now; if so, how many were left out since the last one.
    pub(crate) fn admit(&self, now: Duration) -> Option<u64> {
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if window.second != now.as_secs() {
            (window.second, window.lines) = (now.as_secs(), 0);
        }
        if window.lines >= MAX_LINES_A_SECOND {
            window.left_out += 1;
            return None;
        }
        window.lines += 1;
        Some(std::mem::take(&mut window.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_those_of_a_second_are_counted_and_told_with_the_next() {
        let limit = LineLimit::default();
        let at = |millis| limit.admit(Duration::from_millis(millis));
        for _ in 0..MAX_LINES_A_SECOND {
            assert_eq!(at(1_000), Some(0));
        }
        assert_eq!((at(1_500), at(1_999)), (None, None));
        assert_eq!((at(2_000), at(2_000)), (Some(2), Some(0)));
    }
}
