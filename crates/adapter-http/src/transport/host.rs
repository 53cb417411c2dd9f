//! What handles the requests of a listener, as the transport sees it.

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
use crate::transport::connections::{Connections, Place};
use crate::transport::memory::MemoryBudget;

/// The application that handles the requests of a listener.
pub(crate) trait RequestHandler: Send + Sync + 'static {
    /// Further needs of its connections.
    fn host(&self) -> Arc<dyn Host>;

    /// Responds to a request, also when something fails.
    async fn handle(
        self: Arc<Self>,
        request: Request,
        payload: Payload,
        connection: Rc<ConnectionState>,
    ) -> HttpResponse;
}

/// What a connection needs to know, and what is counted of it.
pub(crate) trait Host: Send + Sync {
    fn settings(&self) -> ConnectionSettings;

    /// Whether the server is to stop: responses ask clients to come back on another connection.
    fn is_stopping(&self) -> bool;

    /// The present instant of the clock.
    fn now(&self) -> Timestamp;

    /// The header of every response that holds the request's id.
    fn request_id_header(&self) -> &HeaderName;

    /// The response to what is no request, which is logged and counted.
    fn refuse(&self, fault: Violation) -> Refused;

    /// There is one more connection.
    fn connection_opened(&self);

    /// A connection has ended.
    fn connection_closed(&self);

    /// That many connections were evicted for a new one.
    fn connections_evicted(&self, count: usize);

    /// Whether the address is that of a proxy whose word is trusted. It has the connections of all its clients.
    fn is_trusted_proxy(&self, address: IpAddr) -> bool;

    /// Memory for requests and responses.
    fn memory(&self) -> &Arc<MemoryBudget>;
}

/// A response to what is no request.
pub(crate) struct Refused {
    pub(crate) request_id: String,
    pub(crate) response: HttpResponse,
}

/// The time that connections have, and how many there may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionSettings {
    /// For each head on a connection, from its first byte; for the first head from the beginning.
    pub(crate) head_timeout: Duration,
    /// The time for a complete body.
    pub(crate) body_timeout: Duration,
    /// For requests in progress when the server stops.
    pub(crate) shutdown_timeout: Duration,
    /// For the next request.
    pub(crate) keep_alive: Duration,
    /// Connections from all addresses together.
    pub(crate) max_connections: usize,
    /// Connections from one address.
    pub(crate) max_connections_per_address: usize,
    /// Threads; `None`: one for each processor.
    pub(crate) workers: Option<usize>,
}

impl ConnectionSettings {
    /// The longest that a client is waited for that reads nothing of its response.
    pub(crate) fn write_timeout(&self) -> Duration {
        self.head_timeout + self.body_timeout + self.shutdown_timeout
    }
}

/// Counts as a connection as long as it is there.
pub(crate) struct OpenConnection {
    host: Arc<dyn Host>,
    /// It stays until a connection that was dropped too early has ended.
    pub(crate) place: Rc<Place>,
}

impl OpenConnection {
    /// A new connection, for which another one may have to end.
    pub(crate) fn new(host: Arc<dyn Host>, connections: &Arc<Connections>, peer: Option<SocketAddr>) -> Self {
        let address = peer.map(|peer| peer.ip().to_canonical()).filter(|it| !host.is_trusted_proxy(*it));
        let (place, evicted) = connections.open(address);
        host.connection_opened();
        host.connections_evicted(evicted);
        Self { host, place: Rc::new(place) }
    }

    /// Ends the request that has waited longest for its body, for a new one. Whether there was one.
    pub(crate) fn make_room(&self) -> bool {
        let has_room = self.place.evict_body();
        self.host.connections_evicted(usize::from(has_room));
        has_room
    }

    pub(crate) fn host(&self) -> &dyn Host {
        self.host.as_ref()
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.host.connection_closed();
    }
}
