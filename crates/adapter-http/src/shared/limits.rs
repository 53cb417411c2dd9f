//! The limits that are not settings, each with its reason. Those of pages, streams and idempotency keys are
//! next to their code.

use std::time::Duration;

/// Bytes of path and query together: four times the longest that any operation needs, and what
/// most proxies let through.
pub(crate) const MAX_TARGET_BYTES: usize = 8 * 1024;

/// Bytes of all header names and values: room for a large token and a proxy's additions. A head of more than
/// 64 KiB or 96 fields is rejected by its connection.
pub(crate) const MAX_HEADER_BYTES: usize = 32 * 1024;

/// Bytes of a token request: a key, a secret and a list of scopes are a few hundred.
pub(crate) const MAX_FORM_BYTES: usize = 16 * 1024;

/// Bytes above which a body is large: the caller's right to send it is checked before it is read, and it is
/// worked on apart from the threads that serve requests. Nearly every request is smaller, and is read before the
/// store is queried, so that access and data come together.
pub(crate) const LARGE_BODY_BYTES: usize = 64 * 1024;

/// Bytes of a document that changes thousands of objects at once, where the setting for bodies allows less: ten
/// thousand workers with the members that companies know of them, whose tree takes a share of the
/// memory that leaves room for others.
pub(crate) const MAX_BULK_BODY_BYTES: usize = 8 * 1024 * 1024;

/// Bytes of a request with a file of 10 MiB in base64, in which a client may have escaped each slash, and with its
/// name.
pub(crate) const MAX_UPLOAD_BYTES: usize = 15 * 1024 * 1024;

/// Workers that one request creates: as many as checks.
pub(crate) const MAX_WORKERS: usize = 100;

/// Bytes that are reserved for the beginning of a body whose length is not announced, or longer: what
/// most bodies have in all.
pub(crate) const BODY_ROOM_BYTES: usize = 16 * 1024;

/// Bytes above which a response is counted in the memory of its listener until the client has taken it.
/// What is smaller fits into the buffers that a connection has anyway.
pub(crate) const LARGE_ANSWER_BYTES: usize = 16 * 1024;

/// Bytes that one streamed response holds: a part that is made, one that waits and one that is sent, of
/// 64 KiB each.
pub(crate) const STREAM_BYTES: usize = 3 * 64 * 1024;

/// Bytes of an access token that is read; ours have about 300.
pub(crate) const MAX_TOKEN_BYTES: usize = 4 * 1024;

/// Characters of a correlation header that is echoed.
pub(crate) const MAX_CORRELATION_HEADER_LENGTH: usize = 128;

/// Verified tokens that are remembered, at about 300 bytes each: more than an application's
/// processes need, less than 5 MB.
pub(crate) const MAX_REMEMBERED_TOKENS: u64 = 10_000;

/// Callers whose token bucket is kept, at about 200 bytes each. One that is pushed out starts
/// again with a full bucket, so a flood of made-up names gains nothing but full buckets of its own.
pub(crate) const MAX_BUCKETS: u64 = 100_000;

/// A bucket that was not touched for this long is full again at any limit, and is forgotten.
pub(crate) const BUCKET_IDLE: Duration = Duration::from_secs(120);

/// Test calls a minute of one hook: more than a person who looks for a mistake makes, and too few to have the
/// server flood another one.
pub(crate) const TEST_CALLS_PER_MINUTE: u32 = 10;

/// Replays a minute of one hook, of one delivery or of many: enough for a receiver that has lost what it had
/// taken, and too few to have the server flood another one.
pub(crate) const REPLAYS_PER_MINUTE: u32 = 10;

/// Addresses a minute that an application may have verified: each costs a host a request that it has not agreed
/// to.
pub(crate) const VERIFICATIONS_PER_MINUTE: u32 = 10;

/// How many clients of one peer may fail to get tokens as often as each may alone: a company with
/// many programs behind one address, of which a few have an old secret.
pub(crate) const FAILING_CLIENTS_OF_A_PEER: u32 = 10;

/// `Retry-After` in seconds when the storage is unreachable or a company is busy:
/// long enough for a restart, short enough for a person.
pub(crate) const RETRY_AFTER_SECONDS: u32 = 5;

/// How often a request is validated when the data it was validated with change before it is stored. Each time
/// another request has succeeded, so more than a few mean a crowd: come back later.
pub(crate) const MAX_JUDGEMENTS: u32 = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::settings::HttpSettings;
    use crate::transport::limits::{
        CONNECTIONS_IN_TRANSIT, HEADER_FIELD_BYTES, MAX_CONNECTION_STREAMS, MAX_HEAD_BYTES,
        MAX_HEADER_FIELDS, MAX_RESETS, MAX_SEND_BUFFER_BYTES, READ_BYTES, REQUEST_BYTES, WRITE_BYTES,
    };

    /// The rows of the table of limits, and what each has to say.
    fn rows() -> Vec<(&'static str, String)> {
        let kib = |bytes: usize| format!("{} KiB", bytes / 1024);
        let mib = |bytes: usize| format!("{} MiB", bytes / (1024 * 1024));
        let seconds = |time: Duration| format!("{} s", time.as_secs());
        let settings = HttpSettings::default();
        let unread = settings.head_timeout + settings.body_timeout + settings.shutdown_timeout;
        vec![
            ("connections that are closing", CONNECTIONS_IN_TRANSIT.to_string()),
            ("time for the TLS handshake", seconds(settings.head_timeout)),
            ("time for the head of a request", seconds(settings.head_timeout)),
            ("idle connection", seconds(settings.keep_alive)),
            ("bytes of path and query", kib(MAX_TARGET_BYTES)),
            ("bytes of header names and values", kib(MAX_HEADER_BYTES)),
            ("header fields", MAX_HEADER_FIELDS.to_string()),
            ("bytes of a head in all", kib(MAX_HEAD_BYTES)),
            ("bytes of a body", mib(settings.max_body_bytes)),
            ("bytes of a body", kib(MAX_FORM_BYTES)),
            ("bytes of a body", mib(MAX_UPLOAD_BYTES)),
            ("bytes of a body", kib(LARGE_BODY_BYTES)),
            ("time for a body", seconds(settings.body_timeout)),
            ("bytes of a body that are read ahead", kib(READ_BYTES)),
            ("memory of requests and responses in progress", mib(settings.max_memory_bytes)),
            ("memory of requests and responses in progress", kib(LARGE_ANSWER_BYTES)),
            ("memory of one application", mib(settings.max_memory_bytes_of_application)),
            ("bytes of a response that wait in a connection", kib(2 * WRITE_BYTES)),
            ("bytes of a response that wait in a connection", kib(MAX_SEND_BUFFER_BYTES)),
            ("time without reading a response", seconds(unread)),
            ("streamed responses", settings.max_streams.to_string()),
            ("streamed responses", seconds(settings.stream_timeout)),
            ("requests on one HTTP/2 connection", MAX_CONNECTION_STREAMS.to_string()),
            ("memory of one request", kib(REQUEST_BYTES)),
            ("memory of one request", HEADER_FIELD_BYTES.to_string()),
            ("HTTP/2 requests that are taken back or break the rules", MAX_RESETS.to_string()),
        ]
    }

    #[test]
    fn the_operating_guide_lists_the_limits_as_they_are() {
        let page = include_str!("../../../../docs/operating/security.md");
        for (row, value) in rows() {
            let line = page.lines().find(|line| line.starts_with(&format!("| {row} |")));
            assert!(line.is_some_and(|line| line.contains(&value)), "{row}: {value}: {line:?}");
        }
    }
}
