//! What carries requests: listeners, TLS, HTTP/1.1 and HTTP/2, what proxies tell, and how much of all
//! that one client may take. Nothing here knows a path, a caller or an error code.

pub(crate) mod connection;
pub(crate) mod forwarded;
pub(crate) mod http2;
pub(crate) mod line_limit;
pub(crate) mod memory;
pub(crate) mod origin;
pub(crate) mod socket;
pub(crate) mod tls;
