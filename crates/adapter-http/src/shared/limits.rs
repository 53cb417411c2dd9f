//! The fixed limits of requests and responses, with their reasons. The limits of pages, streams and
//! idempotency keys are defined next to their code.

use std::time::Duration;

/// The maximum bytes of path and query together. This is four times the longest target of any operation, and
/// most proxies forward a target of this size.
pub(crate) const MAX_TARGET_BYTES: usize = 8 * 1024;

/// The maximum bytes of all header names and values. This size has room for a large token and the headers of
/// proxies. The transport has already rejected a request with more than 64 KiB or 96 fields of headers.
pub(crate) const MAX_HEADER_BYTES: usize = 32 * 1024;

/// The maximum bytes of a token request. A key, a secret and a list of scopes take a few hundred bytes.
pub(crate) const MAX_FORM_BYTES: usize = 16 * 1024;

/// The size in bytes above which a body is large. The caller is authorized before a large body is read, and
/// the body is processed outside the threads that serve requests. Smaller bodies are read before
/// authorization, so that one query loads the permissions and the data.
pub(crate) const LARGE_BODY_BYTES: usize = 64 * 1024;

/// The maximum bytes of a bulk document, unless the setting for bodies is larger. This size suffices for
/// 10,000 workers. The parsed document leaves enough memory for other requests.
pub(crate) const MAX_BULK_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The maximum bytes of an upload: a file of 10 MiB in base64 with each slash escaped, and the file name.
pub(crate) const MAX_UPLOAD_BODY_BYTES: usize = 15 * 1024 * 1024;

/// The maximum number of workers that one request creates. It equals the maximum number of pay checks per
/// request.
pub(crate) const MAX_WORKERS_PER_REQUEST: usize = 100;

/// The bytes that are first reserved for a body whose length is unknown or exceeds this number. For most
/// bodies, this reservation suffices.
pub(crate) const INITIAL_BODY_BYTES: usize = 16 * 1024;

/// The size in bytes above which a response counts against the memory budget until the client has received
/// it. A smaller response fits into the buffers of a connection.
pub(crate) const LARGE_RESPONSE_BYTES: usize = 16 * 1024;

/// The bytes of memory that one streamed response needs: three chunks of 64 KiB. One is being written, one is
/// queued and one is being sent.
pub(crate) const STREAM_BUFFER_BYTES: usize = 3 * 64 * 1024;

/// The maximum bytes of an access token. The tokens of this server are about 300 bytes long.
pub(crate) const MAX_TOKEN_BYTES: usize = 4 * 1024;

/// The maximum number of characters of a correlation header. A longer header is not repeated in the response.
pub(crate) const MAX_CORRELATION_HEADER_LENGTH: usize = 128;

/// The number of verified tokens in the cache, at about 300 bytes each (3 MB). All processes of a partner
/// together use fewer tokens than this number.
pub(crate) const MAX_CACHED_TOKENS: u64 = 10_000;

/// The number of callers whose token bucket is stored, at about 200 bytes each. If there are more callers,
/// buckets are evicted. An evicted caller starts with a full bucket. Invented names therefore do not
/// block valid callers.
pub(crate) const MAX_BUCKETS: u64 = 100_000;

/// The time after which an unused bucket is full at any limit and is deleted.
pub(crate) const BUCKET_IDLE_TIME: Duration = Duration::from_secs(120);

/// The test calls per minute of one hook. A person who debugs a receiver needs fewer calls. The limit
/// prevents clients from flooding another host through this server.
pub(crate) const TEST_CALLS_PER_MINUTE: u32 = 10;

/// The replays per minute of one hook, each of one or of many deliveries. This is enough for a receiver that
/// lost its data. The limit prevents clients from flooding another host through this server.
pub(crate) const REPLAYS_PER_MINUTE: u32 = 10;

/// The address verifications per minute of one application. Each verification sends a request to a host that
/// has not agreed to receive it.
pub(crate) const VERIFICATIONS_PER_MINUTE: u32 = 10;

/// The limit of failures per network address, as a multiple of the limit of one client. Several programs
/// behind the address of a company may still use an old secret.
pub(crate) const ADDRESS_FAILURE_FACTOR: u32 = 10;

/// The value of `Retry-After` in seconds if the storage is unreachable or a company is busy. A restart of the
/// storage usually takes less time, and a person can wait that long.
pub(crate) const RETRY_AFTER_SECONDS: u32 = 5;

/// The maximum value of `Retry-After` for a lock with an expiry. The lock can be released before it expires,
/// and a client that waits a minute longer than necessary loses little.
pub(crate) const MAX_LOCK_RETRY_AFTER_SECONDS: i64 = 60;

/// The maximum number of validations of one request. A validation is repeated if the data that it read
/// changed before the write. Each repetition means that another request succeeded, so several repetitions
/// indicate high contention.
pub(crate) const MAX_VALIDATION_ATTEMPTS: u32 = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::settings::HttpSettings;
    use crate::transport::limits::{
        HEADER_FIELD_BYTES, MAX_CONNECTION_STREAMS, MAX_ENDING_CONNECTIONS, MAX_HEAD_BYTES,
        MAX_HEADER_FIELDS, MAX_READ_BYTES, MAX_SEND_BUFFER_BYTES, MAX_STREAM_RESETS, MAX_WRITE_BYTES,
        RESERVED_REQUEST_BYTES,
    };

    /// Returns the rows of the table of limits: the name of each limit and its value.
    fn documented_limits() -> Vec<(&'static str, String)> {
        let kib = |bytes: usize| format!("{} KiB", bytes / 1024);
        let mib = |bytes: usize| format!("{} MiB", bytes / (1024 * 1024));
        let seconds = |time: Duration| format!("{} s", time.as_secs());
        let settings = HttpSettings::default();
        let unread = settings.head_timeout + settings.body_timeout + settings.shutdown_timeout;
        vec![
            ("connections that are closing", MAX_ENDING_CONNECTIONS.to_string()),
            ("time for the TLS handshake", seconds(settings.head_timeout)),
            ("time for the head of a request", seconds(settings.head_timeout)),
            ("idle connection", seconds(settings.keep_alive)),
            ("bytes of path and query", kib(MAX_TARGET_BYTES)),
            ("bytes of header names and values", kib(MAX_HEADER_BYTES)),
            ("header fields", MAX_HEADER_FIELDS.to_string()),
            ("bytes of a head in all", kib(MAX_HEAD_BYTES)),
            ("bytes of a body", mib(settings.max_body_bytes)),
            ("bytes of a body", kib(MAX_FORM_BYTES)),
            ("bytes of a body", mib(MAX_UPLOAD_BODY_BYTES)),
            ("bytes of a body", kib(LARGE_BODY_BYTES)),
            ("time for a body", seconds(settings.body_timeout)),
            ("bytes of a body that are read ahead", kib(MAX_READ_BYTES)),
            ("memory of requests and responses in progress", mib(settings.max_memory_bytes)),
            ("memory of requests and responses in progress", kib(LARGE_RESPONSE_BYTES)),
            ("memory of one application", mib(settings.max_memory_bytes_of_application)),
            ("bytes of a response that wait in a connection", kib(2 * MAX_WRITE_BYTES)),
            ("bytes of a response that wait in a connection", kib(MAX_SEND_BUFFER_BYTES)),
            ("time without reading a response", seconds(unread)),
            ("streamed responses", settings.max_streams.to_string()),
            ("streamed responses", seconds(settings.stream_timeout)),
            ("requests on one HTTP/2 connection", MAX_CONNECTION_STREAMS.to_string()),
            ("memory of one request", kib(RESERVED_REQUEST_BYTES)),
            ("memory of one request", HEADER_FIELD_BYTES.to_string()),
            (
                "HTTP/2 requests that the client cancels, and streams that break the protocol",
                MAX_STREAM_RESETS.to_string(),
            ),
        ]
    }

    #[test]
    fn the_operating_guide_lists_the_current_limits() {
        let page = include_str!("../../../../docs/operating/security.md");
        for (row, value) in documented_limits() {
            let line = page.lines().find(|line| line.starts_with(&format!("| {row} |")));
            assert!(line.is_some_and(|line| line.contains(&value)), "{row}: {value}: {line:?}");
        }
    }
}
