//! The HTTP clients, which connect only to an address that was validated for the request. The clients follow
//! no redirects, use no proxies from the environment, and do not decompress responses.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use payroll_domain::delivery::ErrorClass;
use reqwest::redirect::Policy;
use reqwest::{Client, Request, Response};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::failure;
use super::resolver::{AddressFamily, AddressResolver, FamilyResolver};
use super::route::ReceiverRoute;
use super::settings::{SendLimits, SenderError};

/// The time after which an idle connection is closed. Many servers close idle connections after 5 s. A
/// request fails if the server closes the connection at the same moment, so the client closes idle
/// connections earlier.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// The maximum number of idle connections per host, equal to the maximum concurrency that an operator can
/// configure.
const MAX_IDLE_PER_HOST: usize = 1_000;

/// The maximum number of hosts in the cache of hosts that responded recently. It equals the maximum number of
/// prepared targets. If a host is evicted, at most one attempt fails and is retried later.
const MAX_RESPONSIVE_HOSTS: u64 = 4_096;

/// The name of the server in the header `User-Agent`.
const USER_AGENT: &str = concat!("payroll-server/", env!("CARGO_PKG_VERSION"));

/// The HTTP clients: one client for each address family if source addresses are configured, otherwise a
/// single client. Requests to the same host share connections.
pub(super) struct HttpClients {
    bound_clients: Vec<SourceAddressClient>,
    /// Hosts that responded recently. The client may have an idle connection to these hosts.
    responsive_hosts: Cache<String, ()>,
}

struct SourceAddressClient {
    family: Option<AddressFamily>,
    pooled_client: Client,
    /// The client for an immediate retry, which has no pool of idle connections.
    unpooled_client: Client,
}

/// The common configuration of the clients.
struct ClientOptions<'a> {
    resolver: &'a Arc<AddressResolver>,
    connect_timeout: Duration,
    tls: ClientConfig,
}

impl HttpClients {
    /// Creates one client for each family of source addresses.
    ///
    /// # Errors
    /// [`SenderError`] if the certificates are invalid.
    pub(super) fn new(
        resolver: &Arc<AddressResolver>,
        limits: SendLimits,
        certificates: &[u8],
        source_addresses: &[IpAddr],
    ) -> Result<Self, SenderError> {
        let common =
            ClientOptions { resolver, connect_timeout: limits.connect, tls: build_tls_config(certificates)? };
        let first = |family| {
            source_addresses.iter().copied().find(|address| AddressFamily::from_address(*address) == family)
        };
        let mut sources: Vec<_> =
            [AddressFamily::V4, AddressFamily::V6].into_iter().filter_map(first).map(Some).collect();
        if sources.is_empty() {
            sources.push(None);
        }
        let bound = sources
            .into_iter()
            .map(|source| common.build_source_address_client(source))
            .collect::<Result<_, _>>()?;
        // A host stays in this cache as long as the client may have an idle connection to the host. The
        // connection becomes idle when the body was read, at the latest at the time limit of the attempt. The
        // connection then stays open for [`IDLE_TIMEOUT`].
        let time_to_live = limits.attempt + IDLE_TIMEOUT;
        let answering =
            Cache::builder().max_capacity(MAX_RESPONSIVE_HOSTS).time_to_live(time_to_live).build();
        Ok(Self { bound_clients: bound, responsive_hosts: answering })
    }

    /// Sends the request that `build_request` creates and returns when the status line and headers of the
    /// response have arrived.
    ///
    /// If the receiver closes an idle connection just before the client reuses it, the request fails. The
    /// request is then sent once more on a new connection. The HTTP library does not report whether a
    /// connection was reused. The retry therefore applies to each host that responded recently.
    ///
    /// # Errors
    /// The class of the error if there is no response.
    pub(super) async fn execute(
        &self,
        route: &ReceiverRoute,
        build_request: impl Fn() -> Result<Request, ErrorClass>,
    ) -> Result<Response, ErrorClass> {
        let required = route.ip_address.map(AddressFamily::from_address);
        let fits =
            |bound: &&SourceAddressClient| bound.family.zip(required).is_none_or(|(has, wants)| has == wants);
        let host = route.url.authority();
        let mut bound = self.bound_clients.iter().filter(fits).peekable();
        while let Some(SourceAddressClient { pooled_client: pooled, unpooled_client: fresh, .. }) =
            bound.next()
        {
            let error = match pooled.execute(build_request()?).await {
                Ok(response) => {
                    self.responsive_hosts.insert(host.to_owned(), ());
                    return Ok(response);
                }
                Err(error) if bound.peek().is_some() && failure::is_address_family_error(&error) => continue,
                Err(error) => failure::log_and_classify_error(error),
            };
            if error == ErrorClass::ConnectionClosed && self.responsive_hosts.contains_key(host) {
                return fresh.execute(build_request()?).await.map_err(failure::log_and_classify_error);
            }
            return Err(error);
        }
        // No client was tried. The IP address of the receiver is known, and no source address belongs to
        // the same address family.
        Err(ErrorClass::Connect)
    }
}

impl ClientOptions<'_> {
    fn build_source_address_client(
        &self,
        source: Option<IpAddr>,
    ) -> Result<SourceAddressClient, SenderError> {
        let family = source.map(AddressFamily::from_address);
        let client = |most_idle| {
            Client::builder()
                .tls_backend_preconfigured(self.tls.clone())
                .dns_resolver(FamilyResolver { resolver: Arc::clone(self.resolver), family })
                .local_address(source)
                .connect_timeout(self.connect_timeout)
                .pool_idle_timeout(IDLE_TIMEOUT)
                .pool_max_idle_per_host(most_idle)
                .tcp_nodelay(true)
                .http1_only()
                .redirect(Policy::none())
                .retry(reqwest::retry::never())
                .no_proxy()
                .no_gzip()
                .no_brotli()
                .no_deflate()
                .no_zstd()
                .user_agent(USER_AGENT)
                .build()
                .map_err(|error| SenderError(error.without_url().to_string()))
        };
        Ok(SourceAddressClient {
            family,
            pooled_client: client(MAX_IDLE_PER_HOST)?,
            unpooled_client: client(0)?,
        })
    }
}

/// Creates a TLS configuration that trusts the system's certificate authorities and the authorities in
/// `certificates`. A system without authorities is not an error, because `certificates` may be sufficient.
fn build_tls_config(certificates: &[u8]) -> Result<ClientConfig, SenderError> {
    let bad = |error: String| SenderError(format!("the certificate authorities cannot be read: {error}"));
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let trusted = roots.len();
    for certificate in CertificateDer::pem_slice_iter(certificates) {
        let certificate = certificate.map_err(|error| bad(error.to_string()))?;
        roots.add(certificate).map_err(|error| bad(error.to_string()))?;
    }
    if !certificates.is_empty() && roots.len() == trusted {
        return Err(bad("the file contains no certificate".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SenderError(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
