//! Files that are embedded in the binary: API descriptions, pages and their assets.

use actix_web::http::header::{CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};

use crate::shared::etag::EntityTag;
use crate::shared::etag::compute_rows_version;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::response::GetResponse;
use crate::shared::wire::Content;

/// The media type of text files. Browsers display plain text instead of downloading it.
pub(crate) const PLAIN_TEXT: &str = "text/plain; charset=utf-8";

/// Returns the response with a file that changes only with a new release of the server.
pub(crate) fn static_file_response(
    incoming: &IncomingRequest,
    media_type: &str,
    bytes: &[u8],
) -> HandlerResult {
    let tag = EntityTag::from_version(compute_rows_version(&[bytes]));
    let reading = GetResponse::with_etag(incoming, media_type, tag);
    let mut response = match reading.without_body() {
        Some(response) => response,
        None => reading.with_body(Content::Complete(bytes.to_vec()))?,
    };
    // Browsers may store the file but must revalidate it, because the server may have been upgraded.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}
