//! One custom field (specification §6.9): reading, changing and removing it. The list, and adding to
//! it, are in `custom_fields`.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::{ETAG, HeaderValue};
use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::custom_field::{self, CustomField};
use payroll_domain::id::{CompanyId, CustomFieldId};
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::Rows;
use payroll_ports::idempotency::Answer;
use payroll_ports::resources::{Edited, Refusal, Versioned, Write, Written};
use payroll_ports::write::By;

use super::custom_fields::give_ids;
use crate::partner::call::Call;
use crate::shared::answer::{self, Reading};
use crate::shared::edit::ChangeRequest;
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handled::Handled;
use crate::shared::idempotency;
use crate::shared::limits::{MAX_JUDGEMENTS, RETRY_AFTER_SECONDS};
use crate::shared::media_type::{JSON, MERGE_PATCH, VendorTypes};
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;
use crate::shared::wire::described::DescribedResource;
use crate::shared::wire::{Envelope, Href, Link};

/// GET /companies/{companyId}/customfields/{customFieldId}. Its tag is a strong one, for `If-Match`.
pub(crate) async fn one(call: Call) -> Handled {
    let media_type = call.negotiate(&offered(&call.partner.media_types)).await?;
    let found = Place::of(&call).await?.read(&call).await?;
    let reading = Reading::tagged(&call.incoming, media_type, EntityTag::of_version(found.version));
    reading.plain(Rows::All(vec![found.value]), |row: &CustomField, _, out| {
        serde_json::to_writer(out, &DescribedResource::bare(row))
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
    place.read(&call).await?;
    let request = place.change(&call, if_match?, body?);
    let lease = idempotency::without_key(&call.incoming);
    for _ in 0..MAX_JUDGEMENTS {
        let change = place.judge(&call, media_type).await?;
        let (written, answer) = request.clone().carry_out(&call.incoming, &lease, change).await?;
        match written {
            Written::Stored(version) => return tagged(answer, version),
            // What it was judged on has changed: judge it anew.
            Written::Refused(Refusal::Taken(_) | Refusal::Missing(_)) => {}
            Written::Refused(why) => return Err(refusal::failure(why, call.incoming.api.now())),
        }
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

    /// A request of the caller to change the field.
    fn change(&self, call: &Call, if_match: IfMatch, body: Bytes) -> ChangeRequest {
        let by = By::application(&call.caller.application_id, call.incoming.api.now(), None);
        let (company_id, id) = (self.company_id.clone(), self.custom_field_id.to_string());
        ChangeRequest { company_id, kind: ResourceKind::CustomField, id, if_match, body, by }
    }

    /// Reads what a change is judged on. What comes back makes of the stored field and a patch the field
    /// with the patch over it, and ids for its new choices, and the answer with it.
    ///
    /// # Errors
    /// Those of [`Call::open`].
    async fn judge(
        &self,
        call: &Call,
        media_type: &str,
    ) -> Result<impl FnOnce(Resource, Node<'_>) -> Result<(Edited, Answer), Failure> + use<>, Failure> {
        let (_, facts) = call.open(call.store().custom_field_facts(&call.caller, &self.company_id).await?)?;
        let (mut ids, media_type) = (call.new_ids(), media_type.to_owned());
        let own = format!("{}{}", call.incoming.base_url(), call.incoming.path());
        Ok(move |stored: Resource, patch: Node<'_>| {
            let Resource::CustomField(stored) = stored else {
                return Err(Failure::Bug("a custom field is another object".into()));
            };
            let mut definition = custom_field::read_change(&stored, patch, facts)?;
            give_ids(&mut definition, &mut ids);
            let field = CustomField { custom_field_id: stored.custom_field_id, definition };
            let answer = whole(own, &field, media_type)?;
            Ok((Resource::CustomField(Box::new(field)).into(), answer))
        })
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
fn whole(own: String, field: &CustomField, media_type: String) -> Result<Answer, Failure> {
    let envelope = Envelope { metadata: None, links: vec![Link::own(Href::Whole(own))] };
    let body = envelope.whole(std::slice::from_ref(field), |field, out| {
        serde_json::to_writer(out, &DescribedResource::bare(field))
    })?;
    Ok(Answer { status: 200, content_type: media_type, body })
}

/// The answer with the tag of that version.
fn tagged(answer: Answer, version: i64) -> Handled {
    let mut response = answer::send(answer)?;
    let tag = HeaderValue::try_from(EntityTag::of_version(version).header());
    response.headers_mut().insert(ETAG, tag.map_err(|error| Failure::Bug(error.into()))?);
    Ok(response)
}
