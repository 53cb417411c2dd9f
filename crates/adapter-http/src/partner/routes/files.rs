//! Files of workers that partners read and add: documents (specification §6.31) and the profile image
//! (§6.32).

pub(crate) mod documents;
pub(crate) mod profile_image;

use std::sync::Arc;

use actix_web::HttpResponse;
use payroll_domain::access::Access;
use payroll_domain::code::Reason;
use payroll_domain::file::{FileKind, WorkerFile};
use payroll_domain::id::FileId;
use payroll_domain::violation::Violation;
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::resources::Versioned;
use payroll_ports::workers::WorkerKey;

use super::workers;
use crate::partner::call::PartnerCall;
use crate::partner::writing;
use crate::shared::edit::prefer_locked_failure;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::media_type::FORM_DATA;
use crate::shared::precondition::IfMatch;
use crate::shared::response;
use crate::shared::upload::{self, UploadBody, UploadedFile};
use crate::shared::wire::{Envelope, Href, Link};

/// Returns the worker's files of this kind, for an authorized caller. The list is `None` if the worker is
/// unknown.
async fn read_stored_files(
    call: &PartnerCall,
    worker: &WorkerKey,
    kind: FileKind,
) -> Result<(Access, Option<Versioned<Vec<WorkerFile>>>), Failure> {
    call.check_access(call.store().files(&call.caller, worker, kind).await?)
}

/// A request of an authorized caller to add a file.
struct AddFileRequest {
    worker: WorkerKey,
    kind: FileKind,
    media_type: String,
    dry_run: bool,
    body: UploadBody,
}

impl AddFileRequest {
    /// Authorizes the caller and then receives the body, which can be far larger than other bodies.
    async fn begin_request(call: &mut PartnerCall, kind: FileKind, offers: &[&str]) -> Result<Self, Failure> {
        let dry_run = writing::is_dry_run(call).await?;
        let form = (kind == FileKind::Document).then_some(FORM_DATA);
        let accepted: Vec<&str> = offers.iter().copied().chain(form).collect();
        call.prefer_authentication_failure(call.incoming.check_content_type(&accepted)).await?;
        let boundary = call.prefer_authentication_failure(upload::form_boundary(&call.incoming)).await?;
        let media_type = call.negotiate(offers).await?.to_owned();
        let worker = workers::worker_key(call).await?;
        let (_, found) = read_stored_files(call, &worker, kind).await?;
        if found.is_none() {
            return Err(Reason::UnknownResource.into());
        }
        let body = UploadBody::receive_body(&mut call.incoming, boundary).await?;
        Ok(Self { worker, kind, media_type, dry_run, body })
    }

    /// Adds the file in the body. `write` serializes the description of the file for the response.
    async fn add_file(
        self,
        call: &PartnerCall,
        read: fn(payroll_domain::input::Node<'_>) -> Result<UploadedFile, Failure>,
        write: fn(&WorkerFile, Option<Link<'_>>, &mut Vec<u8>) -> serde_json::Result<()>,
    ) -> HandlerResult {
        let Self { worker, kind, media_type, dry_run, body } = self;
        let fingerprint = body.fingerprint();
        writing::run_with_idempotency(call, dry_run, &fingerprint, async |guard| {
            let upload = match body.read(&call.incoming, read).await {
                Ok(upload) => upload,
                Err(failure) => {
                    return Err(prefer_locked_failure(&call.incoming, &worker.company_id, failure).await);
                }
            };
            let file = upload.to_worker_file(kind, &mut call.new_ids(), call.incoming.api.now());
            let body = response_body(call, &file, dry_run, write)?;
            let status = if dry_run { 200 } else { 201 };
            let response = StoredResponse { status, content_type: media_type, body };
            let audit = writing::audit_context(call, guard.response_record(&response), dry_run);
            upload::store_file((&call.incoming, guard), &worker, (file, upload.content), audit).await?;
            response::from_stored(response)
        })
        .await
    }
}

/// Serializes the response to a request that added a file.
fn response_body(
    call: &PartnerCall,
    file: &WorkerFile,
    dry_run: bool,
    write: fn(&WorkerFile, Option<Link<'_>>, &mut Vec<u8>) -> serde_json::Result<()>,
) -> Result<Vec<u8>, Failure> {
    let own = format!("{}{}", call.incoming.base_url(), call.incoming.path());
    let envelope = Envelope { metadata: None, links: Vec::new() };
    let body = envelope.serialize(std::slice::from_ref(file), |file, out| {
        let link = match file.kind {
            FileKind::Document => format!("{own}/{}", file.file_id),
            FileKind::ProfileImage => own.clone(),
        };
        let link = (!dry_run).then(|| Link::to_self(Href::Complete(link)));
        write(file, link, out)
    })?;
    Ok(body)
}

/// Handles DELETE of a file: a document by its id, or the profile image.
async fn remove_file(call: PartnerCall, kind: FileKind, id: Option<FileId>) -> HandlerResult {
    let dry_run = writing::is_dry_run(&call).await?;
    let worker = workers::worker_key(&call).await?;
    let (_, found) = read_stored_files(&call, &worker, kind).await?;
    let if_match = IfMatch::read_optional(call.incoming.headers())?;
    let files = found.ok_or(Reason::UnknownResource)?.value;
    let file = files.into_iter().find(|file| id.as_ref().is_none_or(|id| *id == file.file_id));
    let file = file.ok_or_else(|| match kind {
        FileKind::Document => Violation::from(Reason::UnknownResource),
        // The default description would say that the last id of the path is unknown. The last id identifies
        // the worker, who exists, so this description says that the profile image is missing.
        FileKind::ProfileImage => Violation::new(Reason::UnknownResource, "the worker has no profile image"),
    })?;
    if !if_match.accepts(file.created.as_micros()) {
        return Err(Reason::PreconditionFailed.into());
    }
    let audit = writing::audit_context(&call, None, dry_run);
    let (api, guard) = (Arc::clone(&call.incoming.api), idempotency::guard_without_record(&call.incoming));
    let written = guard
        .commit(async move { api.store.remove_file(&worker, (kind, Some(&file.file_id)), &audit).await });
    upload::reject_failed_write(written.await?, call.incoming.api.now())?;
    Ok(HttpResponse::NoContent().finish())
}
