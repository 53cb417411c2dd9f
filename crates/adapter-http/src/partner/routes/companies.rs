//! Companies (specification §6.1, §6.2): the list of those that the caller may reach, and one.

use payroll_domain::access::{Access, Guarded, Scope};
use payroll_domain::code::Reason;
use payroll_domain::violation::Violations;
use payroll_ports::companies::{CompanyView, GrantedCompany};
use payroll_ports::{Listing, Rows};

use crate::partner::call::Call;
use crate::partner::wire::{CompanyContext, CompanyResource};
use crate::shared::answer::Reading;
use crate::shared::company_filter::display_filter;
use crate::shared::error::Failure;
use crate::shared::feed::noted;
use crate::shared::handled::Handled;
use crate::shared::media_type::JSON;
use crate::shared::page::Page;
use crate::shared::query::Query;

/// GET /companies.
pub(crate) async fn list(call: Call) -> Handled {
    let (page, filter) = call.after_authentication(read_query(&call.incoming.query())).await?;
    let media_type = call.negotiate(&[&call.partner.media_types.companies, JSON]).await?;
    let today = call.incoming.api.today();
    let read = async |window| {
        let (access, listing) =
            open(&call, call.store().companies(&call.caller, filter.as_deref(), window).await?)?;
        if filter.is_some() && listing.total == 0 {
            return Err(Reason::UnknownResource.into());
        }
        Ok((access, listing))
    };
    let reading = |found: &(Access, Listing<GrantedCompany>)| {
        Ok(Reading::of_day(&call, &found.0, media_type, found.1.version, today))
    };
    let found = call.unless_held(page, read, reading).await?;
    let (reading, listing) = (reading(&found)?, found.1);
    let token = call.caller.scopes;
    reading.collection(page, listing, move |row: &GrantedCompany, base, out| {
        let whole_tax_ids = row.granted.intersection(token).contains(Scope::ReadTaxIds);
        let context = CompanyContext { base, whole_tax_ids, today, lineage: None };
        serde_json::to_writer(out, &CompanyResource::new(&row.company, context))
    })
}

/// GET /companies/{companyId}.
pub(crate) async fn one(call: Call) -> Handled {
    let with_lineage = call.after_authentication(call.incoming.query().boolean("includelineage")).await?;
    let media_type = call.negotiate(&[&call.partner.media_types.company, JSON]).await?;
    let company_id = call.company_id().await?;
    let guarded = call.store().company(&call.caller, &company_id, with_lineage == Some(true)).await?;
    let (access, view) = call.open(guarded)?;
    let view = view.ok_or(Reason::UnknownResource)?;
    if view.company.converting {
        return Err(Failure::BeingConverted);
    }
    let today = call.incoming.api.today();
    let reading = Reading::new(&call, &access, media_type, view.version);
    let whole_tax_ids = access.effective_scopes(&call.caller).contains(Scope::ReadTaxIds);
    reading.plain(Rows::All(vec![view]), move |view: &CompanyView, base, out| {
        let context = CompanyContext { base, whole_tax_ids, today, lineage: view.lineage.as_ref() };
        serde_json::to_writer(out, &CompanyResource::new(&view.company, context))
    })
}

/// Takes out the list. An application without a company gets a token without a scope for any, and
/// reads a list of none.
fn open(
    call: &Call,
    guarded: Guarded<Listing<GrantedCompany>>,
) -> Result<(Access, Listing<GrantedCompany>), Failure> {
    let for_webhooks = [Scope::ReadWebhooks, Scope::WriteWebhooks].into_iter().collect();
    if !call.caller.scopes.difference(for_webhooks).is_empty() {
        return call.open(guarded);
    }
    let access = guarded.access().clone();
    call.check_authentication(&access)?;
    Ok((access, Listing { total: 0, version: 0, rows: Rows::All(Vec::new()) }))
}

/// Reads which companies are requested.
fn read_query(query: &Query) -> Result<(Page, Option<String>), Violations> {
    let mut faults = Vec::new();
    let filter = noted(display_filter(query), &mut faults).flatten();
    Page::read_beside(query, faults).map(|page| (page, filter))
}
