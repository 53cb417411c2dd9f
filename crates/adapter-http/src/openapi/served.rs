//! Serves the description at `/openapi.json`, and the reference page at `/docs/`, where readers can try every
//! operation. All files of the page are in the binary, so the browser contacts no other server.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use actix_web::HttpResponse;
use actix_web::http::header::{
    CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HeaderValue, LOCATION, REFERRER_POLICY, VARY,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use payroll_domain::code::Reason;

use super::{markdown, page};
use crate::shared::browser_page::accepts_gzip;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::media_type::JSON;
use crate::shared::settings::HttpSettings;
use crate::shared::static_file::static_file_response;

/// The description for the settings of the listener, which is generated on the first request.
pub(crate) type LazyDescription = Arc<OnceLock<DescriptionFile>>;

/// The text of a description, and its compressed form, which is much smaller.
#[derive(Debug)]
pub(crate) struct DescriptionFile {
    uncompressed: Vec<u8>,
    gzip: Option<Vec<u8>>,
}

impl DescriptionFile {
    fn new(text: String) -> Self {
        let plain = text.into_bytes();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        let gzip = gzip.write_all(&plain).and_then(|()| gzip.finish()).ok();
        Self { uncompressed: plain, gzip }
    }
}

/// Handles `GET /openapi.json`: returns the description that `write` generates, compressed if the client
/// accepts gzip.
pub(crate) async fn serve_description(
    description: LazyDescription,
    write: fn(&HttpSettings) -> String,
    incoming: IncomingRequest,
) -> HandlerResult {
    let file = description.get_or_init(|| DescriptionFile::new(write(&incoming.api.settings)));
    let gzip = file.gzip.as_ref().filter(|_| accepts_gzip(incoming.headers()));
    let mut response = static_file_response(&incoming, JSON, gzip.unwrap_or(&file.uncompressed))?;
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if gzip.is_some() {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

/// Handles `GET /` and `GET /docs`: redirects to `/docs/`, because the page loads its files by URLs relative
/// to `/docs/`.
pub(crate) async fn redirect_to_page(_: IncomingRequest) -> HandlerResult {
    Ok(HttpResponse::PermanentRedirect().insert_header((LOCATION, "docs/")).finish())
}

/// Handles `GET /docs/` and the paths below it: serves the page, its files, and the documentation as
/// Markdown.
pub(crate) async fn serve_page(incoming: IncomingRequest) -> HandlerResult {
    let name = incoming.path().strip_prefix("/docs/").unwrap_or_default();
    if markdown::is_page(name) {
        return markdown::serve_markdown(&incoming);
    }
    let found = page::find_file(name).ok_or(Reason::UnknownResource)?;
    let mut response = static_file_response(&incoming, found.media_type, found.bytes)?;
    let policy =
        HeaderValue::try_from(content_security_policy(incoming.api.settings.public_base_url.as_deref()));
    let policy = policy.map_err(|error| Failure::Bug(error.into()))?;
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response.headers_mut().insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if found.gzip {
        // Every browser supports gzip, so `Accept-Encoding` is not evaluated.
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

/// Returns the Content Security Policy of the page. The page may load its own files. The page may call the
/// server at the page's origin and at the public URL. Inline styles are allowed, because Swagger UI needs
/// them.
fn content_security_policy(public_base_url: Option<&str>) -> String {
    let public = public_base_url.unwrap_or_default();
    // A policy contains only the origin of a URL, not its path.
    let origin: String = public.split('/').take(3).collect::<Vec<_>>().join("/");
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
         connect-src 'self' {origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_may_only_call_the_public_address() {
        assert!(content_security_policy(None).contains("connect-src 'self' ; base-uri"));
        let policy = content_security_policy(Some("https://api.example.org:8443/payroll"));
        assert!(policy.contains("connect-src 'self' https://api.example.org:8443; base-uri"), "{policy}");
    }
}
