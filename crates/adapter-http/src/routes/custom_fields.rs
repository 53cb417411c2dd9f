//! Custom fields of a company (specification §6.6): reading them, and adding one.

use payroll_domain::custom_field::CustomField;

use crate::answer::Reading;
use crate::call::Call;
use crate::media_type::JSON;
use crate::routes::Handled;
use crate::wire::CustomFieldResource;

/// GET /companies/{companyId}/customfields.
pub(crate) async fn list(call: Call) -> Handled {
    let media_type = call.negotiate(&[&call.incoming.api.media_types.custom_fields, JSON]).await?;
    let company_id = call.company_id().await?;
    let page = call.page().await?;
    let guarded =
        call.store().custom_fields(&call.caller, &company_id, page.window(call.incoming.is_head())).await?;
    let (access, listing) = call.open(guarded)?;
    let reading = Reading::new(&call, &access, media_type, listing.version);
    reading.collection(page, listing, |row: &CustomField, _, out| {
        serde_json::to_writer(out, &CustomFieldResource::new(row))
    })
}
