//! What carries requests: listeners, TLS, HTTP/1.1 and HTTP/2, what proxies report, and how much of all that
//! one client may take. Nothing here knows a path, or who calls; the handler is behind the trait of `host`.

pub(crate) mod connection;
pub(crate) mod connections;
pub(crate) mod doorway;
pub(crate) mod forwarded;
pub(crate) mod host;
mod http2;
pub(crate) mod limits;
pub(crate) mod line_limit;
pub(crate) mod listener;
pub(crate) mod memory;
pub(crate) mod origin;
mod socket;
pub(crate) mod tls;
