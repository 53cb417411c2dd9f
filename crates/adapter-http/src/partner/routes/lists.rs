//! The short lists of a company: calculation bases, contact types, custom employment types
//! (specification §6.3 to §6.5).

use payroll_domain::company::{CalculationBase, ContactType, CustomEmploymentType};
use payroll_domain::id::CompanyId;

use crate::partner::call::Call;
use crate::shared::handled::Handled;
use crate::shared::media_type::JSON;
use crate::shared::wire::described::DescribedResource;

/// GET /companies/{companyId}/calculationbases.
pub(crate) async fn calculation_bases(call: Call) -> Handled {
    let page = call.page().await?;
    let offers: [&str; 2] = [&call.partner.media_types.calculation_bases, JSON];
    let read = async |company_id: &CompanyId, window| {
        call.open(call.store().calculation_bases(&call.caller, company_id, window).await?)
    };
    call.list((page, &offers), Call::company_id, read, |row: &CalculationBase, _, out| {
        serde_json::to_writer(out, &DescribedResource::bare(row))
    })
    .await
}

/// GET /companies/{companyId}/contacttypes: the one collection without pages. The parameters of a page are
/// judged all the same.
pub(crate) async fn contact_types(call: Call) -> Handled {
    call.page().await?;
    let offers: [&str; 2] = [&call.partner.media_types.contact_types, JSON];
    let read =
        async |company_id: &CompanyId| call.open(call.store().contact_types(&call.caller, company_id).await?);
    call.one(&offers, Call::company_id, read, |row: &ContactType, _, out| {
        serde_json::to_writer(out, &DescribedResource::bare(row))
    })
    .await
}

/// GET /companies/{companyId}/customemploymenttypes.
pub(crate) async fn custom_employment_types(call: Call) -> Handled {
    let page = call.page().await?;
    let read = async |company_id: &CompanyId, window| {
        call.open(call.store().custom_employment_types(&call.caller, company_id, window).await?)
    };
    call.list((page, [JSON]), Call::company_id, read, |row: &CustomEmploymentType, _, out| {
        serde_json::to_writer(out, &DescribedResource::with_links(row, Vec::new()))
    })
    .await
}
