//! The interface between the transport and the code that handles requests.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{Payload, Request};
use actix_web::HttpResponse;
use actix_web::http::header::HeaderName;
use payroll_domain::date::Timestamp;
use payroll_domain::violation::Violation;

use crate::transport::connection::state::ConnectionState;
use crate::transport::connections::{ConnectionGuard, ConnectionRegistry};
use crate::transport::memory::MemoryBudget;

/// Handles the requests of a listener.
pub(crate) trait RequestHandler: Send + Sync + 'static {
    /// Returns the settings and counters that the connections of the listener use.
    fn host(&self) -> Arc<dyn ConnectionHost>;

    /// Handles a request. Every failure is converted to a response.
    async fn handle(
        self: Arc<Self>,
        request: Request,
        payload: Payload,
        connection: Rc<ConnectionState>,
    ) -> HttpResponse;
}

/// The settings and counters that connections use.
pub(crate) trait ConnectionHost: Send + Sync {
    fn settings(&self) -> ConnectionSettings;

    /// Whether the server is stopping. Responses then close their connections.
    fn is_stopping(&self) -> bool;

    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Returns the name of the header with the request id, which every response contains.
    fn request_id_header(&self) -> &HeaderName;

    /// Logs and counts an invalid request and returns its response.
    fn create_rejection(&self, fault: Violation) -> Rejection;

    /// Counts a new connection.
    fn count_opened_connection(&self);

    /// Counts the end of a connection.
    fn count_closed_connection(&self);

    /// Counts connections that were evicted for a new connection.
    fn count_evicted_connections(&self, count: usize);

    /// Whether the address belongs to a trusted proxy. All clients of a proxy share this address, so it is
    /// exempt from the limit per address.
    fn is_trusted_proxy(&self, address: IpAddr) -> bool;

    /// Returns the memory budget for requests and responses.
    fn memory_budget(&self) -> &Arc<MemoryBudget>;
}

/// The response to an invalid request, with the id of the request.
pub(crate) struct Rejection {
    pub(crate) request_id: String,
    pub(crate) response: HttpResponse,
}

/// The time limits of connections and their maximum number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionSettings {
    /// The time limit for the head of a request (request line and headers), from its first byte. For the
    /// first request, the time starts with the connection.
    pub(crate) head_timeout: Duration,
    /// The time limit for receiving the complete body of a request.
    pub(crate) body_timeout: Duration,
    /// The time limit for requests in progress when the server stops.
    pub(crate) shutdown_timeout: Duration,
    /// The time limit between two requests.
    pub(crate) keep_alive: Duration,
    /// The maximum number of connections.
    pub(crate) max_connections: usize,
    /// The maximum number of connections from one address.
    pub(crate) max_connections_per_address: usize,
    /// The number of threads; `None` means one per processor.
    pub(crate) workers: Option<usize>,
}

impl ConnectionSettings {
    /// Returns the time limit for a client that does not read its response.
    pub(crate) fn write_timeout(&self) -> Duration {
        self.head_timeout + self.body_timeout + self.shutdown_timeout
    }
}

/// Counts a connection as open until this value is dropped.
pub(crate) struct OpenConnection {
    host: Arc<dyn ConnectionHost>,
    /// Registers the connection as open until the connection has ended.
    pub(crate) guard: Rc<ConnectionGuard>,
}

impl OpenConnection {
    /// Registers a new connection, and evicts another connection if necessary.
    pub(crate) fn new(
        host: Arc<dyn ConnectionHost>,
        connections: &Arc<ConnectionRegistry>,
        peer: Option<SocketAddr>,
    ) -> Self {
        let address = peer.map(|peer| peer.ip().to_canonical()).filter(|it| !host.is_trusted_proxy(*it));
        let (place, evicted) = connections.register_connection(address);
        host.count_opened_connection();
        host.count_evicted_connections(evicted);
        Self { host, guard: Rc::new(place) }
    }

    /// Evicts the connection that has waited longest for a body. Returns whether a connection was evicted.
    pub(crate) fn evict_waiting_connection(&self) -> bool {
        let has_room = self.guard.evict_longest_waiting_for_body();
        self.host.count_evicted_connections(usize::from(has_room));
        has_room
    }

    pub(crate) fn host(&self) -> &dyn ConnectionHost {
        self.host.as_ref()
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.host.count_closed_connection();
    }
}
