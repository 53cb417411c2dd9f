//! Sends files as downloads, which browsers store and do not display.

use std::fmt::Write;

use actix_web::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use payroll_domain::code::Reason;
use payroll_domain::file::{WorkerFile, to_download_name};
use payroll_domain::id::CompanyId;
use payroll_ports::files::BlobKey;

use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::response::GetResponse;
use crate::shared::wire::Content;

/// The media type of a download. Clients save it as a file.
pub(crate) const OCTET_STREAM: &str = "application/octet-stream";

/// The Content Security Policy of a download. The policy blocks scripts and requests if a browser displays
/// the file as a page.
const SANDBOX_POLICY: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'");
const NO_SNIFFING: HeaderValue = HeaderValue::from_static("nosniff");

/// Creates the response with the content of a file.
///
/// # Errors
/// API-429 or API-503 if there is no memory for the file, and the error of the store.
pub(crate) async fn file_response(
    incoming: &IncomingRequest,
    company_id: &CompanyId,
    file: &WorkerFile,
) -> HandlerResult {
    let reading =
        GetResponse::with_etag(incoming, OCTET_STREAM, EntityTag::from_version(file.created.as_micros()));
    let mut response = match reading.without_body() {
        Some(response) => response,
        None => reading.with_body(Content::Complete(read_content(incoming, company_id, file).await?))?,
    };
    let name = to_download_name(file.name.as_deref().unwrap_or("file"), file.content_type);
    let disposition =
        HeaderValue::try_from(content_disposition(&name)).map_err(|error| Failure::Bug(error.into()))?;
    let headers = response.headers_mut();
    headers.insert(CONTENT_DISPOSITION, disposition);
    headers.insert(CONTENT_SECURITY_POLICY, SANDBOX_POLICY);
    headers.insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFFING);
    Ok(response)
}

/// Reads the content of a file, after memory for the content is reserved.
///
/// # Errors
/// API-429 or API-503 if there is no memory for the file, and the error of the store.
pub(crate) async fn read_content(
    incoming: &IncomingRequest,
    company_id: &CompanyId,
    file: &WorkerFile,
) -> Result<Vec<u8>, Failure> {
    incoming.reserve_for_response(usize::try_from(file.size).unwrap_or(usize::MAX))?;
    let key = BlobKey { company_id: company_id.clone(), file_id: file.file_id.clone() };
    let content = incoming.api.blobs.get_blob(&key).await?;
    // A file may be deleted between the read of its description and the read of its content. The file is
    // then reported as unknown.
    content.ok_or_else(|| Reason::UnknownResource.into())
}

/// Returns the header `Content-Disposition` with the file name in both forms of RFC 6266: ASCII and UTF-8.
fn content_disposition(name: &str) -> String {
    let plain = |character: char| {
        let is_plain = (character.is_ascii_graphic() || character == ' ')
            && !matches!(character, '"' | '\\' | '%' | ';' | '/');
        if is_plain { character } else { '_' }
    };
    let plain: String = name.chars().map(plain).collect();
    let mut encoded = String::new();
    for byte in name.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'.' | b'-' | b'_' | b'~' => encoded.push(byte.into()),
            // The result is ignored, because writing to a string cannot fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_has_two_encodings_and_is_escaped() {
        for (name, expected) in [
            ("a b.pdf", "attachment; filename=\"a b.pdf\"; filename*=UTF-8''a%20b.pdf"),
            ("é\".txt", "attachment; filename=\"__.txt\"; filename*=UTF-8''%C3%A9%22.txt"),
            ("a;b%\r\n", "attachment; filename=\"a_b___\"; filename*=UTF-8''a%3Bb%25%0D%0A"),
        ] {
            assert_eq!(content_disposition(name), expected);
            assert!(HeaderValue::try_from(content_disposition(name)).is_ok());
        }
    }
}
