//! Reads the credentials in the header `Authorization: Bearer`.

use actix_web::http::header::{AUTHORIZATION, HeaderMap};

use crate::shared::error::Failure;

/// Returns the credentials of the `Authorization: Bearer` header.
///
/// # Errors
/// 401 API-102 if the header is missing, has another scheme, or was sent twice.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Result<&[u8], Failure> {
    let mut values = headers.get_all(AUTHORIZATION);
    let value = values.next().ok_or_else(Failure::missing_token)?.as_bytes();
    if values.next().is_some() {
        return Err(Failure::invalid_token());
    }
    match value.split_at_checked("Bearer ".len()) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case(b"Bearer ") => Ok(token.trim_ascii()),
        _ => Err(Failure::missing_token()),
    }
}
