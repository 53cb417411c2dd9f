//! Receives the body of an upload and stores the file.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::file::WorkerFile;
use payroll_domain::input::Node;
use payroll_domain::lookup::LookupKind;
use payroll_domain::resource::ResourceKind;
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_ports::files::BlobKey;
use payroll_ports::resources::{WriteOutcome, WriteRefusal};
use payroll_ports::workers::WorkerKey;
use payroll_ports::write::AuditContext;

use super::{UploadedFile, form};
use crate::shared::error::Failure;
use crate::shared::idempotency::InFlightGuard;
use crate::shared::incoming::IncomingRequest;
use crate::shared::limits::MAX_UPLOAD_BODY_BYTES;
use crate::shared::refusal;

/// The body of a request that adds a file.
pub(crate) struct UploadBody {
    body: Bytes,
    /// The file, if the body is a form.
    form: Option<Result<UploadedFile, Failure>>,
}

impl UploadBody {
    /// Receives the body. An upload may be far larger than other bodies, so authorize the caller first.
    ///
    /// # Errors
    /// Returns the errors of [`IncomingRequest::read_large_document_body`].
    pub(crate) async fn receive_body(
        incoming: &mut IncomingRequest,
        boundary: Option<String>,
    ) -> Result<Self, Failure> {
        let body = incoming.read_large_document_body(MAX_UPLOAD_BODY_BYTES).await?;
        let form = match boundary {
            Some(boundary) => {
                let bytes = body.clone();
                Some(incoming.process_body(&body, move |_| form::read_document_form(bytes, &boundary)).await)
            }
            None => None,
        };
        Ok(Self { body, form })
    }

    /// Returns the bytes that a retry with the same `Idempotency-Key` must repeat. The boundary of a form is
    /// not among these bytes, because a retry can use another boundary.
    pub(crate) fn fingerprint(&self) -> Bytes {
        match &self.form {
            Some(Ok(upload)) => upload.content_fingerprint(),
            Some(Err(_)) | None => self.body.clone(),
        }
    }

    /// Returns the file in the body. `read` parses a JSON body.
    ///
    /// # Errors
    /// The errors of [`super::read_document`] or [`super::read_image`], and API-40 unless the body is JSON or
    /// a form.
    pub(crate) async fn read(
        self,
        incoming: &IncomingRequest,
        read: fn(Node<'_>) -> Result<UploadedFile, Failure>,
    ) -> Result<UploadedFile, Failure> {
        match self.form {
            Some(upload) => upload,
            None => incoming.read_document(&self.body, read).await,
        }
    }
}

/// Stores the content of a file, and then the file's description in the worker's data. If the description
/// is rejected, the content remains until a background task deletes the content.
pub(crate) async fn store_file(
    (incoming, guard): (&IncomingRequest, &Arc<InFlightGuard>),
    worker: &WorkerKey,
    (file, content): (WorkerFile, Vec<u8>),
    audit: AuditContext,
) -> Result<(), Failure> {
    let (api, worker) = (Arc::clone(&incoming.api), worker.clone());
    let key = BlobKey { company_id: worker.company_id.clone(), file_id: file.file_id.clone() };
    let written = guard.commit(async move {
        if !audit.dry_run {
            api.store.add_blob_entry(&key, audit.now).await?;
            api.blobs.put_blob(&key, content).await?;
        }
        api.store.add_file(&worker, &file, &audit).await
    });
    reject_failed_write(written.await?, incoming.api.now())
}

/// Converts the result of the write of a file.
///
/// # Errors
/// The same errors as for [`store_file`].
pub(crate) fn reject_failed_write(written: WriteOutcome, now: Timestamp) -> Result<(), Failure> {
    match written {
        WriteOutcome::Stored(_) => Ok(()),
        WriteOutcome::Refused(WriteRefusal::Missing(missing))
            if missing.iter().all(|it| it.target == ResourceKind::Lookup(LookupKind::DocumentCategory)) =>
        {
            let sentence = "the company has no document category with this id";
            let fault = Violation::new(Reason::DocumentCategoryUnknown, sentence);
            Err(fault.at_position("/categoryId", DocumentPosition::default()).into())
        }
        WriteOutcome::Refused(why) => Err(refusal::write_failure(why, now)),
    }
}
