//! Objects of a company that partners create, read, change and delete (specification §6.7, §6.9, §6.10,
//! §6.21): custom fields and their categories. Jobs can only be created, read and changed. An object is
//! validated against stored data of its company and stored together with its response. If the stored data
//! changed between these two steps, the object is validated again.

mod kinds;

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::description::MemberSource;
use payroll_domain::id::CompanyId;
use payroll_domain::id::kind::Reference;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violations;
use payroll_ports::Rows;
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::resources::{EditResult, ObjectWrite, Versioned, WriteOutcome, WriteRefusal};

use crate::partner::call::PartnerCall;
use crate::partner::writing::{self, with_etag};
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::limits::{MAX_VALIDATION_ATTEMPTS, RETRY_AFTER_SECONDS};
use crate::shared::media_type::{JSON, MERGE_PATCH, VendorTypes};
use crate::shared::objects::{self, ObjectKey};
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;
use crate::shared::response::{self, GetResponse};
use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::{Envelope, Href, Link};

pub(super) use kinds::read_lookup_objects;

/// A kind of company object that partners write.
pub(crate) trait CompanyObject: MemberSource + Clone + Send + Sync + 'static {
    /// The kind under which the store saves these objects.
    const KIND: ResourceKind;

    /// The HTTP status of a successful POST.
    const CREATED_STATUS: u16 = 200;
    /// Whether POST returns the object without an envelope.
    const RETURNS_WITHOUT_ENVELOPE: bool = false;
    /// Whether objects have links to themselves.
    const HAS_LINKS: bool = false;

    /// The data of the company against which an object is validated.
    type Facts: Send + 'static;

    /// Returns two lists of vendor media types: those of POST, and those of one object. `application/json` is
    /// accepted too.
    fn media_types(types: &VendorTypes) -> [Vec<&str>; 2];

    /// Reads the data of the company against which an object is validated.
    async fn read_facts(call: &PartnerCall, company_id: &CompanyId) -> Result<Self::Facts, Failure>;

    /// Reads a new object from a document and assigns its ids.
    ///
    /// # Errors
    /// All faults of the document.
    fn create(sent: &Node<'_>, facts: Self::Facts, ids: &mut IdSequence) -> Result<Self, Violations>;

    /// Merges a patch into the object.
    ///
    /// # Errors
    /// All faults of the patched object.
    fn patch(&self, patch: Node<'_>, facts: Self::Facts, ids: &mut IdSequence) -> Result<Self, Violations>;

    /// Returns the reason why partners cannot delete the object, if there is one.
    fn deletion_obstacle(&self) -> Option<&'static str> {
        None
    }

    /// Returns the id of the object.
    fn id(&self) -> &str;

    /// Returns the object in a resource; `None` if the resource has another kind.
    fn from_resource(resource: Resource) -> Option<Self>;

    /// Wraps the object in a resource.
    fn into_resource(self) -> Resource;
}

/// Handles POST to a list of company objects, which creates one object.
pub(crate) async fn create<T: CompanyObject>(mut call: PartnerCall) -> HandlerResult {
    let (partner, dry_run) = (Arc::clone(&call.partner), writing::is_dry_run(&call).await?);
    let [mut offers, _] = T::media_types(&partner.media_types);
    offers.push(JSON);
    call.prefer_authentication_failure(call.incoming.check_content_type(&offers)).await?;
    let media_type = call.negotiate(&offers).await?;
    let company_id = call.company_id().await?;
    let body = call.read_body(Reason::BodyTooLarge).await?;
    let facts = T::read_facts(&call, &company_id).await?;
    let creation = ObjectCreation { call: &call, company_id: &company_id, media_type, dry_run };
    writing::run_with_idempotency(&call, dry_run, &body, async |guard| {
        response::from_stored(creation.store_object::<T>(&body, facts, guard).await?)
    })
    .await
}

/// A request of an authorized caller to create an object.
struct ObjectCreation<'a> {
    call: &'a PartnerCall,
    company_id: &'a CompanyId,
    media_type: &'a str,
    dry_run: bool,
}

impl ObjectCreation<'_> {
    async fn store_object<T: CompanyObject>(
        &self,
        body: &Bytes,
        mut facts: T::Facts,
        guard: &Arc<InFlightGuard>,
    ) -> Result<StoredResponse, Failure> {
        for _ in 0..MAX_VALIDATION_ATTEMPTS {
            let mut ids = self.call.new_ids();
            let read = move |node: Node<'_>| T::create(&node, facts, &mut ids);
            let object = self.call.incoming.read_document(body, read).await?;
            // The response is composed before the object is stored, because the same transaction may store
            // the response. In a dry run, the response contains no id.
            let body = self.response_body(&object)?;
            let status = if self.dry_run { 200 } else { T::CREATED_STATUS };
            let response = StoredResponse { status, content_type: self.media_type.to_owned(), body };
            let response_record = if self.dry_run { None } else { guard.response_record(&response) };
            let (store, write) =
                (Arc::clone(&self.call.incoming.api.store), ObjectWrite::Create(object.into_resource()));
            let audit = writing::audit_context(self.call, response_record, self.dry_run);
            match objects::write_object(store, self.company_id.clone(), write, audit, guard).await? {
                WriteOutcome::Stored(_) => return Ok(response),
                // Another request has taken the name or deleted a referenced object, so the object is
                // validated again.
                WriteOutcome::Refused(WriteRefusal::Taken(_) | WriteRefusal::Missing(_)) => {
                    facts = T::read_facts(self.call, self.company_id).await?;
                }
                WriteOutcome::Refused(why) => {
                    return Err(refusal::write_failure(why, self.call.incoming.api.now()));
                }
            }
        }
        Err(contention_failure())
    }

    /// Serializes the new object for the response.
    fn response_body<T: CompanyObject>(&self, object: &T) -> Result<Vec<u8>, Failure> {
        let incoming = &self.call.incoming;
        let own = || format!("{}{}/{}", incoming.base_url(), incoming.path(), object.id());
        let shown = match (T::HAS_LINKS, self.dry_run) {
            (false, _) => DescribedResource::without_links(object),
            (true, false) => {
                DescribedResource::with_links(object, vec![Link::to_self(Href::Complete(own()))])
            }
            (true, true) => DescribedResource::with_links(object, Vec::new()),
        };
        let shown = if self.dry_run { shown.without_member(T::KIND.id_member()) } else { shown };
        if T::RETURNS_WITHOUT_ENVELOPE {
            return serde_json::to_vec(&shown).map_err(|error| Failure::Bug(error.into()));
        }
        Ok(Envelope::without_links()
            .serialize(std::slice::from_ref(&shown), |shown, out| serde_json::to_writer(out, shown))?)
    }
}

/// Handles GET of one object. The entity tag is strong, because clients send it in `If-Match`.
pub(crate) async fn get_object<T: CompanyObject>(call: PartnerCall) -> HandlerResult {
    let media_type = call.negotiate(&offered_media_types::<T>(&call)).await?;
    let found = read_object::<T>(&call, &object_key::<T>(&call).await?).await?;
    let reading = GetResponse::with_etag(&call.incoming, media_type, EntityTag::from_version(found.version));
    reading.rows_response(Rows::All(vec![found.value]), |row: &T, _, out| {
        serde_json::to_writer(out, &DescribedResource::without_links(row))
    })
}

/// Handles PATCH of one company object.
pub(crate) async fn patch<T: CompanyObject>(mut call: PartnerCall) -> HandlerResult {
    let (partner, dry_run) = (Arc::clone(&call.partner), writing::is_dry_run(&call).await?);
    let [_, mut offers] = T::media_types(&partner.media_types);
    offers.push(JSON);
    let accepted = [offers.as_slice(), &[MERGE_PATCH]].concat();
    call.prefer_authentication_failure(call.incoming.check_content_type(&accepted)).await?;
    let media_type = call.negotiate(&offers).await?;
    let key = object_key::<T>(&call).await?;
    let body = call.read_body(Reason::BodyTooLarge).await;
    let if_match = IfMatch::read_optional(call.incoming.headers());
    read_object::<T>(&call, &key).await?;
    let request = key.change_request(if_match?, body?, writing::audit_context(&call, None, dry_run));
    let guard = idempotency::guard_without_record(&call.incoming);
    for _ in 0..MAX_VALIDATION_ATTEMPTS {
        let facts = T::read_facts(&call, &key.company_id).await?;
        let change = create_patch_function::<T>(&call, media_type, facts);
        let (written, response) = request.clone().execute_edit(&call.incoming, &guard, change).await?;
        match written {
            WriteOutcome::Stored(version) => return with_etag(response::from_stored(response)?, version),
            // Stored data on which the validation depends changed, so the object is validated again.
            WriteOutcome::Refused(WriteRefusal::Taken(_) | WriteRefusal::Missing(_)) => {}
            WriteOutcome::Refused(why) => return Err(refusal::write_failure(why, call.incoming.api.now())),
        }
    }
    Err(contention_failure())
}

/// Returns a function that merges a patch into the stored object and composes the response.
fn create_patch_function<T: CompanyObject>(
    call: &PartnerCall,
    media_type: &str,
    facts: T::Facts,
) -> impl FnOnce(Resource, Node<'_>) -> Result<(EditResult, StoredResponse), Failure> + use<T> {
    let (mut ids, media_type) = (call.new_ids(), media_type.to_owned());
    let own = format!("{}{}", call.incoming.base_url(), call.incoming.path());
    move |stored: Resource, patch: Node<'_>| {
        let stored = T::from_resource(stored).ok_or_else(kind_mismatch_failure)?;
        let object = stored.patch(patch, facts, &mut ids)?;
        let envelope = Envelope { metadata: None, links: vec![Link::to_self(Href::Complete(own.clone()))] };
        let body = envelope.serialize(std::slice::from_ref(&object), |object, out| {
            let shown = match T::HAS_LINKS {
                true => {
                    DescribedResource::with_links(object, vec![Link::to_self(Href::Complete(own.clone()))])
                }
                false => DescribedResource::without_links(object),
            };
            serde_json::to_writer(out, &shown)
        })?;
        Ok((object.into_resource().into(), StoredResponse { status: 200, content_type: media_type, body }))
    }
}

/// Handles DELETE of one company object.
pub(crate) async fn delete<T: CompanyObject>(call: PartnerCall) -> HandlerResult {
    let dry_run = writing::is_dry_run(&call).await?;
    call.negotiate(&offered_media_types::<T>(&call)).await?;
    let key = object_key::<T>(&call).await?;
    let stored = read_object::<T>(&call, &key).await?;
    let version = IfMatch::read_optional(call.incoming.headers())?.required_version(stored.version)?;
    if let Some(reason) = stored.value.deletion_obstacle() {
        return Err(refusal::conflict_failure(reason.to_owned()));
    }
    let (store, write) =
        (Arc::clone(&call.incoming.api.store), ObjectWrite::Delete(T::KIND, key.id, version));
    let (audit, guard) =
        (writing::audit_context(&call, None, dry_run), idempotency::guard_without_record(&call.incoming));
    match objects::write_object(store, key.company_id, write, audit, &guard).await? {
        WriteOutcome::Stored(_) => Ok(HttpResponse::NoContent().finish()),
        WriteOutcome::Refused(why) => Err(refusal::write_failure(why, call.incoming.api.now())),
    }
}

/// Returns the media types that are offered for one object.
fn offered_media_types<T: CompanyObject>(call: &PartnerCall) -> Vec<&str> {
    let [_, mut offers] = T::media_types(&call.partner.media_types);
    offers.push(JSON);
    offers
}

/// Returns the company id, the kind and the id that identify the object in the path.
///
/// # Errors
/// The errors of [`PartnerCall::company_id`] and [`PartnerCall::id`].
async fn object_key<T: CompanyObject>(call: &PartnerCall) -> Result<ObjectKey, Failure> {
    let company_id = call.company_id().await?;
    let id = call.id::<Reference>(T::KIND.id_member()).await?.to_string();
    Ok(ObjectKey { company_id, kind: T::KIND, id })
}

/// Reads the object from the store.
///
/// # Errors
/// The errors of [`PartnerCall::check_access`], then 404 API-7 if the object is unknown.
async fn read_object<T: CompanyObject>(call: &PartnerCall, key: &ObjectKey) -> Result<Versioned<T>, Failure> {
    let Versioned { value, version } = writing::read_object(call, key).await?;
    Ok(Versioned { value: T::from_resource(value).ok_or_else(kind_mismatch_failure)?, version })
}

fn kind_mismatch_failure() -> Failure {
    Failure::Bug("an object is of another kind than its key".into())
}

/// Returns 409 API-409: during each attempt, another request changed the stored data on which the validation
/// depends.
pub(super) fn contention_failure() -> Failure {
    Failure::from(Reason::Conflict).with_retry_after(RETRY_AFTER_SECONDS.into())
}
