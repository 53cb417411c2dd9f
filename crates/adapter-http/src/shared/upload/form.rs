//! Documents that are uploaded as a form (RFC 7578). The part `content` contains the unencoded bytes of the
//! file.

use std::borrow::Cow;
use std::convert::Infallible;

use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::Bytes;
use futures_util::FutureExt;
use futures_util::stream;
use multer::Multipart;
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

use super::{UploadMember, UploadMembers, UploadedFile};
use crate::shared::error::Failure;
use crate::shared::incoming::IncomingRequest;
use crate::shared::media_type::FORM_DATA;

/// The maximum number of parts of a form. A document has three parts, and web pages may add a few fields.
const MAX_PARTS: usize = 16;

/// Returns the boundary between the parts of the body; `None` if the body is not a form.
///
/// # Errors
/// API-415 if a form has no boundary.
pub(crate) fn form_boundary(incoming: &IncomingRequest) -> Result<Option<String>, Violation> {
    if !incoming.has_media_type(FORM_DATA) {
        return Ok(None);
    }
    let line = incoming.headers().get(CONTENT_TYPE).and_then(|line| line.to_str().ok()).unwrap_or_default();
    multer::parse_boundary(line).map(Some).map_err(|_| {
        let rule = format!("the Content-Type {FORM_DATA} must have the parameter boundary (RFC 7578)");
        Violation::new(Reason::MediaTypeUnsupported, rule)
    })
}

/// Reads a document from the parts of a form. Without a part `name`, the file name of the part `content` is
/// used.
///
/// # Errors
/// API-40 if the body is not a valid form, API-52 if it has no parts, and the errors of
/// [`super::read_document`].
pub(super) fn read_document_form(body: Bytes, boundary: &str) -> Result<UploadedFile, Failure> {
    let members = read_parts(body, boundary)?;
    if members.is_empty() {
        return Err(Reason::EmptyRequest.into());
    }
    UploadMembers { members, faults: Vec::new() }.into_document()
}

fn read_parts(
    body: Bytes,
    boundary: &str,
) -> Result<Vec<(Cow<'static, str>, UploadMember<'static>)>, Failure> {
    let body = stream::iter([Ok::<_, Infallible>(body)]);
    let read = async {
        let (mut form, mut members) = (Multipart::new(body, boundary), Vec::new());
        let mut file_name = None;
        while let Some(part) = form.next_field().await.map_err(|error| malformed_form_failure(&error))? {
            if members.len() == MAX_PARTS {
                let rule = format!("the form may have at most {MAX_PARTS} parts");
                return Err(Violation::new(Reason::InvalidParameter, rule).into());
            }
            let Some(name) = part.name().map(str::to_owned) else {
                return Err(Violation::new(Reason::InvalidParameter, "a part of the form has no name").into());
            };
            if name == "content" {
                file_name = part.file_name().map(str::to_owned);
            }
            let bytes = part.bytes().await.map_err(|error| malformed_form_failure(&error))?;
            members.push((Cow::Owned(name), UploadMember::Part(bytes)));
        }
        if let Some(file_name) = file_name
            && !members.iter().any(|(name, _)| name == "name")
        {
            members.push((Cow::Borrowed("name"), UploadMember::Part(file_name.into())));
        }
        Ok(members)
    };
    // `now_or_never` returns a result, because all bytes are already in memory.
    read.now_or_never()
        .unwrap_or_else(|| Err(Failure::Bug("the parser waited for more bytes of a complete form".into())))
}

/// Returns the error for a malformed form. The error omits the parser's text, which may quote the body.
fn malformed_form_failure(error: &multer::Error) -> Failure {
    let problem = match error {
        multer::Error::IncompleteStream => "it does not end with its boundary",
        multer::Error::IncompleteFieldData { .. } => "a part does not end with the boundary",
        multer::Error::IncompleteHeaders | multer::Error::ReadHeaderFailed(_) => {
            "a part has no readable header"
        }
        multer::Error::DecodeHeaderName { .. } | multer::Error::DecodeHeaderValue { .. } => {
            "a header of a part cannot be read"
        }
        _ => "it has another structure",
    };
    Violation::new(Reason::InvalidParameter, format!("the body is not a form of RFC 7578: {problem}")).into()
}
