//! Reads an uploaded file: base64 in JSON, or a part of a form. All faults are reported together.

mod form;
mod upload_body;

use std::borrow::Cow;

use actix_web::web::Bytes;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use data_encoding::HEXLOWER;
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::file::{
    FileKind, FileType, ImageFault, MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS, WorkerFile,
    check_file_name, read_image_size,
};
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::lookup::DocumentCategoryId;
use payroll_domain::violation::{DocumentPosition, Violation, Violations};
use sha2::{Digest, Sha256};

pub(crate) use self::form::form_boundary;
pub(crate) use self::upload_body::{UploadBody, reject_failed_write, store_file};
use super::error::Failure;

/// The number of base64 characters that are decoded in one step.
const BASE64_STEP_CHARACTERS: usize = 4096;
/// The number of bytes that one step decodes to.
const BASE64_STEP_BYTES: usize = BASE64_STEP_CHARACTERS / 4 * 3;

/// A valid uploaded file.
pub(crate) struct UploadedFile {
    name: Option<String>,
    category_id: Option<DocumentCategoryId>,
    pub(crate) content: Vec<u8>,
    content_type: FileType,
    sha256: String,
}

impl UploadedFile {
    /// Creates the description of the new file, without the bytes of the file.
    pub(crate) fn to_worker_file(
        &self,
        kind: FileKind,
        ids: &mut IdSequence,
        created: Timestamp,
    ) -> WorkerFile {
        WorkerFile {
            kind,
            file_id: ids.next_id(),
            name: self.name.clone(),
            category_id: self.category_id.clone(),
            content_type: self.content_type,
            size: u32::try_from(self.content.len()).unwrap_or(u32::MAX),
            sha256: self.sha256.clone(),
            created,
        }
    }

    /// Returns a text that identifies the upload. Two requests that add the same file have the same text.
    fn content_fingerprint(&self) -> Bytes {
        let category_id = self.category_id.as_ref().map(DocumentCategoryId::as_str);
        serde_json::json!([self.name, category_id, self.sha256]).to_string().into()
    }
}

/// Reads an uploaded document.
///
/// # Errors
/// API-46 if the content is missing or not base64. API-62 for an unsupported type, API-63 for an invalid
/// name, and API-66 for an invalid category. API-413 if the document is too large.
pub(crate) fn read_document(sent: Node<'_>) -> Result<UploadedFile, Failure> {
    UploadMembers::from_node(sent)?.into_document()
}

/// Reads a profile image.
///
/// # Errors
/// API-46 if the image is missing or not base64, and API-62 for an unsupported type. API-48 for a broken
/// header or too many pixels. API-413 if the image is too large.
pub(crate) fn read_image(sent: Node<'_>) -> Result<UploadedFile, Failure> {
    let mut sent = UploadMembers::from_node(sent)?;
    let content = sent.take_content("image", MAX_IMAGE_BYTES);
    let content_type = content.as_deref().and_then(|content| sent.detect_image_type(content));
    sent.into_uploaded_file((None, None), content, content_type)
}

/// The members of an upload's body that are not read yet, and the faults found so far.
struct UploadMembers<'n> {
    members: Vec<(Cow<'n, str>, UploadMember<'n>)>,
    faults: Vec<Violation>,
}

/// A member of a JSON body, or a part of a form.
enum UploadMember<'n> {
    /// The value of a JSON member.
    Json(Value<'n>),
    /// The content of a part of a form.
    Part(Bytes),
}

impl UploadMember<'_> {
    fn is_null_or_empty(&self) -> bool {
        match self {
            Self::Json(value) => value.is_null_or_empty_text(),
            Self::Part(bytes) => bytes.is_empty(),
        }
    }

    /// Returns the member as text; `None` if it is not text.
    fn text(self) -> Option<String> {
        match self {
            Self::Json(Value::Text(text)) => Some(text.into_owned()),
            Self::Json(_) => None,
            Self::Part(bytes) => String::from_utf8(bytes.into()).ok(),
        }
    }

    /// Returns the content of the file; `None` if a JSON member is not base64.
    fn bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Json(Value::Text(text)) => decode_base64(text),
            Self::Json(_) => None,
            Self::Part(bytes) => Some(bytes.into()),
        }
    }
}

/// The result of the search for a member of an upload's body.
enum MemberLookup<'n> {
    /// The member is missing or null.
    Missing,
    /// The member occurs more than once. A fault was added.
    Ambiguous,
    Found(UploadMember<'n>),
}

impl<'n> UploadMembers<'n> {
    fn from_node(sent: Node<'n>) -> Result<Self, Failure> {
        match sent.value {
            Value::Object(members) if members.is_empty() => Err(Reason::EmptyRequest.into()),
            Value::Object(members) => {
                let members = members.into_iter().map(|(name, node)| (name, UploadMember::Json(node.value)));
                Ok(Self { members: members.collect(), faults: Vec::new() })
            }
            _ => Err(Violation::new(Reason::FieldInvalid, "the body must be an object").into()),
        }
    }

    fn add_fault(&mut self, reason: Reason, member: &str, problem: &str) {
        let fault = Violation::new(reason, format!("{member} {problem}"));
        self.faults.push(fault.at_position(format!("/{member}"), DocumentPosition::default()));
    }

    /// Removes a member from the unread members of the body and returns its value.
    fn take_member(&mut self, name: &str) -> MemberLookup<'n> {
        let named: Vec<usize> =
            self.members.iter().enumerate().filter(|(_, (own, _))| own == name).map(|(at, _)| at).collect();
        match named.as_slice() {
            [] => MemberLookup::Missing,
            [at] => {
                let (_, member) = self.members.swap_remove(*at);
                if member.is_null_or_empty() { MemberLookup::Missing } else { MemberLookup::Found(member) }
            }
            _ => {
                self.add_fault(Reason::FieldAmbiguous, name, "must be given once");
                MemberLookup::Ambiguous
            }
        }
    }

    fn into_document(mut self) -> Result<UploadedFile, Failure> {
        let name = self.take_name();
        let category_id = self.take_category();
        let content = self.take_content("content", MAX_DOCUMENT_BYTES);
        let content_type = content.as_deref().and_then(|content| self.detect_file_type(content));
        self.into_uploaded_file((name, category_id), content, content_type)
    }

    fn take_name(&mut self) -> Option<String> {
        let name = match self.take_member("name") {
            MemberLookup::Ambiguous => return None,
            MemberLookup::Found(member) => member.text(),
            MemberLookup::Missing => None,
        };
        let name = name.filter(|name| check_file_name(name).is_ok());
        if name.is_none() {
            let rule = "must be a file name of 1 to 200 characters without a path, such as Diploma.pdf";
            self.add_fault(Reason::FileNameInvalid, "name", rule);
        }
        name
    }

    fn take_category(&mut self) -> Option<DocumentCategoryId> {
        let id = match self.take_member("categoryId") {
            MemberLookup::Ambiguous | MemberLookup::Missing => return None,
            MemberLookup::Found(member) => member.text().and_then(|id| id.parse().ok()),
        };
        if id.is_none() {
            self.add_fault(
                Reason::DocumentCategoryUnknown,
                "categoryId",
                "must be the id of a document category",
            );
        }
        id
    }

    fn take_content(&mut self, name: &str, max_bytes: usize) -> Option<Vec<u8>> {
        let content = match self.take_member(name) {
            MemberLookup::Ambiguous => return None,
            MemberLookup::Missing => {
                self.add_fault(Reason::ContentInvalid, name, "is required");
                return None;
            }
            MemberLookup::Found(member) => member.bytes(),
        };
        match content {
            Some(content) if content.len() > max_bytes => {
                self.add_fault(Reason::BodyTooLarge, name, &format!("may have at most {max_bytes} bytes"));
                None
            }
            Some(content) => Some(content),
            None => {
                self.add_fault(
                    Reason::ContentInvalid,
                    name,
                    "must be base64 with padding, without line breaks",
                );
                None
            }
        }
    }

    fn detect_file_type(&mut self, content: &[u8]) -> Option<FileType> {
        let file_type = FileType::detect(content).ok();
        if file_type.is_none() {
            self.add_fault(
                Reason::FileTypeUnsupported,
                "content",
                "must be a PDF, PNG, JPEG, text or CSV file",
            );
        }
        file_type
    }

    fn detect_image_type(&mut self, content: &[u8]) -> Option<FileType> {
        match read_image_size(content) {
            Ok(_) => return FileType::detect(content).ok(),
            Err(ImageFault::NoImage) => {
                self.add_fault(Reason::FileTypeUnsupported, "image", "must be a PNG or JPEG image");
            }
            Err(ImageFault::BrokenHeader) => {
                self.add_fault(
                    Reason::FieldInvalid,
                    "image",
                    "must begin with an image header that contains its width and height",
                );
            }
            Err(ImageFault::TooManyPixels) => {
                let problem = format!("may have at most {MAX_IMAGE_PIXELS} pixels");
                self.add_fault(Reason::FieldInvalid, "image", &problem);
            }
        }
        None
    }

    fn into_uploaded_file(
        self,
        (name, category_id): (Option<String>, Option<DocumentCategoryId>),
        content: Option<Vec<u8>>,
        content_type: Option<FileType>,
    ) -> Result<UploadedFile, Failure> {
        if let Some(faults) = Violations::from_faults(self.faults) {
            return Err(faults.into());
        }
        let (Some(content), Some(content_type)) = (content, content_type) else {
            return Err(Failure::Bug("a file without content has no fault".into()));
        };
        let sha256 = HEXLOWER.encode(&Sha256::digest(&content));
        Ok(UploadedFile { name, category_id, content, content_type, sha256 })
    }
}

/// Decodes base64; `None` if the text is invalid. An owned text is decoded in place, so decoding needs no
/// memory beyond the reservation for the body and its parsed tree.
fn decode_base64(text: Cow<'_, str>) -> Option<Vec<u8>> {
    let mut bytes = match text {
        Cow::Borrowed(text) => return STANDARD.decode(text).ok(),
        Cow::Owned(text) => text.into_bytes(),
    };
    let (mut read, mut written) = (0_usize, 0_usize);
    let mut part = [0; BASE64_STEP_BYTES];
    while read < bytes.len() {
        let end = bytes.len().min(read.saturating_add(BASE64_STEP_CHARACTERS));
        let length = STANDARD.decode_slice(bytes.get(read..end)?, &mut part).ok()?;
        // A step that yields too few bytes contains padding. Padding is only valid at the end of the base64
        // text.
        if end < bytes.len() && length < BASE64_STEP_BYTES {
            return None;
        }
        let after = written.saturating_add(length);
        bytes.get_mut(written..after)?.copy_from_slice(part.get(..length)?);
        (read, written) = (end, after);
    }
    bytes.truncate(written);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_base64_in_place_equals_ordinary_decoding() {
        for length in [
            0,
            1,
            2,
            3,
            BASE64_STEP_BYTES - 1,
            BASE64_STEP_BYTES,
            BASE64_STEP_BYTES + 1,
            3 * BASE64_STEP_BYTES,
            10_000,
        ] {
            let content: Vec<u8> = (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let text = STANDARD.encode(&content);
            assert_eq!(decode_base64(Cow::Borrowed(&text)).as_ref(), Some(&content));
            assert_eq!(decode_base64(Cow::Owned(text)), Some(content));
        }
    }

    #[test]
    fn invalid_base64_is_not_decoded() {
        let long = "QUFB".repeat(BASE64_STEP_CHARACTERS);
        let within = format!("{}QQ=={long}", &long[..BASE64_STEP_CHARACTERS - 4]);
        for text in ["QQ", "Q", "QQ= =", "Q!==", "QUFB\n", "QQ==QUFB", "QR==", within.as_str()] {
            assert_eq!(decode_base64(Cow::Borrowed(text)), None, "{text}");
            assert_eq!(decode_base64(Cow::Owned(text.to_owned())), None, "{text}");
        }
    }
}
