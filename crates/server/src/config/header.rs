//! The names of headers in settings.

use validator::ValidationError;

use super::values::check_format;

/// The headers that HTTP or the server itself uses.
const USED_HEADERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "authorization",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "date",
    "etag",
    "expect",
    "forwarded",
    "host",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "keep-alive",
    "location",
    "prefer",
    "retry-after",
    "server",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "vary",
    "www-authenticate",
];

/// The name of a header. HTTP allows more characters, but these pass every proxy.
pub(super) fn header_name(text: &str) -> Result<(), ValidationError> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let fits = (1..=64).contains(&text.len()) && text.bytes().all(good);
    check_format(fits, "must be 1 to 64 of the characters A-Z, a-z, 0-9 and -")?;
    let is_used = USED_HEADERS.iter().any(|used| used.eq_ignore_ascii_case(text));
    check_format(!is_used, "must not be a header that HTTP or this server uses for another purpose")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_has_another_purpose_is_rejected() {
        for (name, is_valid) in [
            ("x-request-id", true),
            ("Correlation-Id", true),
            ("content-length", false),
            ("Date", false),
            ("x_id", false),
            ("", false),
        ] {
            assert_eq!(header_name(name).is_ok(), is_valid, "{name}");
        }
    }
}
