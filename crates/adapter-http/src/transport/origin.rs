//! How a listener is addressed.

use std::net::SocketAddr;

/// How a listener is called in an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// What a listener is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
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
