//! The HTTP clients: they call the address that they are given and no other. No redirects, no proxies from the
//! environment, nothing decompressed.

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
use super::resolver::{Family, FamilyResolver, Resolver};
use super::route::Route;
use super::settings::{SendLimits, SenderError};

/// How long a connection is kept that nothing is sent on. Many servers close theirs after 5 s, and
/// what is sent just then is lost until the next attempt.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// Connections to one host that are kept: as many as an operator can allow in use at the same time.
const MAX_IDLE_PER_HOST: usize = 1_000;

/// Hosts that are known to have responded recently: as many as targets that are kept ready.
/// One that falls out costs at most an attempt, which is made again later.
const MAX_ANSWERING_HOSTS: u64 = 4_096;

/// By what name receivers see the server.
const USER_AGENT: &str = concat!("payroll-server/", env!("CARGO_PKG_VERSION"));

/// A client for each kind of address that is sent from, or one for all. Each shares its connections
/// among all that is sent to a host.
pub(super) struct Clients {
    bound: Vec<BoundClient>,
    /// Hosts to which a connection may have been kept.
    answering: Cache<String, ()>,
}

struct BoundClient {
    family: Option<Family>,
    pooled: Client,
    /// For what is sent once more: it keeps no connections.
    fresh: Client,
}

/// What the clients of all kinds have in common.
struct Common<'a> {
    resolver: &'a Arc<Resolver>,
    connect_timeout: Duration,
    tls: ClientConfig,
}

impl Clients {
    /// # Errors
    /// The certificates are none.
    pub(super) fn new(
        resolver: &Arc<Resolver>,
        limits: SendLimits,
        certificates: &[u8],
        source_addresses: &[IpAddr],
    ) -> Result<Self, SenderError> {
        let common = Common { resolver, connect_timeout: limits.connect, tls: tls(certificates)? };
        let first = |family| source_addresses.iter().copied().find(|address| Family::of(*address) == family);
        let mut sources: Vec<_> = [Family::V4, Family::V6].into_iter().filter_map(first).map(Some).collect();
        if sources.is_empty() {
            sources.push(None);
        }
        let bound = sources.into_iter().map(|source| common.bound(source)).collect::<Result<_, _>>()?;
        // A connection is free again when the answer's body is read, and kept from then on.
        let kept = limits.attempt + IDLE_TIMEOUT;
        let answering = Cache::builder().max_capacity(MAX_ANSWERING_HOSTS).time_to_live(kept).build();
        Ok(Self { bound, answering })
    }

    /// Sends the request that `make` makes and returns when the head of its response is there. A
    /// connection that was kept and turns out to have ended has most likely ended before it was used:
    /// then the same is sent once more, on a new one. The HTTP library does not say which connection it
    /// used, so that is done wherever one may have been kept: the host has responded recently.
    ///
    /// # Errors
    /// The class of the error, if there is no response.
    pub(super) async fn execute(
        &self,
        route: &Route,
        make: impl Fn() -> Result<Request, ErrorClass>,
    ) -> Result<Response, ErrorClass> {
        let wanted = route.known.map(Family::of);
        let fits = |bound: &&BoundClient| bound.family.zip(wanted).is_none_or(|(has, wants)| has == wants);
        let host = route.url.authority();
        let mut bound = self.bound.iter().filter(fits).peekable();
        while let Some(BoundClient { pooled, fresh, .. }) = bound.next() {
            let error = match pooled.execute(make()?).await {
                Ok(response) => {
                    self.answering.insert(host.to_owned(), ());
                    return Ok(response);
                }
                Err(error) if bound.peek().is_some() && failure::is_of_other_family(&error) => continue,
                Err(error) => failure::class_of(error),
            };
            if error == ErrorClass::ConnectionClosed && self.answering.contains_key(host) {
                return fresh.execute(make()?).await.map_err(failure::class_of);
            }
            return Err(error);
        }
        // There is no source address of the kind of the only address that could be dialled.
        Err(ErrorClass::Connect)
    }
}

impl Common<'_> {
    fn bound(&self, source: Option<IpAddr>) -> Result<BoundClient, SenderError> {
        let family = source.map(Family::of);
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
        Ok(BoundClient { family, pooled: client(MAX_IDLE_PER_HOST)?, fresh: client(0)? })
    }
}

/// TLS that trusts what the system trusts, and the given authorities in addition. A system without trusted
/// authorities is no error: receivers' certificates may all come from those given, or fail one by one.
fn tls(certificates: &[u8]) -> Result<ClientConfig, SenderError> {
    let bad = |error: String| SenderError(format!("the certificate authorities cannot be read: {error}"));
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let trusted = roots.len();
    for certificate in CertificateDer::pem_slice_iter(certificates) {
        let certificate = certificate.map_err(|error| bad(error.to_string()))?;
        roots.add(certificate).map_err(|error| bad(error.to_string()))?;
    }
    if !certificates.is_empty() && roots.len() == trusted {
        return Err(bad("there are none".to_owned()));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SenderError(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
