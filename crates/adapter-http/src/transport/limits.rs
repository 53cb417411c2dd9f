//! The limits of connections that are not settings, each with its reason.

/// Header fields of a request. The HTTP library has this limit for HTTP/1.1, with room for a proxy's additions;
/// HTTP/2 gets the same.
pub(crate) const MAX_HEADER_FIELDS: usize = 96;

/// Bytes of the head of an HTTP/1.1 request: the target and the headers that are accepted, and room to report in
/// the envelope which of them is too large.
pub(crate) const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Bytes of a head that need no memory of the budget: nearly every head is smaller, and each connection has a
/// buffer of this size anyway.
pub(crate) const FREE_HEAD_BYTES: usize = 8 * 1024;

/// Bytes that a connection reads of a body when its request waits for more: what the library's buffer holds from
/// the beginning. Else it reads 128 KiB, wanted or not, and keeps buffers of that size.
pub(crate) const READ_BYTES: usize = 8 * 1024;

/// Bytes of a response that are handed to a connection at a time, and that it collects before it writes: a
/// client that reads nothing leaves twice as many in its buffer.
pub(crate) const WRITE_BYTES: usize = 8 * 1024;

/// Connections for each thread beyond the limit, for those that are evicted and have not ended yet. Above it no
/// connection is accepted.
pub(crate) const CONNECTIONS_IN_TRANSIT: usize = 64;

/// Connections that are found for eviction in one search through all.
pub(crate) const EVICTION_BATCH: usize = 64;

/// The length of the networks of IPv6 that count as one address: the smallest that is given to a customer
/// (RFC 6177).
pub(crate) const PREFIX_V6: u32 = 64;

/// Requests in progress on one HTTP/2 connection; what is beyond waits at the client. That many are
/// what clients expect (RFC 9113 §6.5.2), and no more than a program that opens as many connections.
pub(crate) const MAX_CONNECTION_STREAMS: u32 = 100;

/// Bytes of the headers of one HTTP/2 request, with 32 for each (RFC 9113 §6.5.2): what is accepted, and room to
/// say in our own words that they are too large. What is above is rejected by the HTTP library, without a body.
pub(crate) const MAX_HEADER_LIST_BYTES: u32 = 64 * 1024;

/// Memory that the budget has for a request in progress: its task, the buffers of its connection, and a response
/// that is too small to be counted by itself. Measured are 25 to 50 KiB for each of 8,500 requests
/// (`cargo run --release -p load -- slow-clients`).
pub(crate) const REQUEST_BYTES: usize = 32 * 1024;

/// Memory of a header field in addition to its name and value.
pub(crate) const HEADER_FIELD_BYTES: usize = 128;

/// Bytes that a client may send of one body before they are read.
pub(crate) const STREAM_WINDOW: u32 = 128 * 1024;

/// And of all bodies of one HTTP/2 connection.
pub(crate) const CONNECTION_WINDOW: u32 = 256 * 1024;

/// Bytes of one response that HTTP/2 holds while the client does not read them.
pub(crate) const MAX_SEND_BUFFER_BYTES: usize = 64 * 1024;

/// Requests that an HTTP/2 client cancels before they are read, or that break the rules: above
/// it the connection ends. A flood of them is an attack, a few are a person who clicks away.
pub(crate) const MAX_RESETS: usize = 50;
