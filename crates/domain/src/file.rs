//! Files of workers: documents (specification §6.31) and the profile image (§6.32).
//!
//! The content determines the type of a file, regardless of the name. The server never decodes or
//! decompresses a file, so a small file cannot cause much work.

mod image;
mod kind;
mod name;

pub use image::{ImageFault, ImageSize, MAX_IMAGE_PIXELS, read_image_size};
pub use kind::{FileType, UnsupportedFile};
pub use name::{InvalidFileName, MAX_DOCUMENT_NAME_LENGTH, check_file_name, to_download_name};

use crate::date::{Date, Timestamp};
use crate::description::described;
use crate::description::kinds::{Day, Enumeration, FileBytes, Identifier, Text};
use crate::id::FileId;
use crate::lookup::DocumentCategoryId;
use crate::named::named_enum;

/// The maximum size of a document in bytes. This size is enough for a scan of some dozens of pages.
pub const MAX_DOCUMENT_BYTES: usize = 10 * 1024 * 1024;
/// The maximum size of a profile image in bytes. This size is enough for a photograph that was scaled down
/// for display.
pub const MAX_IMAGE_BYTES: usize = 1024 * 1024;
/// The maximum number of documents of one worker. A list of 100 documents can be sorted without a database
/// index.
pub const MAX_DOCUMENTS_OF_WORKER: u32 = 100;
/// The maximum size of all documents of one worker in bytes: ten documents of the maximum size.
pub const MAX_DOCUMENT_BYTES_OF_WORKER: u64 = 100 * 1024 * 1024;
/// The maximum number of documents of one company: 100 documents for each of 1,000 workers.
pub const MAX_DOCUMENTS_OF_COMPANY: u32 = 100_000;
/// The maximum size of all documents of one company in bytes. A database of that size can be backed up in
/// minutes.
pub const MAX_DOCUMENT_BYTES_OF_COMPANY: u64 = 20 * 1024 * 1024 * 1024;

/// The number of hexadecimal digits in a SHA-256 hash.
const SHA256_DIGITS: usize = 64;

named_enum! {
    /// The kind of a worker's file.
    FileKind {
        /// A document, such as a diploma.
        Document = "DOCUMENT",
        /// The profile image, of which a worker has at most one.
        ProfileImage = "PROFILE_IMAGE",
    }
}

/// A file of a worker, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerFile {
    /// Whether the file is a document or the profile image.
    pub kind: FileKind,
    /// The id of the file, under which its bytes are stored.
    pub file_id: FileId,
    /// The name of a document. `None` for a profile image.
    pub name: Option<String>,
    /// The category of a document. `None` if the file has no category.
    pub category_id: Option<DocumentCategoryId>,
    /// The type of the file's content.
    pub content_type: FileType,
    /// The size of the file's content in bytes.
    pub size: u32,
    /// The SHA-256 hash of the content, in hexadecimal digits.
    pub sha256: String,
    /// The instant at which the file was added.
    pub created: Timestamp,
}

impl From<&WorkerFile> for WorkerDocument {
    fn from(file: &WorkerFile) -> Self {
        Self {
            document_id: file.file_id.clone(),
            name: file.name.clone().unwrap_or_default(),
            category_id: file.category_id.clone(),
            content_type: file.content_type,
            size: file.size,
            sha256: file.sha256.clone(),
            created_date: file.created.date(),
        }
    }
}

impl From<&WorkerFile> for ProfileImage {
    fn from(file: &WorkerFile) -> Self {
        Self {
            image_id: file.file_id.clone(),
            content_type: file.content_type,
            size: file.size,
            sha256: file.sha256.clone(),
        }
    }
}

described! {
    /// A document of a worker, without its bytes.
    pub struct WorkerDocument {
        /// Id of the document, unique in the company.
        "documentId" document_id: required FileId as Identifier;
        /// Name of the document, such as "Diploma.pdf".
        "name" name: required String as Text<MAX_DOCUMENT_NAME_LENGTH>;
        /// The category of the document.
        "categoryId" category_id: optional DocumentCategoryId as Identifier;
        /// The media type of the document, as the server detected it.
        "contentType" content_type: required FileType as Enumeration;
        /// The size of the document in bytes.
        "size" size: required u32 as FileBytes;
        /// SHA-256 hash of the content, in hexadecimal digits.
        "sha256" sha256: required String as Text<SHA256_DIGITS>;
        /// Day on which the document was added (UTC).
        "createdDate" created_date: required Date as Day;
    }
}

described! {
    /// The profile image of a worker, without its bytes.
    pub struct ProfileImage {
        /// Id of the image. A new image has a new id.
        "imageId" image_id: required FileId as Identifier;
        /// The media type of the image, as the server detected it.
        "contentType" content_type: required FileType as Enumeration;
        /// The size of the image in bytes.
        "size" size: required u32 as FileBytes;
        /// SHA-256 hash of the image, in hexadecimal digits.
        "sha256" sha256: required String as Text<SHA256_DIGITS>;
    }
}
