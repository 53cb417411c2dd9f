//! Determines the URL for the HTTP client, so that the client connects to the address that the operator has
//! mapped or to a validated address.
//!
//! The client calls the resolver only for names, so this module validates a literal IP address in the URL.
//! For the client, a port in the URL has precedence over the port from the resolver. If a host is mapped, its
//! port is therefore removed from the URL. A literal address is replaced by the mapped address and port. The
//! header `Host` then still contains the original host.

use std::net::{IpAddr, SocketAddr};

use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::Address;
use payroll_domain::hook::public::is_public;
use reqwest::Url;
use reqwest::header::HeaderValue;
use url::Host;

use super::resolver::AddressResolver;

/// The route to a receiver. A literal or mapped address is already validated. The addresses of a name are
/// validated when the name is resolved.
pub(super) struct ReceiverRoute {
    /// The URL that the HTTP client requests.
    pub(super) url: Url,
    /// The value of the header `Host`, if it differs from the URL.
    pub(super) host: Option<HeaderValue>,
    /// The IP address of the receiver, if it is known without resolving a name.
    pub(super) ip_address: Option<IpAddr>,
}

impl ReceiverRoute {
    /// Determines the route to an address.
    ///
    /// # Errors
    /// [`ErrorClass::ForbiddenAddress`] for a private address, [`ErrorClass::Internal`] for an invalid host.
    pub(super) fn for_address(address: &Address, resolver: &AddressResolver) -> Result<Self, ErrorClass> {
        let url = address.url();
        let literal = match url.host() {
            None => return Err(ErrorClass::Internal),
            Some(Host::Domain(_)) => None,
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
        };
        match (resolver.find_mapped_address(address.host()), literal) {
            (Some(mapped), _) => {
                Self::from_mapped_address(url, literal.is_some(), mapped).ok_or(ErrorClass::Internal)
            }
            (None, Some(address)) if !is_public(address) => Err(ErrorClass::ForbiddenAddress),
            (None, known) => Ok(Self { url: url.clone(), host: None, ip_address: known }),
        }
    }

    fn from_mapped_address(hook_url: &Url, is_literal: bool, mapped_address: SocketAddr) -> Option<Self> {
        let mut url = hook_url.clone();
        let mut host = None;
        if is_literal || url.port().is_some() {
            host = Some(HeaderValue::from_str(url.authority()).ok()?);
            url.set_port(None).ok()?;
        }
        if is_literal {
            url.set_ip_host(mapped_address.ip()).ok()?;
            url.set_port(Some(mapped_address.port())).ok()?;
        }
        Some(Self { url, host, ip_address: Some(mapped_address.ip()) })
    }

    /// Returns the name that must be resolved to get the IP address; `None` if the address is known.
    pub(super) fn name_to_resolve(&self) -> Option<&str> {
        if self.ip_address.is_some() { None } else { self.url.host_str() }
    }
}
