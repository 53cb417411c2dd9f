//! What the connections of either database do, as metrics.

use payroll_ports::metrics::{Metric, real};

/// How many connections there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Connections {
    /// The most that there may be.
    pub(crate) most: usize,
    pub(crate) used: usize,
    pub(crate) idle: usize,
    /// Units of work that wait for one.
    pub(crate) waiting: usize,
}

impl Connections {
    pub(crate) fn metrics(self) -> [Metric; 4] {
        const CONNECTIONS: &str = "Connections of this process to its database.";
        const MOST: &str = "The most connections that there may be.";
        const WAITING: &str = "Units of work that wait for a connection.";
        let level = |name, meaning, count| {
            Metric::level(name, meaning, real(u64::try_from(count).unwrap_or(u64::MAX)))
        };
        [
            level("payroll_database_connections", CONNECTIONS, self.used).with("state", "used"),
            level("payroll_database_connections", CONNECTIONS, self.idle).with("state", "idle"),
            level("payroll_database_connections_max", MOST, self.most),
            level("payroll_database_waiting", WAITING, self.waiting),
        ]
    }
}
