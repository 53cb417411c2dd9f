//! What an operator may set about the loop.

use std::time::Duration;

use payroll_domain::delivery::RetryPolicy;

/// What an operator may set about the loop.
#[derive(Debug, Clone, Copy)]
pub struct DispatchSettings {
    /// The retry interval, and the time after which a hook is disabled.
    pub retry: RetryPolicy,
    /// Notifications in progress at the same time.
    pub in_flight: usize,
    /// Those of one hook that takes them quickly.
    pub in_flight_per_hook: usize,
    /// Those to one host.
    pub connections_per_host: usize,
    /// Seconds for which a claim holds.
    pub claim_seconds: u32,
    /// How often the queue is polled for deliveries of which no notification came.
    pub poll: Duration,
    /// How long attempts in progress may take to end when the loop is stopped.
    pub shutdown_timeout: Duration,
}
