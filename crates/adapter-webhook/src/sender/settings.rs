//! The settings of the sender.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use payroll_ports::keys::CurrentKeys;

use super::resolver::{NameLookup, SystemLookup};

/// The time limit for resolving a name, which is part of the time for connecting.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(4);
/// The time limit for connecting. A reachable host responds within one or two seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for requesting a token. Of the 15 seconds for an attempt, at least 5 remain for the
/// notification.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for the response to a challenge. This limit is short, because the request that registers
/// the hook waits for the response.
const CHALLENGE_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for a complete attempt, including the token and the body of the response.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);

/// The settings of the sender.
#[derive(Debug, Clone)]
pub struct SenderSettings {
    /// Hosts that the operator has mapped to another address and port. These addresses need not be public.
    pub mapped_hosts: BTreeMap<String, SocketAddr>,
    /// Certificate authorities in PEM that are trusted in addition to the system's authorities.
    pub certificates: Vec<u8>,
    /// The source addresses, at most one of each address family. If only one family has a source address, the
    /// sender does not connect to addresses of the other family. Receivers with an allowlist would reject
    /// such connections.
    pub source_addresses: Vec<IpAddr>,
    /// The time limits of the sender.
    pub limits: SendLimits,
    /// The resolver of host names. The sender validates each returned address.
    pub lookup: Arc<dyn NameLookup>,
    /// The key set whose Ed25519 key pairs sign each notification, in addition to the secrets of the hook.
    /// With `None`, only the secrets sign.
    pub keys: Option<CurrentKeys>,
}

impl Default for SenderSettings {
    fn default() -> Self {
        Self {
            mapped_hosts: BTreeMap::new(),
            certificates: Vec::new(),
            source_addresses: Vec::new(),
            limits: SendLimits::default(),
            lookup: Arc::new(SystemLookup),
            keys: None,
        }
    }
}

/// The time limits of the sender. The defaults come from the specification (§9.2). Tests use shorter limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendLimits {
    /// The time limit for resolving a name.
    pub lookup: Duration,
    /// The time limit for resolving, connecting and the TLS handshake together.
    pub connect: Duration,
    /// The time limit for requesting a token.
    pub token: Duration,
    /// The time limit for connecting and for the response to a challenge together.
    pub challenge: Duration,
    /// The time limit for the complete attempt, from the token to the end of the response's body.
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

/// The error that prevents the creation of a sender.
#[derive(Debug)]
pub struct SenderError(pub(super) String);

impl fmt::Display for SenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SenderError {}
