//! Logs why the storage is unavailable, at most once per minute and cause. The metrics count all rejected
//! requests.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use payroll_ports::StoreError;
use tokio::time::Instant;

/// The time between two log lines about the same cause.
const MIN_LOG_INTERVAL: Duration = Duration::from_secs(60);
/// The maximum number of distinct causes that are logged per minute. Usually there are only a few causes.
/// Causes whose texts contain numbers could be numerous and fill the log.
const MAX_REMEMBERED_CAUSES: usize = 16;

/// The causes that were logged within the last minute.
static LOGGED_LINES: Mutex<Vec<LoggedLine>> = Mutex::new(Vec::new());

struct LoggedLine {
    cause: String,
    logged_at: Instant,
    /// The number of log lines about this cause that were suppressed since the last logged line.
    suppressed_lines: u64,
}

/// Logs the reason for which a request was rejected, unless the same reason was logged within the last
/// minute.
pub(crate) fn log_unavailable(request_id: &str, error: &StoreError) {
    if let Some(more) = take_suppressed_count(error.to_string().as_str()) {
        tracing::error!(request_id, %error, more, "the storage is unavailable");
    }
}

/// Logs why a batch of requests was not written to the request log, unless the same cause was logged within
/// the last minute.
pub(crate) fn log_unwritten_requests(max_requests: usize, error: &StoreError) {
    if let Some(more) =
        take_suppressed_count(&format!("requests could not be stored in the request log: {error}"))
    {
        tracing::warn!(%error, max_requests, more, "requests could not be stored in the request log");
    }
}

fn take_suppressed_count(line: &str) -> Option<u64> {
    let mut logged = LOGGED_LINES.lock().unwrap_or_else(PoisonError::into_inner);
    take_suppressed_count_from(&mut logged, line, Instant::now())
}

/// Decides whether to log a cause. If so, returns the number of suppressed lines, else `None`. A new cause
/// is not logged if [`MAX_REMEMBERED_CAUSES`] other causes were logged within the last minute.
fn take_suppressed_count_from(lines: &mut Vec<LoggedLine>, cause: &str, now: Instant) -> Option<u64> {
    if let Some(line) = lines.iter_mut().find(|line| line.cause == cause) {
        if now.saturating_duration_since(line.logged_at) < MIN_LOG_INTERVAL {
            line.suppressed_lines = line.suppressed_lines.saturating_add(1);
            return None;
        }
        line.logged_at = now;
        return Some(std::mem::take(&mut line.suppressed_lines));
    }
    lines.retain(|line| now.saturating_duration_since(line.logged_at) < MIN_LOG_INTERVAL);
    if lines.len() >= MAX_REMEMBERED_CAUSES {
        return None;
    }
    lines.push(LoggedLine { cause: cause.to_owned(), logged_at: now, suppressed_lines: 0 });
    Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_of_an_outage_is_logged_once_a_minute_with_its_count() {
        let (mut logged, now) = (Vec::new(), Instant::now());
        assert_eq!(take_suppressed_count_from(&mut logged, "full", now), Some(0));
        assert_eq!(take_suppressed_count_from(&mut logged, "full", now), None);
        assert_eq!(take_suppressed_count_from(&mut logged, "gone", now), Some(0));
        assert_eq!(take_suppressed_count_from(&mut logged, "full", now + MIN_LOG_INTERVAL), Some(1));
        assert_eq!(take_suppressed_count_from(&mut logged, "full", now + MIN_LOG_INTERVAL), None);
    }

    #[test]
    fn the_number_of_logged_outage_causes_is_limited() {
        let (mut logged, now) = (Vec::new(), Instant::now());
        let lines =
            (0..100).filter_map(|number| take_suppressed_count_from(&mut logged, &number.to_string(), now));
        assert_eq!(lines.count(), MAX_REMEMBERED_CAUSES);
        assert_eq!(take_suppressed_count_from(&mut logged, "new", now + MIN_LOG_INTERVAL), Some(0));
    }
}
