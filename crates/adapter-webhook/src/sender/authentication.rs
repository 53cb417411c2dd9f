//! The headers that authenticate the server to a receiver. `Debug` shows none of them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_domain::hook::Authentication;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};

/// The header that is sent with each request; `None` for OAuth, whose tokens are requested first.
///
/// # Errors
/// [`InvalidHeaderValue`] if the registered value is not valid in a header.
pub(super) fn header(
    authentication: &Authentication,
) -> Result<Option<(HeaderName, HeaderValue)>, InvalidHeaderValue> {
    match authentication {
        Authentication::Basic { username, password } => {
            Ok(Some((AUTHORIZATION, basic(username, password.expose())?)))
        }
        Authentication::ApiKey { header, key } => {
            let name = header.parse().map_err(|_| InvalidHeaderValue)?;
            Ok(Some((name, sensitive(key.expose())?)))
        }
        Authentication::OAuth2(_) | Authentication::OAuth2Basic(_) => Ok(None),
    }
}

/// The error for a registered value that is not valid in a header.
#[derive(Debug)]
pub(super) struct InvalidHeaderValue;

/// HTTP Basic credentials (RFC 7617).
pub(super) fn basic(name: &str, password: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    sensitive(&format!("Basic {}", STANDARD.encode(format!("{name}:{password}"))))
}

/// A header value that `Debug` does not show.
pub(super) fn sensitive(text: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut value = HeaderValue::from_bytes(text.as_bytes()).map_err(|_| InvalidHeaderValue)?;
    value.set_sensitive(true);
    Ok(value)
}
