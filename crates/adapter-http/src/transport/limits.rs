//! The limits of HTTP/2 that are not settings, each with its reason.

/// Requests under way on one HTTP/2 connection; what is beyond waits at the client. That many are
/// what clients expect (RFC 9113 §6.5.2), and no more than a program that opens as many connections.
pub(crate) const MAX_CONNECTION_STREAMS: u32 = 100;

/// Bytes of the headers of one HTTP/2 request, with 32 for each (RFC 9113 §6.5.2): room to say in our
/// own words that they are too large. What is above is refused by the HTTP library, without a body.
pub(crate) const MAX_HEADER_LIST_BYTES: u32 = 128 * 1024;

/// Bytes that a client may send of one body before they are read.
pub(crate) const STREAM_WINDOW: u32 = 128 * 1024;

/// And of all bodies of one HTTP/2 connection.
pub(crate) const CONNECTION_WINDOW: u32 = 256 * 1024;

/// Requests that an HTTP/2 client takes back before they are looked at, or that break the rules: above
/// it the connection ends. A flood of them is an attack, a few are a person who clicks away.
pub(crate) const MAX_RESETS: usize = 50;
