//! Creates one or several workers per request (specification §6.16).
//!
//! Valid workers are created even if other workers of the request are invalid. The response then has status
//! 207 and contains the created workers and the faults. The valid workers are created in one transaction
//! together with the response for the idempotency key.

mod workers_request;

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::id::CompanyId;
use payroll_domain::input::Node;
use payroll_domain::resource::Resource;
use payroll_domain::violation::Violations;
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::resources::{WriteOutcome, WriteRefusal};

use self::workers_request::WorkersRequest;
use super::company_objects::contention_failure;
use super::company_objects::read_lookup_objects;
use super::worker_changes::{RESPONSE_CONTEXT, load_worker_view};
use crate::partner::call::PartnerCall;
use crate::partner::wire::{WorkerContext, WorkerResource};
use crate::partner::writing;
use crate::shared::edit::prefer_locked_failure;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::InFlightGuard;
use crate::shared::limits::MAX_VALIDATION_ATTEMPTS;
use crate::shared::media_type::JSON;
use crate::shared::refusal;
use crate::shared::response;
use crate::shared::wire::{Envelope, Href, Link};

/// Handles a request for `POST /companies/{companyId}/workers`.
pub(crate) async fn create_workers(mut call: PartnerCall) -> HandlerResult {
    let (partner, dry_run) = (Arc::clone(&call.partner), writing::is_dry_run(&call).await?);
    let offers = [partner.media_types.workers.as_str(), JSON];
    call.prefer_authentication_failure(call.incoming.check_content_type(&offers)).await?;
    let media_type = call.negotiate(&offers).await?;
    let company_id = call.company_id().await?;
    let body = call.read_body(Reason::BodyTooLarge).await?;
    call.authorize().await?;
    let creation = WorkerCreation { call: &call, company_id, media_type, dry_run };
    writing::run_with_idempotency(&call, dry_run, &body, async |guard| {
        response::from_stored(creation.store_workers(&body, guard).await?)
    })
    .await
}

/// A request of an authorized caller to create workers.
struct WorkerCreation<'a> {
    call: &'a PartnerCall,
    company_id: CompanyId,
    media_type: &'a str,
    dry_run: bool,
}

impl WorkerCreation<'_> {
    /// Creates the valid workers and returns the response.
    async fn store_workers(
        &self,
        body: &Bytes,
        guard: &Arc<InFlightGuard>,
    ) -> Result<StoredResponse, Failure> {
        let (mut ids, today) = (self.call.new_ids(), self.call.incoming.api.today());
        let statuses = read_lookup_objects(self.call, &self.company_id).await?;
        let read = move |node: Node<'_>| WorkersRequest::read(node, &statuses, (today, &mut ids));
        let mut sent = self.call.incoming.read_document(body, read).await?;
        for _ in 0..MAX_VALIDATION_ATTEMPTS {
            if sent.valid_workers.is_empty() {
                let faults = Violations::from_faults(sent.faults);
                let failure = faults.map_or_else(|| Reason::EmptyRequest.into(), Failure::from);
                return Err(prefer_locked_failure(&self.call.incoming, &self.company_id, failure).await);
            }
            // The response is composed before the workers are stored, because the same transaction may store
            // the response.
            let response = self.stored_response(&sent).await?;
            let response_record = if self.dry_run { None } else { guard.response_record(&response) };
            let audit = writing::audit_context(self.call, response_record, self.dry_run);
            let (store, company_id) = (Arc::clone(&self.call.incoming.api.store), self.company_id.clone());
            let workers: Vec<_> =
                sent.valid_workers.iter().map(|new| Resource::Worker(Box::new(new.worker.clone()))).collect();
            let created =
                guard.commit(async move { store.create_resources(&company_id, &workers, &audit).await });
            let now = self.call.incoming.api.now();
            match created.await? {
                WriteOutcome::Stored(_) => return Ok(response),
                // The rejected workers are removed from the request, and the next attempt creates the
                // remaining workers.
                WriteOutcome::Refused(WriteRefusal::Several(refused)) => sent.reject_worker(refused, now)?,
                WriteOutcome::Refused(why) => return Err(refusal::write_failure(why, now)),
            }
        }
        Err(contention_failure())
    }

    async fn stored_response(&self, sent: &WorkersRequest) -> Result<StoredResponse, Failure> {
        let mut views = Vec::with_capacity(sent.valid_workers.len());
        for new in &sent.valid_workers {
            views.push((
                load_worker_view(self.call, new.worker.clone()).await?,
                new.correlation_id.as_deref(),
            ));
        }
        let base = self.call.incoming.base_url();
        let context = WorkerContext { base: &base, ..RESPONSE_CONTEXT };
        let own = Link::to_self(Href::Complete(format!("{base}{}", self.call.incoming.path())));
        let envelope = Envelope { metadata: None, links: vec![own] };
        let faults = Violations::from_faults(sent.faults.clone());
        let faults = faults.as_ref().map_or(&[][..], Violations::as_slice);
        let body = envelope.serialize_with_errors(&views, faults, |(view, correlation_id), out| {
            let resource = WorkerResource::new(view, context).for_request(*correlation_id, self.dry_run);
            serde_json::to_writer(out, &resource)
        })?;
        let status = match (faults.is_empty(), self.dry_run) {
            (false, _) => 207,
            (true, true) => 200,
            (true, false) => 201,
        };
        Ok(StoredResponse { status, content_type: self.media_type.to_owned(), body })
    }
}
