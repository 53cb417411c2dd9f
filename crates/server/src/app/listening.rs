//! The listeners for partners and operators.

use std::net::{SocketAddr, TcpListener};

use payroll_adapter_http::{ListenerHandle, OperatorApi, PartnerApi, Server, TlsConfiguration};

use super::shutdown::ListenerStopper;
use crate::config::Settings;
use crate::failure::{Failure, Outcome};

/// One of the two listeners, bound to its address, with its server.
pub(super) struct BoundListener {
    pub(super) address: SocketAddr,
    pub(super) server: Server,
    listener_handle: ListenerHandle,
    pub(super) tls: Option<TlsConfiguration>,
}

/// Binds the listeners for partners and operators. The operator listener is bound first, because by default
/// its address is the base of links to the operator console.
pub(super) fn listen_on_both_addresses(
    settings: &Settings,
    mut partner: PartnerApi,
    operator: OperatorApi,
    certificates: [Option<TlsConfiguration>; 2],
) -> Outcome<[BoundListener; 2]> {
    let [partner_tls, operator_tls] = certificates;
    let operator = listen(settings.operator_listen, operator_tls, |listener, tls| {
        payroll_adapter_http::serve_operator(operator, listener, tls)
    })?;
    if settings.operator_public_url.is_empty() {
        partner.settings.access.link_base = operator.base_address();
    }
    let partner = listen(settings.listen, partner_tls, |listener, tls| {
        payroll_adapter_http::serve_partner(partner, listener, tls)
    })?;
    Ok([partner, operator])
}

/// Binds a listener and creates its server.
fn listen(
    address: SocketAddr,
    tls: Option<TlsConfiguration>,
    start_server: impl FnOnce(TcpListener, Option<&TlsConfiguration>) -> std::io::Result<Server>,
) -> Outcome<BoundListener> {
    let listener = TcpListener::bind(address).map_err(|error| Failure::cannot_listen(address, &error))?;
    let no_server = |error: std::io::Error| Failure::with_cause("the server cannot start", &error);
    let address = listener.local_addr().map_err(no_server)?;
    let doorway = ListenerHandle::from_listener(&listener).map_err(no_server)?;
    let server = start_server(listener, tls.as_ref()).map_err(no_server)?;
    Ok(BoundListener { address, server, listener_handle: doorway, tls })
}

impl BoundListener {
    /// Returns the base address of links to the listener, with its scheme and without a path.
    pub(super) fn base_address(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Returns the handle that closes the listener.
    pub(super) fn stopper(&self) -> ListenerStopper {
        ListenerStopper { handle: self.listener_handle.clone(), server: self.server.handle() }
    }

    /// Returns the expiry date of the listener's certificate. `None` if the listener has no certificate.
    pub(super) fn certificate_expiry(&self) -> Option<String> {
        self.tls.as_ref().and_then(TlsConfiguration::not_after)
    }
}

/// Watches the certificate files of a listener and loads them when they change. Without a certificate, the
/// function returns at once.
pub(super) async fn reload_certificates_on_change(tls: Option<TlsConfiguration>) {
    if let Some(tls) = tls {
        tls.reload_on_change().await;
    }
}
