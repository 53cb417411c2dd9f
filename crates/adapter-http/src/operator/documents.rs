//! Documents of workers for operators: list, add, download and delete (specification §10.30).

use actix_web::HttpResponse;
use payroll_domain::code::Reason;
use payroll_domain::file::{FileKind, WorkerDocument, WorkerFile};
use payroll_domain::id::FileId;
use payroll_ports::Listing;
use payroll_ports::resources::{Versioned, WriteOutcome};
use payroll_ports::workers::WorkerKey;

use super::call::OperatorCall;
use super::response::{self, CreatedResponse};
use crate::shared::download::{self, OCTET_STREAM};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::{FORM_DATA, JSON};
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;
use crate::shared::upload::{self, UploadBody};
use crate::shared::wire::described_resource::DescribedResource;

/// Handles a request for `GET …/workers/{workerId}/documents`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let page = call.page()?;
    let Versioned { value: files, version } = read_documents(&call, &worker_key(&call)?).await?;
    let listing = Listing::from_all(files, version, page.window_for_response(call.incoming.is_head()));
    response::collection_response(&call, page, listing, document_json)
}

fn document_json(file: &WorkerFile) -> String {
    let document = WorkerDocument::from(file);
    // Serialization cannot fail, because the object contains only texts and numbers.
    serde_json::to_string(&DescribedResource::without_links(&document)).unwrap_or_default()
}

/// Handles GET of one document: sends its content.
pub(super) async fn download_content(call: OperatorCall) -> HandlerResult {
    call.incoming.negotiate(&[OCTET_STREAM])?;
    let worker = worker_key(&call)?;
    let file = find_document(&call, &worker).await?;
    download::file_response(&call.incoming, &worker.company_id, &file).await
}

/// Handles a request for `POST …/workers/{workerId}/documents`.
pub(super) async fn add(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[JSON, FORM_DATA])?;
    let boundary = upload::form_boundary(&call.incoming)?;
    let worker = worker_key(&call)?;
    read_documents(&call, &worker).await?;
    let body = UploadBody::receive_body(&mut call.incoming, boundary).await?;
    let fingerprint = body.fingerprint();
    call.run_with_idempotency(&fingerprint, async |guard| {
        let upload = body.read(&call.incoming, upload::read_document).await?;
        let file = upload.to_worker_file(FileKind::Document, &mut call.new_ids(), call.incoming.api.now());
        let (id, version, content) = (file.file_id.clone(), file.created.as_micros(), document_json(&file));
        let creation = CreatedResponse::new(&call, id.as_str(), &content, &content)?;
        let audit = call.audit_context(guard.response_record(creation.stored_response()));
        upload::store_file((&call.incoming, guard), &worker, (file, upload.content), audit).await?;
        creation.send_created(version)
    })
    .await
}

/// Handles DELETE of one document.
pub(super) async fn delete(call: OperatorCall) -> HandlerResult {
    let worker = worker_key(&call)?;
    let file = find_document(&call, &worker).await?;
    if !IfMatch::read_optional(call.incoming.headers())?.accepts(file.created.as_micros()) {
        return Err(Reason::PreconditionFailed.into());
    }
    let (store, audit) = (std::sync::Arc::clone(&call.incoming.api.store), call.audit_context(None));
    let removal =
        async move { store.remove_file(&worker, (FileKind::Document, Some(&file.file_id)), &audit).await };
    match call.commit(removal).await? {
        WriteOutcome::Stored(_) => Ok(HttpResponse::NoContent().finish()),
        WriteOutcome::Refused(why) => Err(refusal::write_failure(why, call.incoming.api.now())),
    }
}

fn worker_key(call: &OperatorCall) -> Result<WorkerKey, Failure> {
    Ok(WorkerKey { company_id: call.company_id()?, worker_id: call.id("workerId")? })
}

async fn read_documents(
    call: &OperatorCall,
    worker: &WorkerKey,
) -> Result<Versioned<Vec<WorkerFile>>, Failure> {
    let found = call.store().files_for_operator(worker, FileKind::Document).await?;
    found.ok_or_else(|| Reason::UnknownResource.into())
}

async fn find_document(call: &OperatorCall, worker: &WorkerKey) -> Result<WorkerFile, Failure> {
    let id: FileId = call.id("documentId")?;
    let files = read_documents(call, worker).await?.value;
    files.into_iter().find(|file| file.file_id == id).ok_or_else(|| Reason::UnknownResource.into())
}
