//! Metrics of the process: its start time and its memory.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use payroll_ports::metrics::{Metric, to_f64};

/// Returns the metrics of the process.
pub(super) fn metrics() -> Vec<Metric> {
    let started = Metric::gauge(
        "process_start_time_seconds",
        "Start time of the process, in seconds since 1970.",
        start_seconds(),
    );
    let memory = resident_bytes().map(|bytes| {
        Metric::gauge(
            "process_resident_memory_bytes",
            "Resident memory of the process, in bytes.",
            to_f64(bytes),
        )
    });
    [Some(started), memory].into_iter().flatten().collect()
}

/// Returns the start time in seconds since 1970. The system clock is used, because monitoring compares the
/// time with other machines.
#[expect(clippy::disallowed_methods, reason = "the time of the machine is the requested value")]
fn start_seconds() -> f64 {
    static STARTED: OnceLock<f64> = OnceLock::new();
    *STARTED.get_or_init(|| {
        let age = age_seconds().unwrap_or_default();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        (now - age).max(0.0)
    })
}

/// Returns the age of the process in seconds; `None` if the system has no `/proc`.
fn age_seconds() -> Option<f64> {
    /// The number of clock ticks per second, the unit of times in `/proc`. The number is the same on every
    /// Linux.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the process name in parentheses, which may contain spaces. Parsing therefore
    // starts after the closing parenthesis.
    let started: f64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Some((uptime - started / TICKS_PER_SECOND).max(0.0))
}

/// Returns the resident memory in bytes; `None` if the system does not report it.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
