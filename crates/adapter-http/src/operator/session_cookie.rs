//! The cookie of a session and its protection against cross-site requests.
//!
//! Scripts cannot read the cookie. Browsers send it only to this server and only from its own pages
//! (`SameSite=Strict`). In addition, a request that writes must prove that a page of this server sent it. The
//! proof has two parts: the headers in which the browser names the origin of the page, and a CSRF token that
//! only a page of this server can read.

use actix_web::http::header::{COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN, SET_COOKIE};
use actix_web::{HttpResponse, http::Uri};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;
use payroll_ports::BoxError;
use sha2::Sha256;

use crate::shared::error::Failure;
use crate::shared::incoming::IncomingRequest;

/// The name of the session cookie without TLS.
pub(crate) const COOKIE_NAME: &str = "payroll_operator_session";

/// The name of the session cookie over TLS. Browsers accept the prefix `__Host-` only from this host and only
/// with `Secure`, so another host of the domain cannot set the cookie (RFC 6265bis).
pub(crate) const SECURE_COOKIE_NAME: &str = "__Host-payroll_operator_session";

/// The header in which a page sends the CSRF token.
const CSRF_HEADER: &str = "x-csrf-token";

/// The header in which a browser states whether a page of the same site sends the request (W3C Fetch
/// Metadata).
static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Returns the value of the session cookie. If two cookies have the same name, both are ignored, because
/// another host of the domain may have set one.
pub(super) fn read_session_cookie(incoming: &IncomingRequest) -> Option<&str> {
    cookie_value(incoming.headers(), cookie_name(is_secure(incoming)))
}

/// Whether the browser uses TLS, according to the settings, the listener or the proxies.
fn is_secure(incoming: &IncomingRequest) -> bool {
    incoming.api.settings.https_only || incoming.base_url().starts_with("https:")
}

const fn cookie_name(is_secure: bool) -> &'static str {
    if is_secure { SECURE_COOKIE_NAME } else { COOKIE_NAME }
}

fn cookie_value<'h>(headers: &'h HeaderMap, expected: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(name, _)| *name == expected).map(|(_, value)| value);
    let value = values.next()?;
    values.next().is_none().then_some(value)
}

/// Returns the CSRF token of a session. The token is computed from the session's value, so the token is not
/// stored.
pub(super) fn csrf_token(session: &str) -> Result<String, BoxError> {
    Ok(URL_SAFE_NO_PAD.encode(session_mac(session)?.finalize().into_bytes()))
}

fn session_mac(session: &str) -> Result<Hmac<Sha256>, BoxError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(session.as_bytes())?;
    mac.update(b"token against forged requests");
    Ok(mac)
}

/// Verifies that a page of this server sent the request.
///
/// # Errors
/// 403 API-2 if another site sent the request.
pub(super) fn check_same_site(incoming: &IncomingRequest, session: &str) -> Result<(), Failure> {
    let headers = incoming.headers();
    if headers.get(&SEC_FETCH_SITE).is_some_and(|site| site != "same-origin") {
        return Err(csrf_failure("the request comes from a web page of another site"));
    }
    if headers.get(ORIGIN).is_some_and(|origin| !is_own_origin(origin, incoming)) {
        return Err(csrf_failure("the request comes from a web page of another origin"));
    }
    let sent = headers.get(CSRF_HEADER).and_then(|value| URL_SAFE_NO_PAD.decode(value.as_bytes()).ok());
    let fits = session_mac(session).map_err(Failure::Bug)?.verify_slice(&sent.unwrap_or_default()).is_ok();
    if fits {
        return Ok(());
    }
    Err(csrf_failure(
        "a request of a session that changes data must have the header X-CSRF-Token with the csrfToken of \
         the session",
    ))
}

fn csrf_failure(description: &str) -> Failure {
    Violation::new(Reason::CsrfProofMissing, description).into()
}

/// Whether an origin has the host of this server, according to the request or the proxies. The scheme is
/// ignored: if a proxy that is not trusted terminates TLS, the server does not know which scheme the browser
/// uses.
fn is_own_origin(origin: &HeaderValue, incoming: &IncomingRequest) -> bool {
    let authority = |text: &str| Some(text.parse::<Uri>().ok()?.authority()?.as_str().to_owned());
    let Some(origin) = origin.to_str().ok().and_then(authority) else { return false };
    let host = incoming.headers().get(HOST).and_then(|host| host.to_str().ok());
    host == Some(origin.as_str()) || authority(&incoming.base_url()).is_some_and(|own| own == origin)
}

/// Adds the session cookie, with a lifetime in seconds. If the lifetime is 0, the browser deletes the cookie.
pub(super) fn set_session_cookie(
    response: HttpResponse,
    incoming: &IncomingRequest,
    session: &str,
    seconds: i64,
) -> Result<HttpResponse, Failure> {
    add_cookie(response, (cookie_name(is_secure(incoming)), session), seconds, "Strict")
}

/// Adds a cookie that scripts cannot read, with a lifetime in seconds. A name with the prefix `__Host-`
/// requires TLS.
fn add_cookie(
    mut response: HttpResponse,
    (name, value): (&str, &str),
    seconds: i64,
    same_site: &str,
) -> Result<HttpResponse, Failure> {
    let secure = if name.starts_with("__Host-") { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}");
    let cookie = HeaderValue::try_from(text).map_err(|error| Failure::Bug(error.into()))?;
    response.headers_mut().append(SET_COOKIE, cookie);
    Ok(response)
}

/// The time in seconds in which an operator must finish a sign-in.
const SIGN_IN_LIFETIME_SECONDS: i64 = 600;

/// Returns the name of the cookie with the secrets of a started sign-in.
const fn sign_in_cookie_name(is_secure: bool) -> &'static str {
    if is_secure { "__Host-payroll_sign_in" } else { "payroll_sign_in" }
}

/// Returns the secrets of the sign-in that this browser started.
pub(super) fn read_sign_in_cookie(incoming: &IncomingRequest) -> Option<String> {
    cookie_value(incoming.headers(), sign_in_cookie_name(is_secure(incoming))).map(str::to_owned)
}

/// Adds the cookie with the secrets of a started sign-in; `None` deletes the cookie. The cookie is `Lax`,
/// because the browser must send it when the provider, which is another site, redirects to the callback.
pub(super) fn set_sign_in_cookie(
    response: HttpResponse,
    incoming: &IncomingRequest,
    secrets: Option<&str>,
) -> Result<HttpResponse, Failure> {
    let (value, seconds) = secrets.map_or(("", 0), |secrets| (secrets, SIGN_IN_LIFETIME_SECONDS));
    add_cookie(response, (sign_in_cookie_name(is_secure(incoming)), value), seconds, "Lax")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookie_headers(lines: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        lines.iter().for_each(|line| headers.append(COOKIE, HeaderValue::from_static(line)));
        headers
    }

    #[test]
    fn session_cookie_is_read_among_others_and_must_be_unique() {
        for (lines, value) in [
            (&["payroll_operator_session=ops_a"][..], Some("ops_a")),
            (&["a=b; payroll_operator_session=ops_a;c=d"], Some("ops_a")),
            (&["a=b", "payroll_operator_session=ops_a"], Some("ops_a")),
            (&["payroll_operator_session=a; payroll_operator_session=b"], None),
            (&["payroll_operator_session=a", "payroll_operator_session=a"], None),
            (&["xpayroll_operator_session=a", "payroll_operator_session", ";;="], None),
            (&[], None),
        ] {
            assert_eq!(cookie_value(&cookie_headers(lines), COOKIE_NAME), value, "{lines:?}");
        }
        let both = cookie_headers(&[
            "payroll_operator_session=set_by_a_neighbour; __Host-payroll_operator_session=ops_a",
        ]);
        assert_eq!(cookie_value(&both, SECURE_COOKIE_NAME), Some("ops_a"));
    }

    #[test]
    fn csrf_token_depends_on_the_session_and_does_not_reveal_it() {
        let token = csrf_token("ops_a").unwrap();
        assert_eq!(token, csrf_token("ops_a").unwrap());
        assert_ne!(token, csrf_token("ops_b").unwrap());
        assert!(token.len() == 43 && !token.contains("ops_a"));
    }
}
