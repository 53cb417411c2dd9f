//! The fixed limits of connections and their reasons.

/// The maximum number of header fields of a request. The HTTP library has this limit for HTTP/1.1, with room
/// for the headers of proxies. HTTP/2 uses the same.
pub(crate) const MAX_HEADER_FIELDS: usize = 96;

/// The maximum bytes of the head of an HTTP/1.1 request. It exceeds the limits for target and headers, so
/// that an error response can report which one is too large.
pub(crate) const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The bytes of a head that do not count against the memory budget. Nearly every head is smaller, and each
/// connection has a buffer of this size.
pub(crate) const FREE_HEAD_BYTES: usize = 8 * 1024;

/// The maximum bytes that a connection reads at a time of a body, on demand of its request. It equals the
/// initial buffer of the library, which would otherwise read 128 KiB and keep buffers of that size.
pub(crate) const READ_BYTES: usize = 8 * 1024;

/// The bytes of a response that are passed to a connection at a time, and that it buffers before it writes. A
/// client that does not read leaves twice as many in its buffer.
pub(crate) const WRITE_BYTES: usize = 8 * 1024;

/// The number of connections per thread above the limit, for evicted ones that have not ended yet. Above it
/// no connection is accepted.
pub(crate) const CONNECTIONS_IN_TRANSIT: usize = 64;

/// The number of connections that one search finds for eviction.
pub(crate) const EVICTION_BATCH: usize = 64;

/// The prefix length of IPv6 networks that count as one address. It is the smallest network that a customer
/// gets (RFC 6177).
pub(crate) const PREFIX_V6: u32 = 64;

/// The maximum number of requests in progress on one HTTP/2 connection. Further ones wait at the client.
/// Clients expect this value (RFC 9113 §6.5.2).
pub(crate) const MAX_CONNECTION_STREAMS: u32 = 100;

/// The maximum bytes of the headers of one HTTP/2 request, plus 32 for each (RFC 9113 §6.5.2). It exceeds the
/// limit for headers, so that an error response can report the fault. Above it, the HTTP library rejects the
/// request without a body.
pub(crate) const MAX_HEADER_LIST_BYTES: u32 = 64 * 1024;

/// The bytes of the budget for each request in progress: its task, the buffers of its connection, and a small
/// response. Measurements show 25 to 50 KiB for each of 8,500 requests (`cargo run --release -p load --
/// slow-clients`).
pub(crate) const REQUEST_BYTES: usize = 32 * 1024;

/// The bytes of memory for a header field in addition to its name and value.
pub(crate) const HEADER_FIELD_BYTES: usize = 128;

/// The maximum bytes of one body that a client may send before they are read.
pub(crate) const STREAM_WINDOW: u32 = 128 * 1024;

/// The maximum bytes of all bodies on one HTTP/2 connection that a client may send before they are read.
pub(crate) const CONNECTION_WINDOW: u32 = 256 * 1024;

/// The maximum bytes of one response that HTTP/2 buffers while the client does not read.
pub(crate) const MAX_SEND_BUFFER_BYTES: usize = 64 * 1024;

/// The maximum number of requests that an HTTP/2 client may cancel before they are read, or that may violate
/// the rules. Above it the connection ends. Many of them are an attack; a few are normal when a user
/// navigates.
pub(crate) const MAX_RESETS: usize = 50;
