//! The transport of requests: listeners, TLS, HTTP/1.1 and HTTP/2, the headers of proxies, and the limits per
//! client. The transport does not depend on paths or callers. The trait in `host` connects the transport to
//! the request handler.

pub(crate) mod connection;
pub(crate) mod connections;
pub(crate) mod forwarded;
pub(crate) mod host;
mod http2;
pub(crate) mod limits;
pub(crate) mod line_limit;
pub(crate) mod listener;
pub(crate) mod listener_handle;
pub(crate) mod memory;
pub(crate) mod origin;
mod socket;
pub(crate) mod tls;
