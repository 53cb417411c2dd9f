//! The settings of the dispatcher loop.

use std::time::Duration;

use payroll_domain::delivery::RetryPolicy;

/// The settings of the dispatcher loop.
#[derive(Debug, Clone, Copy)]
pub struct DispatchSettings {
    /// The retry interval, and the time after which a hook is disabled.
    pub retry: RetryPolicy,
    /// The maximum number of notifications in progress.
    pub max_in_flight: usize,
    /// The maximum number of concurrent deliveries to one hook whose receiver accepts quickly.
    pub in_flight_per_hook: usize,
    /// The maximum number of concurrent deliveries to one host.
    pub connections_per_host: usize,
    /// The lifetime of a claim in seconds.
    pub claim_seconds: u32,
    /// The interval at which the queue is polled. Polling finds deliveries for which no signal arrived.
    pub poll_interval: Duration,
    /// The time limit for attempts in progress when the loop is stopped.
    pub shutdown_timeout: Duration,
}
