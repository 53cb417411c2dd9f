//! What a partner adds to a company's custom fields, and their categories: judged on facts, stored with
//! its answer, and judged again where the facts have changed in the meantime.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::custom_field::CustomFieldFacts;
use payroll_domain::id::CompanyId;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::Node;
use payroll_domain::resource::Resource;
use payroll_domain::violation::Violations;
use payroll_ports::idempotency::Answer;
use payroll_ports::resources::{Refusal, Write, Written};
use payroll_ports::write::By;

use crate::partner::call::Call;
use crate::shared::answer;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency::{self, Lease};
use crate::shared::limits::{MAX_JUDGEMENTS, RETRY_AFTER_SECONDS};
use crate::shared::media_type::{JSON, VendorTypes};
use crate::shared::refusal;
use crate::shared::wire::Envelope;

/// Something that is added.
pub(super) trait Added: Clone + Send + Sync + 'static {
    /// The media types that it is sent and answered in, beside JSON.
    fn media_types(types: &VendorTypes) -> Vec<&str>;

    /// Judges what is sent, and gives it its ids.
    ///
    /// # Errors
    /// All that is wrong with it.
    fn read(document: &Node<'_>, facts: &CustomFieldFacts, ids: &mut IdSequence) -> Result<Self, Violations>;

    /// Writes it as partners read it.
    fn show(&self, out: &mut Vec<u8>) -> serde_json::Result<()>;

    /// It, among all that a company has.
    fn into_resource(self) -> Resource;
}

/// POST of one of them.
pub(super) async fn add<T: Added>(mut call: Call) -> Handled {
    let partner = Arc::clone(&call.partner);
    let mut offers = T::media_types(&partner.media_types);
    offers.push(JSON);
    call.after_authentication(call.incoming.check_content_type(&offers)).await?;
    let media_type = call.negotiate(&offers).await?;
    let company_id = call.company_id().await?;
    let body = call.body(Reason::BodyTooLarge).await?;
    let facts = facts(&call, &company_id).await?;
    let adding = Adding { call: &call, company_id: &company_id, media_type };
    let owner = call.caller.application_id.as_str();
    let add = async |lease: &Arc<Lease>| answer::send(adding.add::<T>(&body, facts, lease).await?);
    idempotency::once(&call.incoming, owner, &body, add).await
}

async fn facts(call: &Call, company_id: &CompanyId) -> Result<CustomFieldFacts, Failure> {
    let guarded = call.store().custom_field_facts(&call.caller, company_id).await?;
    call.open(guarded).map(|(_, facts)| facts)
}

/// A POST by a caller who may add something.
struct Adding<'a> {
    call: &'a Call,
    company_id: &'a CompanyId,
    media_type: &'a str,
}

impl Adding<'_> {
    async fn add<T: Added>(
        &self,
        body: &Bytes,
        mut facts: CustomFieldFacts,
        lease: &Arc<Lease>,
    ) -> Result<Answer, Failure> {
        for _ in 0..MAX_JUDGEMENTS {
            let mut ids = self.call.new_ids();
            let new =
                self.call.incoming.read_document(body, move |node| T::read(&node, &facts, &mut ids)).await?;
            // Made before it is stored, since it may have to be kept with it.
            let body = Envelope::bare().whole(std::slice::from_ref(&new), T::show)?;
            let answer = Answer { status: 200, content_type: self.media_type.to_owned(), body };
            match self.store(new.into_resource(), &answer, lease).await? {
                Written::Stored(_) => return Ok(answer),
                // Its name was taken a moment ago, or what it refers to is gone: judge it anew.
                Written::Refused(Refusal::Taken(_) | Refusal::Missing(_)) => {
                    facts = self::facts(self.call, self.company_id).await?;
                }
                Written::Refused(why) => {
                    return Err(refusal::failure(why, self.call.incoming.api.now()));
                }
            }
        }
        Err(Failure::from(Reason::Conflict).retry_after(RETRY_AFTER_SECONDS.into()))
    }

    async fn store(
        &self,
        resource: Resource,
        answer: &Answer,
        lease: &Arc<Lease>,
    ) -> Result<Written, Failure> {
        let api = &self.call.incoming.api;
        let by = By::application(&self.call.caller.application_id, api.now(), lease.kept(answer));
        let (store, company_id) = (Arc::clone(&api.store), self.company_id.clone());
        let write = Write::Create(resource);
        lease.commit(async move { store.write(&company_id, &write, &by).await }).await
    }
}
