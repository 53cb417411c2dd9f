//! Checkout of connections to the server of the address and to the nodes of a distributed database.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Object;

use super::Db;
use super::connection::Conn;
use super::pool::checkout;
use crate::connections::ConnectionCounts;
use crate::error::Outcome;

impl Db {
    /// Returns a handle on this database for work that concerns one company. If the database is distributed
    /// and this process connects to nodes, the work is sent to the company's node.
    ///
    /// The work must not store events, because events are only inserted on the coordinator.
    pub(crate) async fn route_to_node(&self, company_id: &str) -> Self {
        match &self.machines {
            Some(machines) => Self { node: machines.node_of_company(company_id).await, ..self.clone() },
            None => self.clone(),
        }
    }

    /// Borrows a connection for one unit of work: to the node of the company if a node is set, and otherwise
    /// to the server of the address.
    pub(super) async fn checkout_connection(&self) -> Outcome<Conn> {
        let at_node = match &self.node {
            Some(node) => node.checkout().await?,
            None => None,
        };
        match at_node {
            Some(object) => Ok(self.wrap_connection(object, true)),
            None => Ok(self.wrap_connection(checkout(&self.pool).await?, false)),
        }
    }

    fn wrap_connection(&self, object: Object<AsyncPgConnection>, is_at_node: bool) -> Conn {
        Conn {
            object: Some(object),
            is_at_node,
            reports: Arc::clone(&self.reports),
            process: self.process,
            begin_failed: AtomicBool::new(false),
            in_transaction: AtomicBool::new(false),
            queued: AtomicBool::new(false),
            commit_sent: AtomicBool::new(false),
        }
    }

    /// Returns the state of all connections of this process.
    pub(super) fn connection_counts(&self) -> ConnectionCounts {
        let mut connections = ConnectionCounts::default();
        let at_nodes = self.machines.as_ref().map(|machines| machines.pools()).unwrap_or_default();
        for pool in at_nodes.iter().chain([&self.pool]) {
            let status = pool.status();
            connections.max_connections += status.max_size;
            connections.used += status.size.saturating_sub(status.available);
            connections.idle += status.available;
            connections.waiting += status.waiting;
        }
        connections
    }
}
