//! Borrowing of connections to the server of the address and to the nodes of a distributed database.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Db;
use super::connection::Conn;
use super::pool::{Lent, Unlent};
use crate::connections::Connections;
use crate::error::Outcome;

impl Db {
    /// The same database for work about one company that stores no event. On a distributed database, the work
    /// is sent to the node of the company, if this process connects to nodes.
    pub(crate) async fn near(&self, company_id: &str) -> Self {
        match &self.machines {
            Some(machines) => Self { node: machines.of_company(company_id).await, ..self.clone() },
            None => self.clone(),
        }
    }

    /// Borrows a connection for one unit of work: to its node, or else to the server of the address.
    pub(super) async fn take(&self) -> Outcome<Conn> {
        let at_node = match &self.node {
            Some(node) => node.lend().await?,
            None => None,
        };
        match at_node {
            Some(lent) => Ok(self.conn(lent, true)),
            None => Ok(self.conn(self.pool.lend().await.map_err(Unlent::into_failure)?, false)),
        }
    }

    fn conn(&self, lent: Lent, is_at_node: bool) -> Conn {
        Conn {
            lent,
            is_at_node,
            reports: Arc::clone(&self.reports),
            process: self.process,
            refused: AtomicBool::new(false),
            open: AtomicBool::new(false),
            queued: AtomicBool::new(false),
            sealed: AtomicBool::new(false),
        }
    }

    /// The state of all connections of this process.
    pub(super) fn connections(&self) -> Connections {
        let mut connections = Connections::default();
        let at_nodes = self.machines.as_ref().map(|machines| machines.pools()).unwrap_or_default();
        for pool in at_nodes.iter().chain([&self.pool]) {
            let state = pool.state();
            connections.most += state.most;
            connections.used += state.used;
            connections.idle += state.idle;
            connections.waiting += state.waiting;
        }
        connections
    }
}
