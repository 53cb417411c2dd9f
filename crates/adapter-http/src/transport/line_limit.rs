//! A limit on the log lines that any client can cause.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The maximum number of log lines per second about invalid requests. This number is enough to identify the
/// clients, but too few lines to fill a disk.
const MAX_LINES_A_SECOND: u32 = 10;

/// Permits a limited number of lines per second, and counts the omitted lines.
#[derive(Debug, Default)]
pub(crate) struct LineLimit(Mutex<LineWindow>);

#[derive(Debug, Default)]
struct LineWindow {
    /// The second in which `lines` were logged.
    second: u64,
    lines: u32,
    /// The number of lines that were omitted since the last logged line.
    omitted_lines: u64,
}

impl LineLimit {
    /// Decides whether a line may be logged now. If so, returns the number of lines that were omitted since
    /// the last logged line; otherwise `None`.
    pub(crate) fn count_line_to_log(&self, now: Duration) -> Option<u64> {
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if window.second != now.as_secs() {
            (window.second, window.lines) = (now.as_secs(), 0);
        }
        if window.lines >= MAX_LINES_A_SECOND {
            window.omitted_lines += 1;
            return None;
        }
        window.lines += 1;
        Some(std::mem::take(&mut window.omitted_lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_over_the_limit_are_counted_and_reported_later() {
        let limit = LineLimit::default();
        let at = |millis| limit.count_line_to_log(Duration::from_millis(millis));
        for _ in 0..MAX_LINES_A_SECOND {
            assert_eq!(at(1_000), Some(0));
        }
        assert_eq!((at(1_500), at(1_999)), (None, None));
        assert_eq!((at(2_000), at(2_000)), (Some(2), Some(0)));
    }
}
