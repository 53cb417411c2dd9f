//! Organizations of a company (specification §6.8): the list, and a single organization.

use payroll_domain::id::CompanyId;
use payroll_ports::setup::OrganizationView;

use crate::partner::call::PartnerCall;
use crate::partner::collection::ElementContext;
use crate::partner::wire::write_organization;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;

/// Handles a request for `GET /companies/{companyId}/organizations`.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    let page = call.read_page().await?;
    let offers: [&str; 2] = [&call.partner.media_types.organizations, JSON];
    let read = async |company_id: &CompanyId, window| {
        call.check_access(call.store().organizations(&call.caller, company_id, window).await?)
    };
    call.list_response((page, &offers), PartnerCall::company_id, read, write_organization_view).await
}

/// Handles a request for `GET /companies/{companyId}/organizations/{organizationId}`.
pub(crate) async fn get_organization(call: PartnerCall) -> HandlerResult {
    let offers: [&str; 2] = [&call.partner.media_types.organization, JSON];
    let read = async |company_id: &CompanyId| {
        let id = call.id("organizationId").await?;
        call.check_access(call.store().organization(&call.caller, company_id, &id).await?)
    };
    call.single_response(&offers, PartnerCall::company_id, read, write_organization_view).await
}

fn write_organization_view(
    row: &OrganizationView,
    context: ElementContext<'_>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    write_organization(row, context.base, context.owner, out)
}
