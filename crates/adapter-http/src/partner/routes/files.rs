//! Files of workers that partners read and add: documents (specification §6.31) and the profile image
//! (§6.32).

pub(crate) mod documents;
pub(crate) mod profile_image;
mod upload;

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Bytes;
use payroll_domain::access::Access;
use payroll_domain::code::Reason;
use payroll_domain::file::{FileKind, WorkerFile};
use payroll_domain::id::FileId;
use payroll_domain::plain::PlainKind;
use payroll_domain::resource::ResourceKind;
use payroll_domain::violation::{Place, Violation};
use payroll_ports::files::BlobKey;
use payroll_ports::idempotency::Answer;
use payroll_ports::resources::{Refusal, Versioned, Written};
use payroll_ports::workers::WorkerOf;

use self::upload::Upload;
use self::upload::form;
use super::workers;
use crate::partner::call::Call;
use crate::partner::writing;
use crate::shared::answer;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency::{self, Lease};
use crate::shared::limits::MAX_UPLOAD_BYTES;
use crate::shared::media_type::FORM_DATA;
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;
use crate::shared::wire::{Envelope, Href, Link};

/// The files of this kind that a worker has, for an authorized caller.
async fn stored(
    call: &Call,
    worker: &WorkerOf,
    kind: FileKind,
) -> Result<(Access, Option<Versioned<Vec<WorkerFile>>>), Failure> {
    call.open(call.store().files(&call.caller, worker, kind).await?)
}

/// A request to add a file by an authorized caller.
struct AddRequest {
    worker: WorkerOf,
    kind: FileKind,
    media_type: String,
    dry_run: bool,
    body: Bytes,
    /// The boundary between the parts of the body, if it is a form.
    boundary: Option<String>,
}

impl AddRequest {
    /// Reads the body after authorization, because it can be far larger than that of other requests.
    async fn begin(call: &mut Call, kind: FileKind, offers: &[&str]) -> Result<Self, Failure> {
        let dry_run = writing::is_dry_run(call).await?;
        let form = (kind == FileKind::Document).then_some(FORM_DATA);
        let accepted: Vec<&str> = offers.iter().copied().chain(form).collect();
        call.after_authentication(call.incoming.check_content_type(&accepted)).await?;
        let boundary = call.after_authentication(form::boundary(&call.incoming)).await?;
        let media_type = call.negotiate(offers).await?.to_owned();
        let worker = workers::of_path(call).await?;
        let (_, found) = stored(call, &worker, kind).await?;
        if found.is_none() {
            return Err(Reason::UnknownResource.into());
        }
        let body = call.incoming.large_document(MAX_UPLOAD_BYTES).await?;
        Ok(Self { worker, kind, media_type, dry_run, body, boundary })
    }

    /// Adds the file in the body. `write` serializes its description for the response.
    async fn carry_out(
        self,
        call: &Call,
        read: fn(payroll_domain::input::Node<'_>) -> Result<Upload, Failure>,
        write: fn(&WorkerFile, Option<Link<'_>>, &mut Vec<u8>) -> serde_json::Result<()>,
    ) -> Handled {
        let form = self.form(call).await;
        let body = match &form {
            // A retried form may have another boundary, so its content is compared instead.
            Some(Ok(upload)) => upload.fingerprint(),
            Some(Err(_)) | None => self.body.clone(),
        };
        writing::once(call, self.dry_run, &body, async |lease| {
            let upload = match form {
                Some(upload) => upload?,
                None => call.incoming.read_document(&self.body, read).await?,
            };
            let file = self.file(call, &upload);
            let answer = self.answer(call, &file, write)?;
            self.store(call, lease, (file, upload.content), &answer).await?;
            answer::send(answer)
        })
        .await
    }

    /// The document in the body, if the body is a form.
    async fn form(&self, call: &Call) -> Option<Result<Upload, Failure>> {
        let (boundary, body) = (self.boundary.clone()?, self.body.clone());
        Some(call.incoming.work_on(&self.body, move |_| form::document(body, &boundary)).await)
    }

    fn file(&self, call: &Call, upload: &Upload) -> WorkerFile {
        WorkerFile {
            kind: self.kind,
            file_id: call.new_ids().next_id(),
            name: upload.name.clone(),
            category_id: upload.category_id.clone(),
            content_type: upload.content_type,
            size: u32::try_from(upload.content.len()).unwrap_or(u32::MAX),
            sha256: upload.sha256.clone(),
            created: call.incoming.api.now(),
        }
    }

    fn answer(
        &self,
        call: &Call,
        file: &WorkerFile,
        write: fn(&WorkerFile, Option<Link<'_>>, &mut Vec<u8>) -> serde_json::Result<()>,
    ) -> Result<Answer, Failure> {
        let own = format!("{}{}", call.incoming.base_url(), call.incoming.path());
        let envelope = Envelope { metadata: None, links: Vec::new() };
        let body = envelope.whole(std::slice::from_ref(file), |file, out| {
            let link = match self.kind {
                FileKind::Document => format!("{own}/{}", file.file_id),
                FileKind::ProfileImage => own.clone(),
            };
            let link = (!self.dry_run).then(|| Link::own(Href::Whole(link)));
            write(file, link, out)
        })?;
        let status = if self.dry_run { 200 } else { 201 };
        Ok(Answer { status, content_type: self.media_type.clone(), body })
    }

    /// Stores the content and then the file. If the file is rejected, housekeeping deletes the content.
    async fn store(
        &self,
        call: &Call,
        lease: &Arc<Lease>,
        (file, content): (WorkerFile, Vec<u8>),
        answer: &Answer,
    ) -> Result<(), Failure> {
        let by = writing::audit(call, lease.kept(answer), self.dry_run);
        let (api, worker) = (Arc::clone(&call.incoming.api), self.worker.clone());
        let key = BlobKey { company_id: worker.company_id.clone(), file_id: file.file_id.clone() };
        let written = lease.commit(async move {
            if !by.dry_run {
                api.store.announce_blob(&key, by.now).await?;
                api.blobs.put(&key, content).await?;
            }
            api.store.add_file(&worker, &file, &by).await
        });
        settled(call, written.await?)
    }
}

/// DELETE of a file: a document by its id, or the profile image.
async fn remove(call: Call, kind: FileKind, id: Option<FileId>) -> Handled {
    let dry_run = writing::is_dry_run(&call).await?;
    let worker = workers::of_path(&call).await?;
    let (_, found) = stored(&call, &worker, kind).await?;
    let if_match = IfMatch::sent(call.incoming.headers())?;
    let files = found.ok_or(Reason::UnknownResource)?.value;
    let file = files.into_iter().find(|file| id.as_ref().is_none_or(|id| *id == file.file_id));
    let file = file.ok_or(Reason::UnknownResource)?;
    if !if_match.admits(file.created.as_micros()) {
        return Err(Reason::PreconditionFailed.into());
    }
    let by = writing::audit(&call, None, dry_run);
    let (api, lease) = (Arc::clone(&call.incoming.api), idempotency::without_key(&call.incoming));
    let written =
        lease.commit(async move { api.store.remove_file(&worker, (kind, Some(&file.file_id)), &by).await });
    settled(&call, written.await?)?;
    Ok(HttpResponse::NoContent().finish())
}

/// The error for a rejected write.
fn settled(call: &Call, written: Written) -> Result<(), Failure> {
    match written {
        Written::Stored(_) => Ok(()),
        Written::Refused(Refusal::Missing(missing))
            if missing.iter().all(|it| it.target == ResourceKind::Plain(PlainKind::DocumentCategory)) =>
        {
            let sentence = "the company has no document category of that id";
            let fault = Violation::new(Reason::DocumentCategoryUnknown, sentence);
            Err(fault.at("/categoryId", Place::default()).into())
        }
        Written::Refused(why) => Err(refusal::failure(why, call.incoming.api.now())),
    }
}
