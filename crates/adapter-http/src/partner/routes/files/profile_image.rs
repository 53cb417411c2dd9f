//! The profile image of a worker (specification §6.32).

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_domain::code::Reason;
use payroll_domain::file::{FileKind, ProfileImage, WorkerFile};
use payroll_ports::Rows;

use super::{AddFileRequest, read_stored_files, remove_file};
use crate::partner::call::PartnerCall;
use crate::partner::routes::workers;
use crate::shared::download;
use crate::shared::etag::EntityTag;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::response::GetResponse;
use crate::shared::upload;
use crate::shared::wire::Link;
use crate::shared::wire::described_resource::DescribedResource;

/// Handles `GET /workers/{workerId}/profileimage`: returns the image in base64. Without an image the
/// content is empty.
pub(crate) async fn get_image(call: PartnerCall) -> HandlerResult {
    let media_type = call.negotiate(&[&call.partner.media_types.profile_image, JSON]).await?;
    let worker = workers::worker_key(&call).await?;
    let (_, found) = read_stored_files(&call, &worker, FileKind::ProfileImage).await?;
    let file = found.ok_or(Reason::UnknownResource)?.value.pop();
    let version = file.as_ref().map_or(0, |file| file.created.as_micros());
    let reading = GetResponse::with_etag(&call.incoming, media_type, EntityTag::from_version(version));
    if let Some(response) = reading.without_body() {
        return Ok(response);
    }
    let mut rows = Vec::new();
    if let Some(file) = file {
        let content = download::read_content(&call.incoming, &worker.company_id, &file).await?;
        rows.push((file, STANDARD.encode(content)));
    }
    reading.rows_response(Rows::All(rows), |(file, image), _, out| {
        let shown = ProfileImage::from(file);
        let shown =
            DescribedResource::without_links(&shown).with_members(vec![("image", image.as_str().into())]);
        serde_json::to_writer(out, &shown)
    })
}

/// Handles `POST /workers/{workerId}/profileimage`: replaces the image.
pub(crate) async fn set_image(mut call: PartnerCall) -> HandlerResult {
    let partner = Arc::clone(&call.partner);
    let offers = [partner.media_types.profile_image.as_str(), JSON];
    let request = AddFileRequest::begin_request(&mut call, FileKind::ProfileImage, &offers).await?;
    request.add_file(&call, upload::read_image, write_image).await
}

/// Handles a request for `DELETE /workers/{workerId}/profileimage`.
pub(crate) async fn delete(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[&call.partner.media_types.profile_image, JSON]).await?;
    remove_file(call, FileKind::ProfileImage, None).await
}

/// Writes the description of an image. Without `link` (in a dry run), the description contains no id.
fn write_image(file: &WorkerFile, link: Option<Link<'_>>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let image = ProfileImage::from(file);
    let shown = match link {
        Some(link) => DescribedResource::with_links(&image, vec![link]),
        None => DescribedResource::without_links(&image).without_member("imageId"),
    };
    serde_json::to_writer(out, &shown)
}
