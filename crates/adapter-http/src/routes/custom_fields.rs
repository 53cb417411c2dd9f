//! Custom fields of a company (specification §6.6, §6.7): reading them, and adding one.

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::custom_field::{
    self, CustomField, CustomFieldDefinition, CustomFieldFacts, CustomFieldValue,
};
use payroll_domain::id::CompanyId;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{self, Malformed, Node};
use payroll_domain::violation::Violation;
use payroll_ports::companies::{Addition, NewCustomField};
use payroll_ports::idempotency::Answer;

use crate::answer::{self, Reading};
use crate::call::Call;
use crate::error::Failure;
use crate::idempotency::{self, Lease};
use crate::limits::{MAX_JUDGEMENTS, RETRY_AFTER_SECONDS};
use crate::media_type::JSON;
use crate::routes::Handled;
use crate::wire::{CustomFieldResource, Envelope};

/// GET /companies/{companyId}/customfields.
pub(crate) async fn list(call: Call) -> Handled {
    let media_type = call.negotiate(&[&call.partner.media_types.custom_fields, JSON]).await?;
    let company_id = call.company_id().await?;
    let page = call.page().await?;
    let window = page.window(call.incoming.is_head());
    let guarded = call.store().custom_fields(&call.caller, &company_id, window).await?;
    let (access, listing) = call.open(guarded)?;
    let reading = Reading::new(&call, &access, media_type, listing.version);
    reading.collection(page, listing, |row: &CustomField, _, out| {
        serde_json::to_writer(out, &CustomFieldResource::new(row))
    })
}

/// POST /companies/{companyId}/customfields.
pub(crate) async fn add(mut call: Call) -> Handled {
    let partner = Arc::clone(&call.partner);
    let offers = [partner.media_types.custom_fields.as_str(), JSON];
    call.after_authentication(call.incoming.check_content_type(&offers)).await?;
    let media_type = call.negotiate(&offers).await?;
    let company_id = call.company_id().await?;
    let body = call.body(Reason::BodyTooLarge).await?;
    let adding = Adding { call: &call, company_id: &company_id, media_type };
    let facts = adding.facts().await?;
    let owner = call.caller.application_id.as_str();
    let add = async |lease: &Arc<Lease>| answer::send(adding.add(input::parse(&body), facts, lease).await?);
    idempotency::once(&call.incoming, owner, &body, add).await
}

/// A POST of a custom field by a caller who may add it.
struct Adding<'a> {
    call: &'a Call,
    company_id: &'a CompanyId,
    media_type: &'a str,
}

impl Adding<'_> {
    /// Judges the field and stores it, again where what it was judged on has changed.
    async fn add(
        &self,
        document: Result<Node<'_>, Malformed>,
        mut facts: CustomFieldFacts,
        lease: &Arc<Lease>,
    ) -> Result<Answer, Failure> {
        let document = document.map_err(Violation::from)?;
        for _ in 0..MAX_JUDGEMENTS {
            let field = self.numbered(custom_field::read(&document, &facts)?);
            let answer = self.answer(&field)?;
            let kept = lease.kept(&answer);
            let new = NewCustomField {
                company_id: self.company_id.clone(),
                application_id: self.call.caller.application_id.clone(),
                field,
                now: self.call.incoming.api.clock.now(),
                kept,
            };
            let store = Arc::clone(&self.call.incoming.api.store);
            match lease.commit(async move { store.add_custom_field(&new).await }).await? {
                Addition::Stored => return Ok(answer),
                Addition::MarkLost => return Err(idempotency::overtaken()),
                Addition::FactsChanged => facts = self.facts().await?,
            }
        }
        Err(Failure::from(Reason::Conflict).retry_after(RETRY_AFTER_SECONDS.into()))
    }

    async fn facts(&self) -> Result<CustomFieldFacts, Failure> {
        let guarded = self.call.store().custom_field_facts(&self.call.caller, self.company_id).await?;
        self.call.open(guarded).map(|(_, facts)| facts)
    }

    /// The field with its ids.
    fn numbered(&self, mut definition: CustomFieldDefinition) -> CustomField {
        let mut ids = self.call.new_ids();
        let custom_field_id = ids.next_id();
        give_ids(&mut definition, &mut ids);
        CustomField { custom_field_id, definition }
    }

    /// The answer, made before the field is stored, since it may have to be kept with it.
    fn answer(&self, field: &CustomField) -> Result<Answer, Failure> {
        let body = Envelope::bare().whole(std::slice::from_ref(field), |field, out| {
            serde_json::to_writer(out, &CustomFieldResource::new(field))
        })?;
        Ok(Answer { status: 200, content_type: self.media_type.to_owned(), body })
    }
}

/// Gives ids to the choices of a drop-down that have none.
pub(super) fn give_ids(definition: &mut CustomFieldDefinition, ids: &mut IdSequence) {
    if let CustomFieldValue::Dropdown(choices) = &mut definition.value {
        for choice in choices {
            choice.dropdown_id.get_or_insert_with(|| ids.next_id());
        }
    }
}
