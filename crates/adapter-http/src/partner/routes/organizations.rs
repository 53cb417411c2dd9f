//! Units of a company (specification §6.8): the list, and one.

use payroll_domain::code::Reason;
use payroll_domain::id::CompanyId;
use payroll_ports::Rows;
use payroll_ports::setup::OrganizationView;

use crate::partner::call::Call;
use crate::partner::wire::OrganizationResource;
use crate::shared::answer::Reading;
use crate::shared::handled::Handled;
use crate::shared::media_type::JSON;

/// GET /companies/{companyId}/organizations.
pub(crate) async fn list(call: Call) -> Handled {
    let page = call.page().await?;
    let media_type = call.negotiate(&[&call.partner.media_types.organizations, JSON]).await?;
    let company_id = call.company_id().await?;
    let window = page.window(call.incoming.is_head());
    let guarded = call.store().organizations(&call.caller, &company_id, window).await?;
    let (access, listing) = call.open(guarded)?;
    let reading = Reading::new(&call, &access, media_type, listing.version);
    reading.collection(page, listing, of_company(company_id))
}

/// GET /companies/{companyId}/organizations/{organizationId}.
pub(crate) async fn one(call: Call) -> Handled {
    let media_type = call.negotiate(&[&call.partner.media_types.organization, JSON]).await?;
    let company_id = call.company_id().await?;
    let organization_id = call.id("organizationId").await?;
    let guarded = call.store().organization(&call.caller, &company_id, &organization_id).await?;
    let (access, found) = call.open(guarded)?;
    let found = found.ok_or(Reason::UnknownResource)?;
    let reading = Reading::new(&call, &access, media_type, found.version);
    reading.plain(Rows::All(vec![found.value]), of_company(company_id))
}

/// Writes a unit of that company.
fn of_company(
    company_id: CompanyId,
) -> impl Fn(&OrganizationView, &str, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static {
    move |row, base, out| serde_json::to_writer(out, &OrganizationResource::new(row, base, &company_id))
}
