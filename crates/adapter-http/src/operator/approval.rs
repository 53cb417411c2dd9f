//! The page on which an operator decides about an access request (specification §10.16). The page is a static
//! file without data. The operator enters a key, with which the page queries the operator API. The key is
//! sent nowhere else.
//!
//! The script and the style are inline. The Content Security Policy forbids all other scripts and styles, and
//! any contact with other servers, even for images.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_domain::access::Scopes;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::scope::scope_description;

const PAGE_STYLE: &str = include_str!("approval/page.css");

static PAGE_SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let meanings = Scopes::for_companies()
        .iter()
        .map(|scope| (scope.as_str().to_owned(), scope_description(scope).into()));
    let meanings = Value::Object(meanings.collect()).to_string();
    include_str!("approval/page.js").replace("/* meanings */ {}", &meanings)
});

static PAGE_HTML: LazyLock<String> = LazyLock::new(|| {
    include_str!("approval/page.html")
        .replace("/* style */", PAGE_STYLE)
        .replace("/* script */", &PAGE_SCRIPT)
});

static PAGE_POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; img-src data:; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hash(&PAGE_SCRIPT),
        hash(PAGE_STYLE)
    )
});

/// Handles `GET /approve/{accessRequest}`. The page is the same for every link, even for an invalid one.
pub(crate) async fn serve_page(_: IncomingRequest) -> HandlerResult {
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((CONTENT_SECURITY_POLICY, PAGE_POLICY.as_str()))
        .insert_header((HeaderName::from_static("x-content-type-options"), "nosniff"))
        .insert_header((HeaderName::from_static("referrer-policy"), "no-referrer"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(PAGE_HTML.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_contains_only_permitted_code_and_no_other_server() {
        assert!(PAGE_HTML.contains(PAGE_SCRIPT.as_str()) && PAGE_HTML.contains(PAGE_STYLE));
        assert!(
            PAGE_SCRIPT.contains(r#""read:taxids":"See full social security numbers.""#),
            "{}",
            *PAGE_SCRIPT
        );
        assert!(
            !PAGE_HTML.contains("http://")
                && !PAGE_HTML.contains("https://")
                && !PAGE_HTML.contains("innerHTML")
        );
        assert!(!PAGE_POLICY.contains("unsafe"));
    }
}
