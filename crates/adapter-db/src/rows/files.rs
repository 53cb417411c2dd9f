//! Rows of files of workers, without their bytes.

use payroll_domain::date::Timestamp;
use payroll_domain::file::{FileKind, FileType, WorkerFile};
use payroll_domain::id::WorkerId;

use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::table::table;

table! {
    /// A file of a worker, without its bytes.
    struct FileRow in "documents" key "company_id, worker_id, document_id" {
        company_id: text,
        worker_id: text,
        document_id: text,
        kind: text,
        name: text_or_null,
        document_category_id: text_or_null,
        content_type: text,
        size: int,
        sha256: text,
        created: int,
    }
}

table! {
    /// Stored bytes that no file uses, either because the upload is not complete or because the file was
    /// deleted.
    struct UnusedBlobRow in "unused_blobs" key "company_id, blob_id" {
        company_id: text,
        blob_id: text,
        since: int,
    }
}

impl FileRow {
    /// Creates the row of a file.
    pub(crate) fn new(company_id: &str, worker_id: &WorkerId, file: &WorkerFile) -> Self {
        Self {
            company_id: company_id.to_owned(),
            worker_id: worker_id.to_string(),
            document_id: file.file_id.to_string(),
            kind: file.kind.as_str().to_owned(),
            name: file.name.clone(),
            document_category_id: file.category_id.as_ref().map(ToString::to_string),
            content_type: file.content_type.as_str().to_owned(),
            size: file.size.into(),
            sha256: file.sha256.clone(),
            created: file.created.as_micros(),
        }
    }

    /// Returns the file in this row.
    pub(crate) fn into_file(self) -> Outcome<WorkerFile> {
        let at = RowLocation { table: "documents", key: &self.document_id };
        Ok(WorkerFile {
            kind: at.parse_text(&self.kind, FileKind::parse)?,
            file_id: at.parse_id(&self.document_id)?,
            name: self.name.clone(),
            category_id: at.parse_optional_id(self.document_category_id.as_deref())?,
            content_type: at.parse_text(&self.content_type, FileType::parse)?,
            size: at.read_number(self.size)?,
            sha256: self.sha256.clone(),
            created: Timestamp::from_micros(self.created),
        })
    }
}
