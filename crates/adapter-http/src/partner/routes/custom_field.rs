//! One custom field (specification §6.9): reading, changing and removing it. The list, and adding to
//! it, are in `custom_fields`.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::{ETAG, HeaderValue};
use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::custom_field::{self, CustomField, CustomFieldDefinition};
use payroll_domain::id::{CompanyId, CustomFieldId};
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::Rows;
use payroll_ports::idempotency::Answer;
use payroll_ports::resources::{Refusal, Versioned, Write, Written};
use payroll_ports::write::By;

use super::custom_fields::give_ids;
use crate::partner::call::Call;
use crate::partner::wire::CustomFieldResource;
use crate::shared::answer::{self, Reading};
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handled::Handled;
use crate::shared::idempotency;
use crate::shared::limits::{MAX_JUDGEMENTS, RETRY_AFTER_SECONDS};
use crate::shared::media_type::{JSON, MERGE_PATCH, VendorTypes};
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;
use crate::shared::wire::{Envelope, Href, Link};

/// GET /companies/{companyId}/customfields/{customFieldId}. Its tag is a strong one, for `If-Match`.
pub(crate) async fn one(call: Call) -> Handled {
    let media_type = call.negotiate(&offered(&call.partner.media_types)).await?;
    let found = Place::of(&call).await?.read(&call).await?;
    let reading = Reading::tagged(&call.incoming, media_type, EntityTag::of_version(found.version));
    reading.plain(Rows::All(vec![found.value]), |row: &CustomField, _, out| {
        serde_json::to_writer(out, &CustomFieldResource::new(row))
    })
}

/// PATCH /companies/{companyId}/customfields/{customFieldId}.
pub(crate) async fn change(mut call: Call) -> Handled {
    let partner = Arc::clone(&call.partner);
    let offered = offered(&partner.media_types);
    let taken = [offered.as_slice(), &[MERGE_PATCH]].concat();
    call.after_authentication(call.incoming.check_content_type(&taken)).await?;
    let media_type = call.negotiate(&offered).await?;
    let place = Place::of(&call).await?;
    let body = call.body(Reason::BodyTooLarge).await;
    let if_match = IfMatch::sent(call.incoming.headers());
    let mut found = place.read(&call).await?;
    let (if_match, body) = (if_match?, body?);
    for _ in 0..MAX_JUDGEMENTS {
        if !if_match.admits(found.version) {
            return Err(Reason::PreconditionFailed.into());
        }
        let field = place.changed(&call, &found.value, &body).await?;
        let answer = whole(&call, &field, media_type)?;
        let before =
            Versioned { value: Resource::CustomField(Box::new(found.value)), version: found.version };
        let write = Write::Change(Box::new(before), Resource::CustomField(Box::new(field)));
        match store(&call, &place.company_id, write).await? {
            Written::Stored(version) => return tagged(answer, version),
            // Somebody was faster, and what it was judged on is another: judge it anew.
            Written::Refused(Refusal::Stale | Refusal::Taken(_) | Refusal::Missing(_)) => {}
            Written::Refused(why) => return Err(refusal::failure(why, call.incoming.api.now())),
        }
        found = place.read(&call).await?;
    }
    Err(Failure::from(Reason::Conflict).retry_after(RETRY_AFTER_SECONDS.into()))
}

/// DELETE /companies/{companyId}/customfields/{customFieldId}.
pub(crate) async fn remove(call: Call) -> Handled {
    call.negotiate(&offered(&call.partner.media_types)).await?;
    let place = Place::of(&call).await?;
    let stored = place.read(&call).await?.version;
    let version = IfMatch::sent(call.incoming.headers())?.insists_on(stored)?;
    let write = Write::Delete(ResourceKind::CustomField, place.custom_field_id.to_string(), version);
    match store(&call, &place.company_id, write).await? {
        Written::Stored(_) => Ok(HttpResponse::NoContent().finish()),
        Written::Refused(why) => Err(refusal::failure(why, call.incoming.api.now())),
    }
}

/// The media types of one field. The name of the list is taken too: clients have one name for both.
fn offered(types: &VendorTypes) -> [&str; 3] {
    [&types.custom_field, &types.custom_fields, JSON]
}

/// Which field a path names.
struct Place {
    company_id: CompanyId,
    custom_field_id: CustomFieldId,
}

impl Place {
    /// # Errors
    /// Those of [`Call::company_id`] and [`Call::id`].
    async fn of(call: &Call) -> Result<Self, Failure> {
        Ok(Self { company_id: call.company_id().await?, custom_field_id: call.id("customFieldId").await? })
    }

    /// The field as it is stored.
    ///
    /// # Errors
    /// Those of [`Call::open`], then 404 API-7.
    async fn read(&self, call: &Call) -> Result<Versioned<CustomField>, Failure> {
        let reading = call.store().custom_field(&call.caller, &self.company_id, &self.custom_field_id);
        let (_, found) = call.open(reading.await?)?;
        found.ok_or_else(|| Reason::UnknownResource.into())
    }

    /// The field with a patch over it, and ids for its new choices.
    ///
    /// # Errors
    /// Every fault of the patch and of what it makes of the field.
    async fn changed(&self, call: &Call, stored: &CustomField, body: &Bytes) -> Result<CustomField, Failure> {
        let (_, facts) = call.open(call.store().custom_field_facts(&call.caller, &self.company_id).await?)?;
        let stored = stored.clone();
        let change = move |patch: Node<'_>| custom_field::read_change(&stored, patch, facts);
        let mut definition: CustomFieldDefinition = call.incoming.read_document(body, change).await?;
        give_ids(&mut definition, &mut call.new_ids());
        Ok(CustomField { custom_field_id: self.custom_field_id.clone(), definition })
    }
}

/// Writes, to its end whether or not the caller waits.
async fn store(call: &Call, company_id: &CompanyId, write: Write) -> Result<Written, Failure> {
    let lease = idempotency::without_key(&call.incoming);
    let (store, company_id) = (Arc::clone(&call.incoming.api.store), company_id.clone());
    let by = By::application(&call.caller.application_id, call.incoming.api.now(), None);
    lease.commit(async move { store.write(&company_id, &write, &by).await }).await
}

/// The answer with a field as it is after the change.
fn whole(call: &Call, field: &CustomField, media_type: &str) -> Result<Answer, Failure> {
    let own = format!("{}{}", call.incoming.base_url(), call.incoming.path());
    let envelope = Envelope { metadata: None, links: vec![Link::own(Href::Whole(own))] };
    let body = envelope.whole(std::slice::from_ref(field), |field, out| {
        serde_json::to_writer(out, &CustomFieldResource::new(field))
    })?;
    Ok(Answer { status: 200, content_type: media_type.to_owned(), body })
}

/// The answer with the tag of that version.
fn tagged(answer: Answer, version: i64) -> Handled {
    let mut response = answer::send(answer)?;
    let tag = HeaderValue::try_from(EntityTag::of_version(version).header());
    response.headers_mut().insert(ETAG, tag.map_err(|error| Failure::Bug(error.into()))?);
    Ok(response)
}
