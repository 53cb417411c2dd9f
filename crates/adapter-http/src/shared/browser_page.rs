//! Serves the pages of the console and of the portal (specification §10.24, §1.10) and the files that they
//! load. The files contain no customer data. The script of a page fetches its data from the API.

use actix_web::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue, REFERRER_POLICY, VARY,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_console::{App, ServerProperties};
use payroll_domain::code::Reason;
use sha2::{Digest, Sha256};

use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::static_file::static_file_response;

/// Serves the page of the console or of the portal, with its Content Security Policy.
///
/// # Errors
/// [`Failure::Bug`] if the binary does not contain the page.
pub(crate) async fn serve_page(app: App, incoming: IncomingRequest) -> HandlerResult {
    let settings = &incoming.api.settings;
    let facts = ServerProperties {
        request_id_header: &settings.request_id_header,
        vendor: &settings.vendor,
        is_sandbox: settings.sandbox,
        two_person_completion: settings.two_person_completion,
        single_sign_on: &settings.single_sign_on,
    };
    let page = payroll_console::build_page(app, &facts);
    let page = page.ok_or_else(|| Failure::Bug("a page is missing in the binary".into()))?;
    let mut response = static_file_response(&incoming, "text/html; charset=utf-8", page.text.as_bytes())?;
    let policy = HeaderValue::try_from(content_security_policy(&page.script))
        .map_err(|error| Failure::Bug(error.into()))?;
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    set_referrer_policy(response.headers_mut());
    Ok(response)
}

/// Serves a file that a page loads. The path of the request is `/{app}/{folder}/{name}`.
///
/// # Errors
/// 404 API-7 if there is no file of this name.
pub(crate) async fn serve_file(app: App, incoming: IncomingRequest) -> HandlerResult {
    let segments: Vec<&str> = incoming.path().split('/').collect();
    let found = match segments[..] {
        ["", _, folder, name] => {
            payroll_console::find_file(app, folder, name, accepts_gzip(incoming.headers()))
        }
        _ => None,
    };
    let file = found.ok_or(Reason::UnknownResource)?;
    let mut response =
        static_file_response(&incoming, file.media_type, file.gzip.as_ref().unwrap_or(&file.bytes))?;
    if file.gzip.is_some() {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    set_referrer_policy(response.headers_mut());
    Ok(response)
}

/// Whether `Accept-Encoding` lists gzip with a weight other than 0 (RFC 9110, 12.5.3).
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT_ENCODING).filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let is_refused = |weight: &str| {
            let number = weight.strip_prefix("q=").or_else(|| weight.strip_prefix("Q="));
            number.is_some_and(|number| {
                number.starts_with('0') && !number.contains(|c| ('1'..='9').contains(&c))
            })
        };
        is_gzip && !parts.any(is_refused)
    })
}

fn set_referrer_policy(headers: &mut HeaderMap) {
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// Returns the Content Security Policy of a page. The page may load its own files, run its one inline script
/// (the import map), and call this server.
fn content_security_policy(script: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(script.as_bytes()));
    format!(
        "default-src 'none'; script-src 'self' 'sha256-{hash}'; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_files_are_sent_to_clients_that_accept_them() {
        let takes = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(text));
            accepts_gzip(&headers)
        };
        for text in ["gzip", "gzip, deflate, br", "br;q=1, GZIP;q=0.8", "gzip;q=0.001"] {
            assert!(takes(text), "{text}");
        }
        for text in ["", "br", "gzip;q=0", "gzip; q=0.000", "identity", "*", "xgzip"] {
            assert!(!takes(text), "{text}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }

    #[test]
    fn only_scripts_of_the_server_may_run() {
        let policy = content_security_policy("{}");
        assert!(!policy.contains("unsafe") && policy.starts_with("default-src 'none'"), "{policy}");
        assert!(policy.contains("'sha256-RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o='"), "{policy}");
    }
}
