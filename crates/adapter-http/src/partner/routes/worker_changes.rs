//! Changes and deletes one worker (specification §6.16).

mod rules;
pub(super) mod status;

use std::sync::Arc;

use actix_web::HttpResponse;
use payroll_domain::check::OrganizationLabel;
use payroll_domain::code::Reason;
use payroll_domain::date::Date;
use payroll_domain::description::{Described, MemberView};
use payroll_domain::document;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::lookup::CompanyStatus;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violation;
use payroll_domain::worker::{StatusType, Worker};
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::resources::{EditResult, ObjectWrite, WriteOutcome};
use payroll_ports::workers::WorkerView;

use super::company_objects::read_lookup_objects;
use super::workers;
use crate::partner::call::PartnerCall;
use crate::partner::wire::{WorkerContext, WorkerResource};
use crate::partner::writing::{self, with_etag};
use crate::shared::edit::prefer_locked_failure;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::media_type::{JSON, MERGE_PATCH};
use crate::shared::objects::{self, ObjectKey, merged_faults};
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;
use crate::shared::response;
use crate::shared::wire::{Envelope, Href, Link};

/// The context in which the response to a change shows a worker. The base URL is set for each response.
pub(super) const RESPONSE_CONTEXT: WorkerContext<'static> = WorkerContext {
    base: "",
    view: MemberView::Full,
    may_see_full_tax_ids: false,
    may_read_communications: true,
    may_read_pay_rates: false,
};

/// Handles a request for `PATCH /workers/{workerId}`.
pub(crate) async fn patch_worker(mut call: PartnerCall) -> HandlerResult {
    let (partner, dry_run) = (Arc::clone(&call.partner), writing::is_dry_run(&call).await?);
    let offers = [partner.media_types.worker.as_str(), JSON];
    let accepted = [offers[0], JSON, MERGE_PATCH];
    call.prefer_authentication_failure(call.incoming.check_content_type(&accepted)).await?;
    let media_type = call.negotiate(&offers).await?;
    let key = object_key(&call).await?;
    let body = call.read_body(Reason::BodyTooLarge).await;
    let if_match = IfMatch::read_optional(call.incoming.headers());
    writing::read_object(&call, &key).await?;
    let body = body?;
    let statuses = match may_contain_status(&body) {
        true => read_lookup_objects(&call, &key.company_id).await?,
        false => Vec::new(),
    };
    let request = key.change_request(if_match?, body, writing::audit_context(&call, None, dry_run));
    let (mut ids, today) = (call.new_ids(), call.incoming.api.today());
    let change = move |stored: Resource, patch: Node<'_>| {
        let worker = merge_patch((&mut ids, today), &stored, patch, &statuses)?;
        Ok((EditResult::from(Resource::Worker(Box::new(worker.clone()))), worker))
    };
    let guard = idempotency::guard_without_record(&call.incoming);
    let (written, worker) = request.execute_edit(&call.incoming, &guard, change).await?;
    match written {
        WriteOutcome::Stored(version) => {
            with_etag(response::from_stored(worker_response(&call, media_type, worker).await?)?, version)
        }
        WriteOutcome::Refused(why) => Err(refusal::write_failure(why, call.incoming.api.now())),
    }
}

/// Handles `DELETE /workers/{workerId}`: deletes a worker, if the setup of the worker is not finished.
pub(crate) async fn delete_worker(call: PartnerCall) -> HandlerResult {
    let dry_run = writing::is_dry_run(&call).await?;
    call.negotiate(&[&call.partner.media_types.worker, JSON]).await?;
    let key = object_key(&call).await?;
    let found = writing::read_object(&call, &key).await?;
    let version = IfMatch::read_optional(call.incoming.headers())?
        .required_version(found.version)?
        .unwrap_or(found.version);
    let worker = require_worker(&found.value)?;
    let status = worker.current_status.as_ref();
    if status.is_none_or(|status| status.status_type != StatusType::InProgress) {
        let sentence = "only a worker whose status is IN_PROGRESS can be deleted";
        let fault = Violation::new(Reason::StateForbids, sentence).into();
        return Err(prefer_locked_failure(&call.incoming, &key.company_id, fault).await);
    }
    let (store, write) =
        (Arc::clone(&call.incoming.api.store), ObjectWrite::Delete(key.kind, key.id, Some(version)));
    let (audit, guard) =
        (writing::audit_context(&call, None, dry_run), idempotency::guard_without_record(&call.incoming));
    match objects::write_object(store, key.company_id, write, audit, &guard).await? {
        WriteOutcome::Stored(_) => Ok(HttpResponse::NoContent().finish()),
        WriteOutcome::Refused(why) => Err(refusal::write_failure(why, call.incoming.api.now())),
    }
}

/// Returns the company id and the worker id that identify the worker in the path.
pub(super) async fn object_key(call: &PartnerCall) -> Result<ObjectKey, Failure> {
    let worker = workers::worker_key(call).await?;
    Ok(ObjectKey {
        company_id: worker.company_id,
        kind: ResourceKind::Worker,
        id: worker.worker_id.to_string(),
    })
}

pub(super) fn require_worker(resource: &Resource) -> Result<&Worker, Failure> {
    match resource {
        Resource::Worker(worker) => Ok(worker),
        _ => Err(Failure::Bug("a worker was read as an object of another kind".into())),
    }
}

/// Returns whether a body may contain the current status, so that the company's list of statuses is needed.
/// The name of a JSON member may contain escapes, so the result is also `true` for any body with a backslash.
fn may_contain_status(body: &[u8]) -> bool {
    let name = b"currentStatus";
    body.contains(&b'\\') || body.windows(name.len()).any(|part| part == name)
}

/// Merges a patch into the stored worker.
fn merge_patch(
    (ids, today): (&mut IdSequence, Date),
    stored: &Resource,
    mut patch: Node<'_>,
    statuses: &[CompanyStatus],
) -> Result<Worker, Failure> {
    let before = require_worker(stored)?;
    if matches!(&patch.value, Value::Object(members) if members.is_empty()) {
        return Err(Reason::EmptyRequest.into());
    }
    document::remove_unknown_members(&mut patch, Worker::MEMBERS);
    let status_fault = rules::prepare_patch(&mut patch, before, statuses, (ids, today)).err();
    if let (Some(_), Value::Object(members)) = (&status_fault, &mut patch.value) {
        // The invalid status is removed, so that the rest of the patch can be validated and all faults are
        // reported together.
        members.retain(|(name, _)| name != "currentStatus");
    }
    let tree = document::to_resource_node(stored);
    let merged = document::merge_documents(tree.clone(), patch);
    let merged = document::reuse_ids(ResourceKind::Worker, merged, &tree);
    let merged = document::fill_missing_id(merged, "workerId", before.worker_id.as_str());
    let read = objects::parse_object(ids, ResourceKind::Worker, merged);
    let mut faults: Vec<_> = status_fault.into_iter().collect();
    if let Ok(read) = &read {
        faults.extend(rules::find_change_faults(before, require_worker(read)?, today));
    }
    let read = merged_faults::merge_faults(faults, read)?;
    require_worker(&read).cloned()
}

/// Creates the response with the worker and the names of referenced objects.
async fn worker_response(
    call: &PartnerCall,
    media_type: &str,
    worker: Worker,
) -> Result<StoredResponse, Failure> {
    let view = load_worker_view(call, worker).await?;
    let base = call.incoming.base_url();
    let context = WorkerContext { base: &base, ..RESPONSE_CONTEXT };
    let own = Link::to_self(Href::Complete(format!("{base}{}", call.incoming.path())));
    let envelope = Envelope { metadata: None, links: vec![own] };
    let body = envelope.serialize(std::slice::from_ref(&view), |view, out| {
        serde_json::to_writer(out, &WorkerResource::new(view, context))
    })?;
    Ok(StoredResponse { status: 200, content_type: media_type.to_owned(), body })
}

/// Reads the names of the objects that the worker refers to. Returns the worker with these names.
pub(super) async fn load_worker_view(call: &PartnerCall, worker: Worker) -> Result<WorkerView, Failure> {
    let company_id = call.company_id().await?;
    let find = async |kind: ResourceKind, id: Option<String>| {
        let Some(id) = id else { return Ok::<_, Failure>(None) };
        let found = call.store().object(&call.caller, &company_id, kind, &id).await?;
        Ok(call.check_access(found)?.1.map(|found| found.value))
    };
    let unit =
        find(ResourceKind::Organization, worker.organization_id.as_ref().map(ToString::to_string)).await?;
    let above = find(ResourceKind::Worker, worker.supervisor_id.as_ref().map(ToString::to_string)).await?;
    let kind = ResourceKind::Lookup(payroll_domain::lookup::LookupKind::CustomEmploymentType);
    let custom = find(kind, worker.custom_employment_type_id.as_ref().map(ToString::to_string)).await?;
    Ok(WorkerView {
        custom_employment_type_name: custom.and_then(|it| rules::employment_type_name(&it)),
        organization: unit.and_then(|unit| match unit {
            Resource::Organization(unit) => Some(OrganizationLabel {
                organization_id: unit.organization_id,
                name: unit.name,
                number: unit.number,
            }),
            _ => None,
        }),
        supervisor_name: above.and_then(|above| match above {
            Resource::Worker(above) => Some((above.name.family_name, above.name.given_name)),
            _ => None,
        }),
        worker,
    })
}
