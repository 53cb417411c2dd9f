//! The fixed limits of connections, with their reasons.

/// The maximum number of header fields of a request. This is the limit of the HTTP library for HTTP/1.1, and
/// includes room for the headers of proxies. HTTP/2 uses the same limit.
pub(crate) const MAX_HEADER_FIELDS: usize = 96;

/// The maximum bytes of the head (request line and headers) of an HTTP/1.1 request. This size exceeds the
/// limits for target and headers, so that an error response can report whether the target or the headers are
/// too large.
pub(crate) const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The bytes of a head that are not counted against the memory budget. Nearly every head is smaller, and each
/// connection has a buffer of this size anyway.
pub(crate) const UNCOUNTED_HEAD_BYTES: usize = 8 * 1024;

/// The maximum number of bytes of a body that a connection reads at a time, when the request asks for more of
/// the body. This number equals the initial buffer of the library. Without this limit, the library would read
/// 128 KiB and reserve buffers of that size.
pub(crate) const MAX_READ_BYTES: usize = 8 * 1024;

/// The number of bytes of a response that are passed to a connection at a time. The connection buffers this
/// number of bytes before a write, and up to twice this number while the client does not read.
pub(crate) const MAX_WRITE_BYTES: usize = 8 * 1024;

/// The number of connections per thread beyond the connection limit. The additional connections have been
/// evicted but have not ended yet. If this number is reached too, no new connection is accepted.
pub(crate) const MAX_ENDING_CONNECTIONS: usize = 64;

/// The number of candidates for eviction that one search returns.
pub(crate) const MAX_EVICTION_CANDIDATES: usize = 64;

/// The prefix length of IPv6 networks that count as one address. A /64 is the smallest network that a
/// customer gets (RFC 6177).
pub(crate) const IPV6_NETWORK_PREFIX: u32 = 64;

/// The maximum number of requests in progress on one HTTP/2 connection. Clients delay further requests. This
/// number is the minimum that clients expect (RFC 9113 §6.5.2).
pub(crate) const MAX_CONNECTION_STREAMS: u32 = 100;

/// The maximum bytes of the header fields of one HTTP/2 request, plus 32 for each field (RFC 9113 §6.5.2).
/// This size exceeds the limit for headers, so that an error response can report the fault. Above this limit,
/// the HTTP/2 library rejects the request without a body.
pub(crate) const MAX_HEADER_LIST_BYTES: u32 = 64 * 1024;

/// The bytes that are reserved for each request in progress: its task, the buffers of its connection, and a
/// small response. Measurements show 25 to 50 KiB for each of 8,500 requests (`cargo run --release -p load --
/// slow-clients`).
pub(crate) const RESERVED_REQUEST_BYTES: usize = 32 * 1024;

/// The bytes of memory for a header field in addition to its name and value.
pub(crate) const HEADER_FIELD_BYTES: usize = 128;

/// The maximum number of bytes of one body that a client may send before the server reads them.
pub(crate) const STREAM_WINDOW: u32 = 128 * 1024;

/// The maximum number of bytes of all bodies on one HTTP/2 connection that a client may send before the
/// server reads them.
pub(crate) const CONNECTION_WINDOW: u32 = 256 * 1024;

/// The maximum number of bytes of one response that HTTP/2 buffers while the client does not read.
pub(crate) const MAX_SEND_BUFFER_BYTES: usize = 64 * 1024;

/// The maximum number of HTTP/2 requests that a client may cancel before the server reads them, or that may
/// violate the protocol. The connection ends above this limit. A few such requests are normal when a user
/// navigates, but many are an attack.
pub(crate) const MAX_STREAM_RESETS: usize = 50;
