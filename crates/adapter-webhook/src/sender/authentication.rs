//! How the server shows a receiver who it is, as headers. None of them is shown by `Debug`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_domain::hook::Authentication;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};

/// The header that goes with each request; `None` for tokens, which are fetched first.
///
/// # Errors
/// What was registered makes no header.
pub(super) fn header(authentication: &Authentication) -> Result<Option<(HeaderName, HeaderValue)>, NoHeader> {
    match authentication {
        Authentication::Basic { username, password } => {
            Ok(Some((AUTHORIZATION, basic(username, password.expose())?)))
        }
        Authentication::ApiKey { header, key } => {
            let name = header.parse().map_err(|_| NoHeader)?;
            Ok(Some((name, sensitive(key.expose())?)))
        }
        Authentication::OAuth2(_) | Authentication::OAuth2Basic(_) => Ok(None),
    }
}

/// What was registered makes no header.
#[derive(Debug)]
pub(super) struct NoHeader;

/// HTTP Basic credentials (RFC 7617).
pub(super) fn basic(name: &str, password: &str) -> Result<HeaderValue, NoHeader> {
    sensitive(&format!("Basic {}", STANDARD.encode(format!("{name}:{password}"))))
}

/// A value that is not shown.
pub(super) fn sensitive(text: &str) -> Result<HeaderValue, NoHeader> {
    let mut value = HeaderValue::from_bytes(text.as_bytes()).map_err(|_| NoHeader)?;
    value.set_sensitive(true);
    Ok(value)
}
