//! Companies (specification §6.1, §6.2, §6.20): the list of the companies that the caller may access, a
//! single company, and the states in which a company pays taxes.

use payroll_domain::access::{Access, Guarded, Scope};
use payroll_domain::id::CompanyId;
use payroll_domain::violation::Violations;
use payroll_ports::companies::{CompanyView, GrantedCompany};
use payroll_ports::resources::Versioned;
use payroll_ports::{Listing, Rows};
use serde_json::json;

use crate::partner::call::PartnerCall;
use crate::partner::collection::{AuthorizedListing, ElementContext};
use crate::partner::wire::{CompanyContext, CompanyResource};
use crate::shared::company_filter::read_display_id_filter;
use crate::shared::error::Failure;
use crate::shared::feed::collect_fault;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;

/// Handles a request for `GET /companies`.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    let (page, filter) = call.read_query(read_query).await?;
    let page = page.with_page_etag(filter.is_some());
    let offers: [&str; 2] = [&call.partner.media_types.companies, JSON];
    let (today, token) = (call.incoming.api.today(), call.caller.scopes);
    let read = async |(): &(), window| {
        let window = page.versioned_window(window);
        let guarded = call.store().companies(&call.caller, filter.as_deref(), window).await?;
        let (access, listing) = authorize_company_list(&call, guarded)?;
        let found = (filter.is_none() || listing.total > 0).then_some(listing);
        Ok(AuthorizedListing::from((access, found)).with_day_dependency(today))
    };
    let write = move |row: &GrantedCompany, element: ElementContext<'_, ()>, out: &mut Vec<u8>| {
        let may_see_full_tax_ids = row.granted_scopes.intersection(token).contains(Scope::ReadTaxIds);
        let context = CompanyContext { base: element.base, may_see_full_tax_ids, today, lineage: None };
        serde_json::to_writer(out, &CompanyResource::new(&row.company, context))
    };
    call.list_response((page, &offers), async |_: &PartnerCall| Ok(()), read, write).await
}

/// Handles a request for `GET /companies/{companyId}`.
pub(crate) async fn get_company(call: PartnerCall) -> HandlerResult {
    let with_lineage = call.read_query(|query| query.boolean_value("includelineage")).await? == Some(true);
    let offers: [&str; 2] = [&call.partner.media_types.company, JSON];
    let today = call.incoming.api.today();
    let read = async |company_id: &CompanyId| {
        let guarded = call.store().company(&call.caller, company_id, with_lineage).await?;
        let (access, view) = call.check_access(guarded)?;
        if view.as_ref().is_some_and(|view| view.company.converting) {
            return Err(Failure::BeingConverted);
        }
        Ok((access, view.map(|view| Versioned { version: view.version, value: view })))
    };
    call.single_response(&offers, PartnerCall::company_id, read, move |view: &CompanyView, element, out| {
        let may_see_full_tax_ids = element.scopes.contains(Scope::ReadTaxIds);
        let context = CompanyContext {
            base: element.base,
            may_see_full_tax_ids,
            today,
            lineage: view.lineage.as_ref(),
        };
        serde_json::to_writer(out, &CompanyResource::new(&view.company, context))
    })
    .await
}

/// Handles `GET /companies/{companyId}/statetaxes`: returns one element with the states in which the
/// company pays taxes.
pub(crate) async fn list_state_taxes(call: PartnerCall) -> HandlerResult {
    let read = async |company_id: &CompanyId| {
        let guarded = call.store().company(&call.caller, company_id, false).await?;
        let (access, view) = call.check_access(guarded)?;
        Ok((access, view.map(|view| Versioned { version: view.version, value: view.company.tax_states })))
    };
    call.single_response(&[JSON], PartnerCall::company_id, read, |states: &Vec<String>, _, out| {
        serde_json::to_writer(out, &json!({"countrySubdivisionCodes": states}))
    })
    .await
}

/// Returns the list of companies if the caller has access. An application without a grant on any company gets
/// a token without scopes and an empty list.
fn authorize_company_list(
    call: &PartnerCall,
    guarded: Guarded<Listing<GrantedCompany>>,
) -> Result<(Access, Listing<GrantedCompany>), Failure> {
    let for_webhooks = [Scope::ReadWebhooks, Scope::WriteWebhooks].into_iter().collect();
    if !call.caller.scopes.difference(for_webhooks).is_empty() {
        return call.check_access(guarded);
    }
    let access = guarded.access().clone();
    call.check_authentication(&access)?;
    Ok((access, Listing { total: 0, version: 0, rows: Rows::All(Vec::new()) }))
}

/// Reads the requested page and the filter of a list of companies from the query.
fn read_query(query: &Query) -> Result<(RequestedPage, Option<String>), Violations> {
    let mut faults = Vec::new();
    let filter = collect_fault(read_display_id_filter(query), &mut faults).flatten();
    RequestedPage::read_with_faults(query, faults).map(|page| (page, filter))
}
