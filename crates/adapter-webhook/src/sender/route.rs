//! The way to an address: which URL the HTTP client is given, so that what it dials is what the
//! operator has mapped or what was vetted.
//!
//! The client asks the resolver only about names, and lets a port of the URL win over the resolver's.
//! So a literal address is checked here, and where the operator has mapped a host and one of the two
//! would come in between, the URL says what is dialled and the `Host` header what was named.

use std::net::{IpAddr, SocketAddr};

use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::Address;
use payroll_domain::hook::public::is_public;
use reqwest::Url;
use reqwest::header::HeaderValue;
use url::Host;

use super::resolver::Resolver;

/// The way to an address that may be dialled as far as is known before its name is resolved.
pub(super) struct Route {
    /// What the client is given.
    pub(super) url: Url,
    /// The `Host` header, where it is not that of the URL.
    pub(super) host: Option<HeaderValue>,
    /// Where it leads, if that is known without resolving a name.
    pub(super) known: Option<IpAddr>,
}

impl Route {
    /// # Errors
    /// [`ErrorClass::ForbiddenAddress`]; [`ErrorClass::Internal`] for a host that cannot be dialled.
    pub(super) fn to(address: &Address, resolver: &Resolver) -> Result<Self, ErrorClass> {
        let url = address.url();
        let literal = match url.host() {
            None => return Err(ErrorClass::Internal),
            Some(Host::Domain(_)) => None,
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
        };
        match (resolver.mapped(address.host()), literal) {
            (Some(mapped), _) => Self::mapped(url, literal.is_some(), mapped).ok_or(ErrorClass::Internal),
            (None, Some(address)) if !is_public(address) => Err(ErrorClass::ForbiddenAddress),
            (None, known) => Ok(Self { url: url.clone(), host: None, known }),
        }
    }

    fn mapped(named: &Url, is_literal: bool, mapped: SocketAddr) -> Option<Self> {
        let mut url = named.clone();
        let mut host = None;
        if is_literal || url.port().is_some() {
            host = Some(HeaderValue::from_str(url.authority()).ok()?);
            url.set_port(None).ok()?;
        }
        if is_literal {
            url.set_ip_host(mapped.ip()).ok()?;
            url.set_port(Some(mapped.port())).ok()?;
        }
        Some(Self { url, host, known: Some(mapped.ip()) })
    }

    /// The name that has to be resolved to know where this leads.
    pub(super) fn name_to_resolve(&self) -> Option<&str> {
        if self.known.is_some() { None } else { self.url.host_str() }
    }
}
