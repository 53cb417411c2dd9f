//! Resolves host names and validates the resulting addresses. Connections are made only to valid addresses.
//! No other module resolves names.
//!
//! If the operator has mapped a name, it resolves to exactly the configured address and port. For any other
//! name, all addresses must be public. If one address is private, the name is rejected, because no legitimate
//! name has both public and private addresses.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use payroll_domain::hook::public::is_public;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The maximum number of concurrent look-ups. Each look-up blocks a thread, for up to half a minute if the
/// name servers do not respond. The runtime has four times as many threads, so enough threads remain for the
/// storage.
const MAX_LOOKUPS: usize = 128;

/// Resolves names to addresses.
#[async_trait]
pub trait NameLookup: fmt::Debug + Send + Sync {
    /// Returns the addresses of a name.
    ///
    /// # Errors
    /// Any error that prevents the look-up.
    async fn resolve_addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Resolves names with the resolver of the operating system.
#[derive(Debug, Clone, Copy)]
pub struct SystemLookup;

#[async_trait]
impl NameLookup for SystemLookup {
    async fn resolve_addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|found| found.ip()).collect())
    }
}

/// The reason why a name has no usable address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResolutionError {
    /// The name has no addresses, or the look-up failed or took too long.
    Unknown,
    /// One of the addresses is forbidden.
    Forbidden,
    /// No address belongs to the address family of the client.
    OtherFamily,
}

impl fmt::Display for ResolutionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "the host name was not resolved",
            Self::Forbidden => "the host name has an address that is not public",
            Self::OtherFamily => {
                "the host name has no address of the family (IPv4 or IPv6) that notifications are sent from"
            }
        })
    }
}

impl std::error::Error for ResolutionError {}

type ResolutionResult = Result<Arc<[SocketAddr]>, ResolutionError>;
type SharedLookup = Shared<BoxFuture<'static, ResolutionResult>>;

/// Resolves names and validates the addresses.
pub(super) struct AddressResolver {
    address_overrides: BTreeMap<String, SocketAddr>,
    lookup: Arc<dyn NameLookup>,
    limit: Duration,
    permits: Arc<Semaphore>,
    /// Look-ups in progress. Concurrent requests for the same name share one look-up and its result. A name
    /// whose name server does not respond therefore blocks only one thread.
    lookups_in_progress: Arc<Mutex<HashMap<String, SharedLookup>>>,
}

impl AddressResolver {
    pub(super) fn new(
        address_overrides: BTreeMap<String, SocketAddr>,
        lookup: Arc<dyn NameLookup>,
        limit: Duration,
    ) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_LOOKUPS));
        Self { address_overrides, lookup, limit, permits, lookups_in_progress: Arc::default() }
    }

    /// Returns the address to which the operator has mapped a host; `None` if the host is not mapped.
    pub(super) fn find_mapped_address(&self, host: &str) -> Option<SocketAddr> {
        self.address_overrides.get(host).copied()
    }

    /// Returns the validated addresses of a name. If an address has the port 0, the HTTP client uses the
    /// port of the URL.
    pub(super) async fn resolve_addresses(&self, name: &str) -> ResolutionResult {
        if let Some(mapped) = self.find_mapped_address(name) {
            return Ok(Arc::new([mapped]));
        }
        let lookup = self.join_or_begin_lookup(name);
        timeout(self.limit, lookup).await.unwrap_or(Err(ResolutionError::Unknown))
    }

    fn join_or_begin_lookup(&self, name: &str) -> SharedLookup {
        let mut under_way = self.lookups_in_progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lookup) = under_way.get(name) {
            return lookup.clone();
        }
        let lookup = self.begin_lookup(name.to_owned());
        under_way.insert(name.to_owned(), lookup.clone());
        lookup
    }

    /// Starts a look-up in its own task. If all callers stop waiting, the thread and the permit still remain
    /// in use until the operating system responds.
    fn begin_lookup(&self, name: String) -> SharedLookup {
        let (lookup, permits) = (Arc::clone(&self.lookup), Arc::clone(&self.permits));
        let under_way = Arc::clone(&self.lookups_in_progress);
        let task = tokio::spawn(async move {
            let found = match permits.acquire().await {
                Ok(_permit) => lookup.resolve_addresses(&name).await,
                Err(closed) => Err(io::Error::other(closed)),
            };
            under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
            check_allowed_addresses(&found.map_err(|_| ResolutionError::Unknown)?)
        });
        task.map(|ended| ended.unwrap_or(Err(ResolutionError::Unknown))).boxed().shared()
    }
}

fn check_allowed_addresses(addresses: &[IpAddr]) -> ResolutionResult {
    if addresses.is_empty() {
        return Err(ResolutionError::Unknown);
    }
    if !addresses.iter().copied().all(is_public) {
        return Err(ResolutionError::Forbidden);
    }
    Ok(addresses.iter().map(|address| SocketAddr::new(*address, 0)).collect())
}

/// The family of an IP address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressFamily {
    V4,
    V6,
}

impl AddressFamily {
    pub(super) const fn from_address(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(_) => Self::V4,
            IpAddr::V6(_) => Self::V6,
        }
    }
}

/// The resolver for an HTTP client with one address family. If `family` is `None`, the resolver accepts both
/// families.
pub(super) struct FamilyResolver {
    pub(super) resolver: Arc<AddressResolver>,
    pub(super) family: Option<AddressFamily>,
}

impl Resolve for FamilyResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, family) = (Arc::clone(&self.resolver), self.family);
        async move {
            let mut found = resolver.resolve_addresses(name.as_str()).await?.to_vec();
            found.retain(|address| {
                family.is_none_or(|family| AddressFamily::from_address(address.ip()) == family)
            });
            if found.is_empty() {
                return Err(ResolutionError::OtherFamily.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        }
        .boxed()
    }
}
