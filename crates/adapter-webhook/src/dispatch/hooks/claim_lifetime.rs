//! The lifetime of claims, and the part of the lifetime in which an attempt may start.

use std::time::Duration;

/// The lifetime of claims, and the part of the lifetime in which an attempt may start.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct ClaimLifetime {
    /// The time until a claim expires.
    pub(in super::super) claim_duration: Duration,
    /// The time after the claim within which an attempt may start.
    pub(in super::super) start_window: Duration,
}

impl ClaimLifetime {
    /// Computes the lifetime of a claim and the time in which an attempt may start. `attempt` is the
    /// maximum duration of an attempt. An attempt may only start in the first half of the claim's lifetime.
    /// The attempt must also end at least a second before the claim expires.
    pub(in super::super) fn new(claim_seconds: u32, attempt: Duration) -> Self {
        let (holds, second) = (Duration::from_secs(claim_seconds.into()), Duration::from_secs(1));
        let usable = (holds / 2).min(holds.saturating_sub(attempt + second)).max(second);
        Self { claim_duration: holds, start_window: usable }
    }
}
