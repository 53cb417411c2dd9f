//! Validates settings that contain the name of a header.

use validator::ValidationError;

use super::values::check_format;

/// The headers that HTTP or this server uses, so that a setting must not name them.
const RESERVED_HEADERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "accept-ranges",
    "age",
    "allow",
    "alt-svc",
    "authorization",
    "cache-control",
    "checks-left-out",
    "connection",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-range",
    "content-security-policy",
    "content-type",
    "cookie",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "date",
    "deprecation",
    "etag",
    "expect",
    "forwarded",
    "host",
    "idempotency-key",
    "idempotent-replayed",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "last-modified",
    "link",
    "location",
    "origin",
    "permissions-policy",
    "prefer",
    "preference-applied",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "ratelimit",
    "ratelimit-policy",
    "referer",
    "referrer-policy",
    "retry-after",
    "sandbox-fault",
    "sec-fetch-site",
    "server",
    "set-cookie",
    "strict-transport-security",
    "sunset",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "vary",
    "via",
    "www-authenticate",
    "x-content-type-options",
    "x-csrf-token",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-frame-options",
    "x-real-ip",
];

/// Validates the name of a header. Only letters, digits and hyphens are accepted. HTTP allows more
/// characters, but some proxies remove headers with such names.
pub(super) fn validate_header_name(text: &str) -> Result<(), ValidationError> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let fits = (1..=64).contains(&text.len()) && text.bytes().all(good);
    check_format(fits, "must be 1 to 64 of the characters A-Z, a-z, 0-9 and -")?;
    let is_used = RESERVED_HEADERS.iter().any(|used| used.eq_ignore_ascii_case(text));
    check_format(!is_used, "must not be a header that HTTP or this server uses for another purpose")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_and_reserved_header_names_are_rejected() {
        for (name, is_valid) in [
            ("x-request-id", true),
            ("Correlation-Id", true),
            ("content-length", false),
            ("Date", false),
            ("content-security-policy", false),
            ("ratelimit", false),
            ("x_id", false),
            ("", false),
        ] {
            assert_eq!(validate_header_name(name).is_ok(), is_valid, "{name}");
        }
    }
}
