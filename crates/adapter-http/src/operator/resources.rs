//! The handlers for company objects of every kind (specification §10.4, §10.6), one for each method.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::document::{self, TaxIdMasking};
use payroll_domain::id::CompanyId;
use payroll_domain::id::kind::Reference;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violations;
use payroll_ports::filters::ResourceFilter;
use payroll_ports::idempotency::ResponseRecord;
use payroll_ports::resources::{MissingReference, ObjectWrite, Versioned, WriteOutcome, WriteRefusal};

use super::call::OperatorCall;
use super::precondition::IfMatch;
use super::response::{self, CreatedResponse};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::limits::RETRY_AFTER_SECONDS;
use crate::shared::lookup;
use crate::shared::media_type::{JSON, MERGE_PATCH};
use crate::shared::objects::{
    self, ObjectKey, id_mismatch_failure, id_mismatch_fault, merged_faults, parse_object,
};
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;
use crate::shared::refusal;

/// Handles GET of a collection.
pub(super) async fn list(call: OperatorCall, kind: ResourceKind) -> HandlerResult {
    list_filtered(call, |query| Ok((RequestedPage::read(query)?, ResourceFilter::All(kind)))).await
}

/// Handles GET of a collection with filters in its query.
pub(super) async fn list_filtered(
    call: OperatorCall,
    read: impl FnOnce(&Query) -> Result<(RequestedPage, ResourceFilter), Violations>,
) -> HandlerResult {
    call.check_client_accepts_json()?;
    let company_id = call.company_id()?;
    let read = read(&call.incoming.query()).map_err(Failure::from);
    let (page, filter) = call.prefer_company_not_found(&company_id, read).await?;
    let window = page.window_for_response(call.incoming.is_head());
    let listing = call.store().resources(&company_id, &filter, window).await?;
    response::resources_response(&call, page, listing.ok_or(Reason::UnknownResource)?)
}

/// Handles GET of one object.
pub(super) async fn get_object(call: OperatorCall, kind: ResourceKind) -> HandlerResult {
    call.check_client_accepts_json()?;
    let found = ObjectKey::from_call(&call, kind)?.read_object(&call).await?;
    response::single_response(
        &call,
        found.version,
        document::write_resource(&found.value, call.tax_id_masking()),
    )
}

/// Handles POST to a collection.
pub(super) async fn create(mut call: OperatorCall, kind: ResourceKind) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    let company_id = match kind {
        ResourceKind::Company => None,
        _ => Some(call.company_id()?),
    };
    let body = call.body().await;
    let body = match &company_id {
        Some(company_id) => call.prefer_company_not_found(company_id, body).await?,
        None => body?,
    };
    call.run_with_idempotency(&body, async |guard| {
        let mut ids = call.new_ids();
        let read = call.incoming.read_document(&body, move |node| parse_object(&mut ids, kind, node)).await;
        let resource = match &company_id {
            Some(company_id) => call.prefer_company_not_found(company_id, read).await?,
            None => read?,
        };
        create_object(&call, company_id, resource, guard).await
    })
    .await
}

/// Handles PUT of one object.
pub(super) async fn replace(mut call: OperatorCall, kind: ResourceKind) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    let key = ObjectKey::from_call(&call, kind)?;
    let validated = read_replacement(&mut call, &key).await;
    let (if_match, resource) = key.prefer_not_found(&call, validated).await?;
    let version = if_match.read_expected_version(&call, &key).await?;
    if has_foreign_parent(call.visible_companies(), &resource) {
        require_parent_access(call.visible_companies(), &key.read_object(&call).await?.value, &resource)?;
    }
    let content = document::write_resource(&resource, call.tax_id_masking());
    let write = ObjectWrite::Replace(resource, version);
    let version = require_stored_version(&call, store_object(&call, &key.company_id, write).await?)?;
    response::changed_response(&call, version, &content)
}

/// Handles PATCH of one object.
pub(super) async fn patch(mut call: OperatorCall, kind: ResourceKind) -> HandlerResult {
    call.check_media_types(&[MERGE_PATCH, JSON])?;
    let key = ObjectKey::from_call(&call, kind)?;
    let validated = read_if_match_and_body(&mut call).await;
    let (if_match, body) = key.prefer_not_found(&call, validated).await?;
    let (mut ids, to, tax_ids) = (call.new_ids(), key.clone(), call.tax_id_masking());
    let within = call.visible_companies().map(<[CompanyId]>::to_vec);
    let change = move |stored: Resource, patch: Node<'_>| {
        let resource = apply_patch(&mut ids, &to, &stored, patch)?;
        require_parent_access(within.as_deref(), &stored, &resource)?;
        let content = document::write_resource(&resource, tax_ids);
        Ok((resource.into(), content))
    };
    let request = key.change_request(if_match, body, call.audit_context(None));
    let guard = idempotency::guard_without_record(&call.incoming);
    let (written, content) = request.execute_edit(&call.incoming, &guard, change).await?;
    response::changed_response(&call, require_stored_version(&call, written)?, &content)
}

/// Handles DELETE of one object.
pub(super) async fn delete(call: OperatorCall, kind: ResourceKind) -> HandlerResult {
    call.check_client_accepts_json()?;
    let key = ObjectKey::from_call(&call, kind)?;
    let if_match = IfMatch::read_required(call.incoming.headers());
    let if_match = key.prefer_not_found(&call, if_match).await?;
    let version = if_match.read_expected_version(&call, &key).await?;
    let write = ObjectWrite::Delete(kind, key.id, version);
    let written = store_object(&call, &key.company_id, write).await?;
    require_stored_version(&call, hide_foreign_ids(&call, kind, written))?;
    Ok(response::no_content_response())
}

impl ObjectKey {
    /// Returns the company id, the kind and the id that identify the object in the path.
    ///
    /// # Errors
    /// 404 API-7 if the company id or the object id in the path is not valid.
    pub(super) fn from_call(call: &OperatorCall, kind: ResourceKind) -> Result<Self, Failure> {
        let id = call.id::<Reference>(lookup::path_id_name(kind))?.to_string();
        Ok(Self { company_id: call.company_id()?, kind, id })
    }

    /// Reads the object from the store.
    ///
    /// # Errors
    /// 404 API-7 if the object is unknown.
    pub(super) async fn read_object(&self, call: &OperatorCall) -> Result<Versioned<Resource>, Failure> {
        let found = call.store().resource(&self.company_id, self.kind, &self.id).await?;
        found.ok_or_else(|| Reason::UnknownResource.into())
    }

    /// Returns `result` unchanged, except if `result` is a fault and the object is unknown. In that case,
    /// returns the error for the unknown object instead of the fault.
    ///
    /// # Errors
    /// 404 API-7 if the object is unknown, otherwise the fault.
    pub(super) async fn prefer_not_found<T>(
        &self,
        call: &OperatorCall,
        result: Result<T, Failure>,
    ) -> Result<T, Failure> {
        if result.is_err() {
            self.read_object(call).await?;
        }
        result
    }
}

/// Whether a company has a parent company that the caller cannot access.
fn has_foreign_parent(visible_companies: Option<&[CompanyId]>, company: &Resource) -> bool {
    parent_of_company(company)
        .is_some_and(|parent| visible_companies.is_some_and(|ids| !ids.contains(parent)))
}

fn parent_of_company(company: &Resource) -> Option<&CompanyId> {
    match company {
        Resource::Company(record) => record.company.parent_company_id.as_ref(),
        _ => None,
    }
}

/// Verifies that a change does not set a parent company that the caller cannot access.
///
/// # Errors
/// The same error as for an unknown parent company. The caller therefore does not learn whether the company
/// exists.
fn require_parent_access(
    visible_companies: Option<&[CompanyId]>,
    before: &Resource,
    after: &Resource,
) -> Result<(), Failure> {
    match parent_of_company(after) {
        Some(id) if has_foreign_parent(visible_companies, after) && parent_of_company(before) != Some(id) => {
            let (id, pointer) = (id.to_string(), "/parentCompanyId".to_owned());
            let missing = MissingReference { target: ResourceKind::Company, id, pointer };
            Err(refusal::missing_reference_violation(missing).into())
        }
        _ => Ok(()),
    }
}

/// Reads `If-Match` and the body of a change.
///
/// # Errors
/// 428 API-428 if the header is missing, then the errors of [`OperatorCall::body`].
pub(super) async fn read_if_match_and_body(call: &mut OperatorCall) -> Result<(IfMatch, Bytes), Failure> {
    let if_match = IfMatch::read_required(call.incoming.headers())?;
    Ok((if_match, call.body().await?))
}

/// Writes an object without an idempotency key. The write completes even if the client disconnects.
///
/// # Errors
/// The error of the store.
pub(super) async fn store_object(
    call: &OperatorCall,
    company_id: &CompanyId,
    write: ObjectWrite,
) -> Result<WriteOutcome, Failure> {
    let guard = idempotency::guard_without_record(&call.incoming);
    store_with_response(call, company_id, write, (&guard, None)).await
}

/// Writes an object, and stores a response for the idempotency key in the same transaction.
///
/// # Errors
/// The error of the store.
pub(super) async fn store_with_response(
    call: &OperatorCall,
    company_id: &CompanyId,
    write: ObjectWrite,
    (guard, response_record): (&Arc<InFlightGuard>, Option<ResponseRecord>),
) -> Result<WriteOutcome, Failure> {
    let store = Arc::clone(&call.incoming.api.store);
    objects::write_object(store, company_id.clone(), write, call.audit_context(response_record), guard).await
}

/// Removes the ids of other companies and of applications from the rejected deletion of a company, if the key
/// of the caller is restricted to some companies.
fn hide_foreign_ids(call: &OperatorCall, kind: ResourceKind, written: WriteOutcome) -> WriteOutcome {
    if kind != ResourceKind::Company || call.visible_companies().is_none() {
        return written;
    }
    let WriteOutcome::Refused(WriteRefusal::Referenced(mut sentences)) = written else { return written };
    // Sentences such as "the company has workers" name only objects of the company itself, so they keep their
    // ids.
    for sentence in sentences.iter_mut().filter(|sentence| !sentence.starts_with("the company has ")) {
        if let Some(end) = sentence.find(": ") {
            sentence.truncate(end);
        }
    }
    WriteOutcome::Refused(WriteRefusal::Referenced(sentences))
}

/// Returns the version after a successful write.
///
/// # Errors
/// The error for a rejected write.
pub(super) fn require_stored_version(call: &OperatorCall, written: WriteOutcome) -> Result<i64, Failure> {
    match written {
        WriteOutcome::Stored(version) => Ok(version),
        WriteOutcome::Refused(why) => Err(refusal::write_failure(why, call.incoming.api.now())),
    }
}

/// Returns the error 409 API-409, because another request changed the object during each attempt of this
/// request.
pub(super) fn contention_failure() -> Failure {
    refusal::conflict_failure("other requests changed the object at the same time; retry later")
        .with_retry_after(RETRY_AFTER_SECONDS.into())
}

/// Stores a new object. `company_id` is the company in the path; `None` if the new object is itself a
/// company.
async fn create_object(
    call: &OperatorCall,
    company_id: Option<CompanyId>,
    resource: Resource,
    guard: &Arc<InFlightGuard>,
) -> HandlerResult {
    let own = || resource.id().parse().map_err(|_| Failure::Bug("an id that was read is none".into()));
    let company_id = company_id.map_or_else(own, Ok)?;
    let (sent, stored_body) = (
        document::write_resource(&resource, call.tax_id_masking()),
        document::write_resource(&resource, TaxIdMasking::Masked),
    );
    let creation = CreatedResponse::new(call, resource.id(), &sent, &stored_body)?;
    let response_record = guard.response_record(creation.stored_response());
    let written =
        store_with_response(call, &company_id, ObjectWrite::Create(resource), (guard, response_record))
            .await?;
    creation.send_created(require_stored_version(call, written)?)
}

/// Reads `If-Match` and the object in the body of a PUT.
async fn read_replacement(call: &mut OperatorCall, key: &ObjectKey) -> Result<(IfMatch, Resource), Failure> {
    let (if_match, body) = read_if_match_and_body(call).await?;
    let kind = key.kind;
    let lacks_ids = move |sent: Node<'_>| Ok::<_, Failure>(document::has_objects_without_ids(kind, &sent));
    let stored = match call.incoming.read_document(&body, lacks_ids).await? {
        true => Some(document::to_resource_node(&key.read_object(call).await?.value)),
        false => None,
    };
    let (mut ids, key) = (call.new_ids(), key.clone());
    let read = move |sent: Node<'_>| {
        let Some(stored) = stored else { return parse_with_path_id(&mut ids, &key, sent) };
        parse_with_path_id(&mut ids, &key, document::reuse_ids(key.kind, sent, &stored))
    };
    Ok((if_match, call.incoming.read_document(&body, read).await?))
}

/// Applies a merge patch to the stored object.
fn apply_patch(
    ids: &mut IdSequence,
    key: &ObjectKey,
    stored: &Resource,
    patch: Node<'_>,
) -> Result<Resource, Failure> {
    let stored = document::to_resource_node(stored);
    let merged = document::merge_documents(stored.clone(), patch);
    parse_with_path_id(ids, key, document::reuse_ids(key.kind, merged, &stored))
}

/// Reads the object with the id in the path from a document. An id in the document must equal the id in the
/// path. A different id is reported as a fault and replaced, so that the other faults are found too.
fn parse_with_path_id(
    ids: &mut IdSequence,
    key: &ObjectKey,
    mut sent: Node<'_>,
) -> Result<Resource, Failure> {
    let member = key.kind.id_member();
    let mut faults = Vec::new();
    if let Value::Object(members) = &mut sent.value {
        let is_other = |value: &Node<'_>| value.as_text().is_some_and(|id| !id.is_empty() && id != key.id);
        let other = members.iter_mut().find(|(name, value)| name == member && is_other(value));
        if let Some((_, id)) = other {
            id.value = Value::Text(key.id.clone().into());
            faults.push(id_mismatch_fault(member));
        }
    }
    let read = parse_object(ids, key.kind, document::fill_missing_id(sent, member, &key.id));
    let resource = merged_faults::merge_faults(faults, read)?;
    // The comparison above covers only ids that are texts. An id can also be a JSON number, which is compared
    // here.
    if resource.id() == key.id { Ok(resource) } else { Err(id_mismatch_failure(member)) }
}
