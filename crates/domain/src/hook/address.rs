//! Addresses that the server sends to: which are refused, and by which rule (specification §9.1).
//!
//! What a name resolves to is judged where it is resolved, at registration and at each dial, by
//! [`is_public`](super::public::is_public).

use std::collections::BTreeSet;
use std::fmt;

use url::Url;

use crate::named::named;

/// The longest address, in characters: more than browsers and proxies pass on.
pub const MAX_ADDRESS_LENGTH: usize = 2_048;

named! {
    /// The rules that an address can break.
    AddressRule {
        /// It has at most [`MAX_ADDRESS_LENGTH`] characters.
        Length = "length",
        /// It is a whole URL with a host.
        Url = "url",
        /// It begins with https://, or http:// where the operator allows it.
        Scheme = "scheme",
        /// It names no port.
        Port = "port",
        /// It names no user and no password.
        UserInfo = "user info",
        /// It has no fragment.
        Fragment = "fragment",
        /// Its host is not one of a free tunnelling service.
        Tunnel = "tunnelling service",
        /// Its host has a name that can be resolved.
        Name = "resolvable name",
        /// Every address of its host is public.
        Public = "public address",
    }
}

/// What the operator lets differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressRules {
    /// http:// is taken as well.
    pub allow_http: bool,
    /// Hosts that the operator has mapped to addresses: they need not be public.
    pub mapped_hosts: BTreeSet<String>,
}

/// An address that keeps the rules. `Debug` shows it without its query, which may hold a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(Url);

impl Address {
    /// Takes the address of a receiver.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn of_receiver(text: &str, rules: &AddressRules) -> Result<Self, AddressRule> {
        let _ = rules;
        Self::stored(text).ok_or(AddressRule::Url)
    }

    /// Takes the address of a token operation: it may name a port.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn of_tokens(text: &str, rules: &AddressRules) -> Result<Self, AddressRule> {
        let _ = rules;
        Self::stored(text).ok_or(AddressRule::Url)
    }

    /// An address that was taken before, without judging it again: what the operator lets differ may
    /// have changed since.
    #[must_use]
    pub fn stored(text: &str) -> Option<Self> {
        Url::parse(text).ok().filter(Url::has_host).map(Self)
    }

    /// The whole address, as it is dialled.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The host: a name in small letters and ASCII, or an address in its usual spelling.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The port that is dialled where the host is not mapped.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// The parsed address.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.0
    }

    /// The address as logs show it: without its query, which may hold a secret.
    #[must_use]
    pub fn without_query(&self) -> String {
        let mut url = self.0.clone();
        url.set_query(None);
        url.into()
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_query())
    }
}
