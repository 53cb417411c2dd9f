//! Starts the servers of both APIs, each with its own listener, and creates the metrics that the servers
//! share.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use actix_web::dev::Server;
use payroll_ports::{Clock, Store};

use crate::operator::{self, OperatorApi, OperatorContext};
use crate::partner::{self, PartnerApi, PartnerListenerApi, metadata};
use crate::service;
use crate::shared::agents;
use crate::shared::health::Health;
use crate::shared::metrics::{ApiMetrics, MetricSource, ProcessMetrics};
use crate::shared::route_table::RouteTable;
use crate::shared::settings::{HttpSettings, InvalidSetting};
use crate::transport::listener::serve_requests;
use crate::transport::origin::{ListenerOrigin, Scheme};
use crate::transport::tls::TlsConfiguration;

/// Serves the partner API on a bound listener, with TLS if `tls` is given. The server runs while the returned
/// [`Server`] is awaited. The handle of the server stops it, either immediately or gracefully. The caller
/// must handle signals.
///
/// # Errors
/// An invalid setting ([`io::ErrorKind::InvalidInput`]), or a listener that cannot be used.
pub fn serve_partner(
    api: PartnerApi,
    listener: TcpListener,
    tls: Option<&TlsConfiguration>,
) -> io::Result<Server> {
    let origin = listener_origin(&listener, tls)?;
    let services = service::partner_routes(&api.settings, api.agents.is_some(), &api.keys);
    serve_requests(
        "partner",
        PartnerListenerApi::new(api, origin, services).map_err(invalid_input_error)?,
        listener,
        tls,
    )
}

/// Serves the operator API in the same way as [`serve_partner`]. The operator API has its own threads, so a
/// busy partner API does not delay operators.
///
/// # Errors
/// Returns the errors of [`serve_partner`].
pub fn serve_operator(
    api: OperatorApi,
    listener: TcpListener,
    tls: Option<&TlsConfiguration>,
) -> io::Result<Server> {
    let origin = listener_origin(&listener, tls)?;
    let services = service::operator_routes(&api.settings, api.identity.clone());
    serve_requests(
        "operator",
        OperatorContext::new(api, origin, services).map_err(invalid_input_error)?,
        listener,
        tls,
    )
}

/// Creates the metrics of the process: requests to both APIs, the delivery queue, and the metrics that
/// `sources` return, such as those of the store.
#[must_use]
pub fn create_metrics(
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    health: Arc<Health>,
    sources: Vec<MetricSource>,
) -> ProcessMetrics {
    let (of_partners, of_operators) =
        (service::partner_page_routes(true), service::operator_routes(&HttpSettings::default(), None));
    let of_partners = RouteTable::new(of_partners);
    let partners = ApiMetrics::new(
        "partner",
        partner::operation_paths()
            .into_iter()
            .chain(of_partners.paths())
            .chain(metadata::METADATA_PATHS)
            .chain([agents::MCP_PATH]),
    );
    let operators = ApiMetrics::new(
        "operator",
        operator::operation_paths()
            .into_iter()
            .chain(of_operators.paths())
            .chain(operator::SIGN_IN_PATHS)
            .chain([agents::MCP_PATH]),
    );
    ProcessMetrics::new((partners, operators), (store, clock), health, sources)
}

fn listener_origin(listener: &TcpListener, tls: Option<&TlsConfiguration>) -> io::Result<ListenerOrigin> {
    let scheme = if tls.is_some() { Scheme::Https } else { Scheme::Http };
    Ok(ListenerOrigin { address: listener.local_addr()?, scheme })
}

fn invalid_input_error(error: InvalidSetting) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}
