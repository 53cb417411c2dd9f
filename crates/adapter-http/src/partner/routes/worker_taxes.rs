//! The partners' rules for federal tax settings of a worker (specification §6.18). State settings are in
//! `states`.

mod sources;
pub(crate) mod states;

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::description::{Described, MemberValue, MemberView};
use payroll_domain::document;
use payroll_domain::id::WorkerId;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_domain::worker::{FederalTax, Worker};
use payroll_ports::Rows;
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::resources::{EditResult, WriteOutcome};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::worker_changes::{object_key, require_worker};
use crate::partner::call::PartnerCall;
use crate::partner::writing::{self, with_etag};
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::media_type::{JSON, MERGE_PATCH};
use crate::shared::objects::{self, ObjectKey, merged_faults};
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;
use crate::shared::response::{self, GetResponse};
use crate::shared::wire::described_resource::{serialize_member, serialize_members};
use crate::shared::wire::{Envelope, Href, Link};

/// Pairs of members of which the settings may contain only one, such as an additional and an overriding
/// amount.
const EXCLUSIVE_MEMBERS: &[[&str; 2]] = &[
    ["extraWithholdingAmount", "overrideWithholdingAmount"],
    ["extraWithholdingPercentage", "overrideWithholdingAmount"],
    ["overrideWithholdingAmount", "overrideWithholdingPercentage"],
    ["extraWithholdingPercentage", "overrideWithholdingPercentage"],
];

/// Flags that this resource shows as the texts `"true"` and `"false"`.
const FLAG_MEMBERS: &[&str] = &["multipleJobs", "taxesWithheld"];

/// The federal tax settings of a worker. A worker has only one set, so its id is the worker's id.
struct FederalTaxResource {
    worker_id: WorkerId,
    federal: FederalTax,
}

impl FederalTaxResource {
    fn from_worker(worker: &Worker) -> Vec<Self> {
        let federal = worker.taxes.as_ref().and_then(|taxes| taxes.federal.clone());
        federal.map(|federal| Self { worker_id: worker.worker_id.clone(), federal }).into_iter().collect()
    }
}

impl Serialize for FederalTaxResource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("taxId", self.worker_id.as_str())?;
        serialize_members(&mut map, &self.federal, MemberView::Full, |map, member, shown| match shown {
            MemberValue::Flag(flag) => map.serialize_entry(member, if flag { "true" } else { "false" }),
            shown => serialize_member(map, member, shown),
        })?;
        map.end()
    }
}

/// Handles `GET /workers/{workerId}/federaltax` requests. Without settings the content is empty.
pub(crate) async fn get_federal_tax(call: PartnerCall) -> HandlerResult {
    let media_type = call.negotiate(&[&call.partner.media_types.federal_tax, JSON]).await?;
    let found = writing::read_object(&call, &object_key(&call).await?).await?;
    let rows = Rows::All(FederalTaxResource::from_worker(require_worker(&found.value)?));
    let reading = GetResponse::with_etag(&call.incoming, media_type, EntityTag::from_version(found.version));
    reading.rows_response(rows, |row, _, out| serde_json::to_writer(out, row))
}

/// Handles `POST /workers/{workerId}/federaltax`: replaces the stored settings.
pub(crate) async fn replace_federal_tax(mut call: PartnerCall) -> HandlerResult {
    let request = TaxChangeRequest::begin_request(&mut call, &[JSON]).await?;
    let (status, body) = (if request.dry_run { 200 } else { 201 }, request.body.clone());
    writing::run_with_idempotency(&call, request.dry_run, &body, async |guard| {
        let change = |worker: &Resource, ids: &mut IdSequence, sent: Node<'_>| {
            merge_federal_taxes(worker, ids, sent, true)
        };
        let (version, response) =
            request.store_taxes(&call, (status, guard), change, federal_response).await?;
        with_etag(response::from_stored(response)?, version)
    })
    .await
}

/// Handles `PATCH /workers/{workerId}/federaltax`: merges a patch into the settings.
pub(crate) async fn patch_federal_tax(mut call: PartnerCall) -> HandlerResult {
    let request = TaxChangeRequest::begin_request(&mut call, &[JSON, MERGE_PATCH]).await?;
    let guard = idempotency::guard_without_record(&call.incoming);
    let change = |worker: &Resource, ids: &mut IdSequence, sent: Node<'_>| {
        merge_federal_taxes(worker, ids, sent, false)
    };
    let (version, response) = request.store_taxes(&call, (200, &guard), change, federal_response).await?;
    with_etag(response::from_stored(response)?, version)
}

/// A request of an authorized caller to change tax settings.
struct TaxChangeRequest {
    key: ObjectKey,
    if_match: IfMatch,
    body: Bytes,
    dry_run: bool,
    media_type: String,
}

impl TaxChangeRequest {
    async fn begin_request(call: &mut PartnerCall, accepted: &[&str]) -> Result<Self, Failure> {
        let own = call.partner.media_types.federal_tax.clone();
        Self::begin_with_media_types(call, &[accepted, &[own.as_str()]].concat(), &[own.as_str(), JSON]).await
    }

    async fn begin_with_media_types(
        call: &mut PartnerCall,
        accepted: &[&str],
        offers: &[&str],
    ) -> Result<Self, Failure> {
        let dry_run = writing::is_dry_run(call).await?;
        call.prefer_authentication_failure(call.incoming.check_content_type(accepted)).await?;
        let media_type = call.negotiate(offers).await?.to_owned();
        let key = object_key(call).await?;
        let body = call.read_body(Reason::BodyTooLarge).await;
        let if_match = IfMatch::read_optional(call.incoming.headers());
        writing::read_object(call, &key).await?;
        Ok(Self { key, if_match: if_match?, body: body?, dry_run, media_type })
    }

    /// Stores the change of the worker and returns the worker's version and the response. The response is
    /// stored together with the worker.
    async fn store_taxes(
        &self,
        call: &PartnerCall,
        (status, guard): (u16, &Arc<InFlightGuard>),
        change: impl FnOnce(&Resource, &mut IdSequence, Node<'_>) -> Result<Resource, Failure> + Send + 'static,
        body: impl FnOnce(&Worker, Envelope) -> Result<Vec<u8>, Failure> + Send + 'static,
    ) -> Result<(i64, StoredResponse), Failure> {
        let audit = writing::audit_context(call, None, self.dry_run);
        let request = self.key.change_request(self.if_match.clone(), self.body.clone(), audit);
        let (mut ids, keeping, content_type) = (call.new_ids(), Arc::clone(guard), self.media_type.clone());
        let own =
            Link::to_self(Href::Complete(format!("{}{}", call.incoming.base_url(), call.incoming.path())));
        let edit = move |stored: Resource, sent: Node<'_>| {
            let object = change(&stored, &mut ids, sent)?;
            let body = body(require_worker(&object)?, Envelope { metadata: None, links: vec![own] })?;
            let response = StoredResponse { status, content_type, body };
            Ok((EditResult { object, response_record: keeping.response_record(&response) }, response))
        };
        match request.execute_edit(&call.incoming, guard, edit).await? {
            (WriteOutcome::Stored(version), response) => Ok((version, response)),
            (WriteOutcome::Refused(why), _) => Err(refusal::write_failure(why, call.incoming.api.now())),
        }
    }
}

fn federal_response(worker: &Worker, envelope: Envelope) -> Result<Vec<u8>, Failure> {
    Ok(envelope
        .serialize(&FederalTaxResource::from_worker(worker), |row, out| serde_json::to_writer(out, row))?)
}

/// Returns the worker with changed federal settings. If `replaces` is set, the sent settings replace the
/// stored settings. Otherwise the sent settings are merged into the stored settings, and a sent member
/// removes the stored members that it excludes.
fn merge_federal_taxes(
    stored: &Resource,
    ids: &mut IdSequence,
    mut sent: Node<'_>,
    replaces: bool,
) -> Result<Resource, Failure> {
    if matches!(&sent.value, Value::Object(members) if members.is_empty()) {
        return Err(Reason::EmptyRequest.into());
    }
    document::remove_unknown_members(&mut sent, FederalTax::MEMBERS);
    let Value::Object(members) = &mut sent.value else {
        return Err(Violation::new(Reason::FieldInvalid, "the body must be an object").into());
    };
    for (_, value) in members.iter_mut().filter(|(name, _)| FLAG_MEMBERS.contains(&name.as_ref())) {
        convert_flag_text(value);
    }
    let has =
        |name: &str| members.iter().any(|(own, value)| own == name && !value.value.is_null_or_empty_text());
    let ambiguous =
        EXCLUSIVE_MEMBERS.iter().filter(|[one, other]| has(one) && has(other)).map(|[one, other]| {
            let fault =
                Violation::new(Reason::FieldAmbiguous, format!("{other} and {one} exclude each other"));
            fault.at_position(format!("/{other}"), DocumentPosition::default())
        });
    let ambiguous: Vec<_> = ambiguous.collect();
    let excluded = EXCLUSIVE_MEMBERS.iter().flat_map(|[one, other]| [(one, other), (other, one)]);
    let excluded: Vec<&str> = excluded.filter(|(one, _)| has(one)).map(|(_, other)| *other).collect();
    let removed: Vec<&'static str> = FederalTax::MEMBERS
        .iter()
        .map(|member| member.name)
        .filter(|name| !has(name) && (replaces || excluded.contains(name)))
        .collect();
    members.retain(|(name, _)| !removed.contains(&name.as_ref()));
    members.extend(removed.into_iter().map(|name| (name.into(), Node::from(Value::Null))));
    let patch = object_with_member("taxes", object_with_member("federal", sent));
    let pointer_of = |pointer: &str| pointer.strip_prefix("/taxes/federal").map(str::to_owned);
    merged_faults::merge_faults(ambiguous, parse_merged_worker(stored, ids, patch, pointer_of))
}

/// Converts the texts `"true"` and `"false"` to booleans. The parser reports any other text as a fault.
fn convert_flag_text(value: &mut Node<'_>) {
    match value.as_text() {
        Some("true") => value.value = Value::Bool(true),
        Some("false") => value.value = Value::Bool(false),
        Some(_) | None => {}
    }
}

/// Creates a JSON object with one member.
fn object_with_member<'n>(member: &'static str, value: Node<'n>) -> Node<'n> {
    Node::from(Value::Object(vec![(member.into(), value)]))
}

/// Reads the worker after merging a patch. `pointer_of` converts a pointer into the worker's document to a
/// pointer into the body.
fn parse_merged_worker(
    stored: &Resource,
    ids: &mut IdSequence,
    patch: Node<'_>,
    pointer_of: impl Fn(&str) -> Option<String>,
) -> Result<Resource, Failure> {
    let merged = document::merge_documents(document::to_resource_node(stored), patch);
    objects::parse_object(ids, ResourceKind::Worker, merged).map_err(|failure| {
        failure.with_changed_faults(|mut fault| {
            fault.pointer = fault.pointer.as_deref().and_then(&pointer_of);
            fault
        })
    })
}
