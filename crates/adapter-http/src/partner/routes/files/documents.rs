//! Documents of a worker (specification §6.31).

use payroll_domain::code::Reason;
use payroll_domain::file::{FileKind, WorkerDocument, WorkerFile};
use payroll_ports::Listing;
use payroll_ports::workers::WorkerKey;

use super::{AddFileRequest, read_stored_files, remove_file};
use crate::partner::call::PartnerCall;
use crate::partner::routes::workers;
use crate::shared::download::{self, OCTET_STREAM};
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::upload;
use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::{Href, Link};

/// Handles a request for `GET /workers/{workerId}/documents`.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    let page = call.read_page().await?;
    let offers = [call.partner.media_types.documents.as_str(), JSON];
    let read = async |worker: &WorkerKey, window| {
        let (access, found) = read_stored_files(&call, worker, FileKind::Document).await?;
        let listing = found.map(|found| Listing::from_all(found.value, found.version, window));
        Ok((access, listing))
    };
    call.list_response((page, &offers), workers::worker_key, read, |file: &WorkerFile, context, out| {
        let own = format!("{}/workers/{}/documents/{}", context.base, context.owner.worker_id, file.file_id);
        write_document(file, Some(Link::to_self(Href::Complete(own))), out)
    })
    .await
}

/// Handles GET of one document: sends its content.
pub(crate) async fn download(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[OCTET_STREAM]).await?;
    let worker = workers::worker_key(&call).await?;
    let id = call.id("documentId").await?;
    let (_, found) = read_stored_files(&call, &worker, FileKind::Document).await?;
    let files = found.ok_or(Reason::UnknownResource)?.value;
    let file = files.into_iter().find(|file| file.file_id == id).ok_or(Reason::UnknownResource)?;
    download::file_response(&call.incoming, &worker.company_id, &file).await
}

/// Handles a request for `POST /workers/{workerId}/documents`.
pub(crate) async fn add(mut call: PartnerCall) -> HandlerResult {
    let partner = std::sync::Arc::clone(&call.partner);
    let types = &partner.media_types;
    let offers = [types.document.as_str(), &types.documents, JSON];
    let request = AddFileRequest::begin_request(&mut call, FileKind::Document, &offers).await?;
    request.add_file(&call, upload::read_document, write_document).await
}

/// Handles DELETE of one document.
pub(crate) async fn delete(call: PartnerCall) -> HandlerResult {
    let types = &call.partner.media_types;
    call.negotiate(&[types.document.as_str(), &types.documents, JSON]).await?;
    let id = call.id("documentId").await?;
    remove_file(call, FileKind::Document, Some(id)).await
}

/// Writes the description of a document. Without `link` (in a dry run), the description contains no id.
fn write_document(file: &WorkerFile, link: Option<Link<'_>>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let document = WorkerDocument::from(file);
    let shown = match link {
        Some(link) => DescribedResource::with_links(&document, vec![link]),
        None => DescribedResource::without_links(&document).without_member("documentId"),
    };
    serde_json::to_writer(out, &shown)
}
