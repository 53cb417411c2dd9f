//! The headers that authenticate the server to a receiver. The `Debug` output of these headers hides their
//! values.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_domain::hook::Authentication;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};

/// Returns the header that authenticates each request. Returns `None` for OAuth, because requests with OAuth
/// contain a token instead.
///
/// # Errors
/// [`InvalidHeaderValue`] if a registered value cannot be used in a header.
pub(super) fn build_authorization_header(
    authentication: &Authentication,
) -> Result<Option<(HeaderName, HeaderValue)>, InvalidHeaderValue> {
    match authentication {
        Authentication::Basic { username, password } => {
            Ok(Some((AUTHORIZATION, build_basic_header(username, password.expose())?)))
        }
        Authentication::ApiKey { header, key } => {
            let name = header.parse().map_err(|_| InvalidHeaderValue)?;
            Ok(Some((name, build_sensitive_header(key.expose())?)))
        }
        Authentication::OAuth2(_) | Authentication::OAuth2Basic(_) => Ok(None),
    }
}

/// The error for a registered value that cannot be used in a header.
#[derive(Debug)]
pub(super) struct InvalidHeaderValue;

/// Returns the header value of HTTP Basic credentials (RFC 7617).
pub(super) fn build_basic_header(name: &str, password: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    build_sensitive_header(&format!("Basic {}", STANDARD.encode(format!("{name}:{password}"))))
}

/// Creates a header value that `Debug` hides.
pub(super) fn build_sensitive_header(text: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut value = HeaderValue::from_bytes(text.as_bytes()).map_err(|_| InvalidHeaderValue)?;
    value.set_sensitive(true);
    Ok(value)
}
