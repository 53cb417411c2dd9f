//! What may be set about sending.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use super::resolver::{NameLookup, SystemLookup};

/// How long a name may take to be resolved. It counts as connecting, of which it is most.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(4);
/// How long a connection may take: a host that is up responds within a second or two.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a token may take, so that a third of the attempt is left to the notification.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the response to a challenge may take: the request that registers the hook waits for it.
const CHALLENGE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a complete attempt may take, including the token and the body of the response.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);

/// What an operator may set about sending.
#[derive(Debug, Clone)]
pub struct SenderSettings {
    /// Hosts that are dialled at another address and port, and need not be public.
    pub mapped_hosts: BTreeMap<String, SocketAddr>,
    /// Certificate authorities in addition to those that the system trusts, in PEM.
    pub certificates: Vec<u8>,
    /// The addresses to send from: the first that is of the kind of the address that is dialled. When
    /// there are some, addresses of a kind that has none are not dialled: no receiver would let in
    /// what comes from elsewhere.
    pub source_addresses: Vec<IpAddr>,
    /// How long things may take.
    pub limits: SendLimits,
    /// Resolves names to addresses. Every address that it returns is vetted.
    pub lookup: Arc<dyn NameLookup>,
}

impl Default for SenderSettings {
    fn default() -> Self {
        Self {
            mapped_hosts: BTreeMap::new(),
            certificates: Vec::new(),
            source_addresses: Vec::new(),
            limits: SendLimits::default(),
            lookup: Arc::new(SystemLookup),
        }
    }
}

/// Time limits. The defaults are those of the specification, §9.2. Tests use shorter ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendLimits {
    /// Time limit for resolving a name.
    pub lookup: Duration,
    /// Time limit for resolving, connecting and the TLS handshake together.
    pub connect: Duration,
    /// Time limit for fetching a token.
    pub token: Duration,
    /// Time limit for connecting and the response to a challenge together.
    pub challenge: Duration,
    /// Time limit for the complete attempt, from the token to the end of the response's body.
    pub attempt: Duration,
}

impl Default for SendLimits {
    fn default() -> Self {
        Self {
            lookup: LOOKUP_TIMEOUT,
            connect: CONNECT_TIMEOUT,
            token: TOKEN_TIMEOUT,
            challenge: CHALLENGE_TIMEOUT,
            attempt: ATTEMPT_TIMEOUT,
        }
    }
}

/// Why nothing can be sent at all.
#[derive(Debug)]
pub struct SenderError(pub(super) String);

impl fmt::Display for SenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SenderError {}
