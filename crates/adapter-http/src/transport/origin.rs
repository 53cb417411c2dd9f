//! The address and scheme of a listener.

use std::net::SocketAddr;

/// The scheme of a listener's URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// The address of a listener and its scheme.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListenerOrigin {
    pub(crate) address: SocketAddr,
    pub(crate) scheme: Scheme,
}

impl Scheme {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}
