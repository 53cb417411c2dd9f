//! Categories of custom fields (specification §6.10): reading them, and adding one.

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::custom_field::{self, CategoryDefinition, CustomFieldCategory, CustomFieldFacts};
use payroll_domain::id::CompanyId;
use payroll_domain::input::{self, Malformed, Node};
use payroll_domain::resource::Resource;
use payroll_domain::violation::Violation;
use payroll_ports::idempotency::Answer;
use payroll_ports::resources::{Refusal, Write, Written};
use payroll_ports::write::By;

use crate::answer::{self, Reading};
use crate::call::Call;
use crate::error::Failure;
use crate::idempotency::{self, Lease};
use crate::limits::{MAX_JUDGEMENTS, RETRY_AFTER_SECONDS};
use crate::media_type::JSON;
use crate::operator::refusal;
use crate::routes::Handled;
use crate::wire::{CategoryResource, Envelope};

/// GET /companies/{companyId}/customfieldscategories.
pub(crate) async fn list(call: Call) -> Handled {
    let media_type = call.negotiate(&[&call.partner.media_types.categories, JSON]).await?;
    let company_id = call.company_id().await?;
    let page = call.page().await?;
    let window = page.window(call.incoming.is_head());
    let guarded = call.store().custom_field_categories(&call.caller, &company_id, window).await?;
    let (access, listing) = call.open(guarded)?;
    let reading = Reading::new(&call, &access, media_type, listing.version);
    reading.collection(page, listing, |row: &CustomFieldCategory, _, out| {
        serde_json::to_writer(out, &CategoryResource::new(row))
    })
}

/// POST /companies/{companyId}/customfieldscategories.
pub(crate) async fn add(mut call: Call) -> Handled {
    let partner = Arc::clone(&call.partner);
    let offers = [partner.media_types.categories.as_str(), JSON];
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

/// A POST of a category by a caller who may add it.
struct Adding<'a> {
    call: &'a Call,
    company_id: &'a CompanyId,
    media_type: &'a str,
}

impl Adding<'_> {
    /// Judges the category and stores it, again where what it was judged on has changed.
    async fn add(
        &self,
        document: Result<Node<'_>, Malformed>,
        mut facts: CustomFieldFacts,
        lease: &Arc<Lease>,
    ) -> Result<Answer, Failure> {
        let document = document.map_err(Violation::from)?;
        for _ in 0..MAX_JUDGEMENTS {
            let category = self.numbered(custom_field::read_category(&document, &facts)?);
            let answer = self.answer(&category)?;
            match self.store(category, &answer, lease).await? {
                Written::Stored(_) => return Ok(answer),
                // Its name was taken a moment ago, or the place of the default: judge it anew.
                Written::Refused(Refusal::Taken(_)) => facts = self.facts().await?,
                Written::Refused(why) => {
                    return Err(refusal::failure(why, self.call.incoming.api.now()));
                }
            }
        }
        Err(Failure::from(Reason::Conflict).retry_after(RETRY_AFTER_SECONDS.into()))
    }

    async fn facts(&self) -> Result<CustomFieldFacts, Failure> {
        let guarded = self.call.store().custom_field_facts(&self.call.caller, self.company_id).await?;
        self.call.open(guarded).map(|(_, facts)| facts)
    }

    async fn store(
        &self,
        category: CustomFieldCategory,
        answer: &Answer,
        lease: &Arc<Lease>,
    ) -> Result<Written, Failure> {
        let api = &self.call.incoming.api;
        let by = By::application(&self.call.caller.application_id, api.now(), lease.kept(answer));
        let (store, company_id) = (Arc::clone(&api.store), self.company_id.clone());
        let write = Write::Create(Resource::CustomFieldCategory(category));
        lease.commit(async move { store.write(&company_id, &write, &by).await }).await
    }

    fn numbered(&self, definition: CategoryDefinition) -> CustomFieldCategory {
        let CategoryDefinition { category_name, default } = definition;
        CustomFieldCategory { category_id: self.call.new_ids().next_id(), category_name, default }
    }

    /// The answer, made before the category is stored, since it may have to be kept with it.
    fn answer(&self, category: &CustomFieldCategory) -> Result<Answer, Failure> {
        let body = Envelope::bare().whole(std::slice::from_ref(category), |category, out| {
            serde_json::to_writer(out, &CategoryResource::new(category))
        })?;
        Ok(Answer { status: 200, content_type: self.media_type.to_owned(), body })
    }
}
