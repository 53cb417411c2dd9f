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

/// Runs work on a connection of a store, by one of the ways of its `Db` (`read`, `write`, …), and returns
/// its outcome. The work gets clones of the arguments that are named, since it may be done by another
/// thread: `on_connection!(self.read, |conn, caller| hooks_of(conn, &caller))`.
macro_rules! on_connection {
    ($store:ident.$way:ident, |$conn:ident $(, $argument:ident)*| $work:expr) => {{
        $(let $argument = $argument.to_owned();)*
        $store.db.$way(move |$conn| Box::pin(async move { $work.await })).await
    }};
}
pub(crate) use on_connection;
