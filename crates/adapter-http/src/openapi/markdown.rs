//! Serves the documentation as Markdown: `/llms.txt` and the linked pages below `/docs/`. These pages
//! describe the running release.

use actix_web::http::header::{CONTENT_ENCODING, HeaderValue, VARY};
use payroll_domain::code::Reason;

use crate::shared::browser_page::accepts_gzip;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::static_file::{PLAIN_TEXT, static_file_response};

/// The media type of a page.
const MARKDOWN_MEDIA_TYPE: &str = "text/markdown; charset=utf-8";
/// The extension of pages. All other files, such as `deploy/nginx.conf`, are sent as plain text.
const PAGE_EXTENSION: &str = ".md";

/// Handles `GET /llms.txt`: returns the index of the pages, for language models and people.
pub(crate) async fn serve_page_index(incoming: IncomingRequest) -> HandlerResult {
    static_file_response(&incoming, PLAIN_TEXT, payroll_documentation::INDEX.as_bytes())
}

/// Whether a path below `/docs/` names a page or another file of the documentation.
pub(super) fn is_page(path: &str) -> bool {
    path.ends_with(PAGE_EXTENSION) || payroll_documentation::find_compressed_page(path).is_some()
}

/// Sends a page, compressed if the client accepts gzip.
pub(super) fn serve_markdown(incoming: &IncomingRequest) -> HandlerResult {
    let path = incoming.path().strip_prefix("/docs/").unwrap_or_default();
    let gzip = payroll_documentation::find_compressed_page(path).ok_or(Reason::UnknownResource)?;
    let media_type = if path.ends_with(PAGE_EXTENSION) { MARKDOWN_MEDIA_TYPE } else { PLAIN_TEXT };
    let mut response = if accepts_gzip(incoming.headers()) {
        let mut response = static_file_response(incoming, media_type, gzip)?;
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        response
    } else {
        let text = payroll_documentation::decompress(gzip);
        let text = text.ok_or_else(|| Failure::Bug("a page of the documentation is damaged".into()))?;
        static_file_response(incoming, media_type, &text)?
    };
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    Ok(response)
}
