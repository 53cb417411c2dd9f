//! Pay components of a company (specification §8.6): the filtered list, and a single component.

use payroll_domain::id::CompanyId;
use payroll_domain::pay_component::PayComponent;
use payroll_domain::violation::Violations;
use payroll_ports::filters::ComponentFilter;

use crate::partner::call::PartnerCall;
use crate::partner::collection::ElementContext;
use crate::shared::feed::{collect_fault, parse_parameter};
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;
use crate::shared::wire::described_resource::DescribedResource;

/// The query parameters of the list of pay components.
pub(crate) const PARAMETERS: &[&str] =
    &["effectonpay", "classificationtype", "name", "modifiedsince", "offset", "limit"];

/// Handles a request for `GET /companies/{companyId}/paycomponents`.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    let (page, filter) = call.read_query(read_query).await?;
    let offers: [&str; 2] = [&call.partner.media_types.pay_components, JSON];
    let read = async |company_id: &CompanyId, window| {
        call.check_access(call.store().pay_components(&call.caller, company_id, &filter, window).await?)
    };
    call.list_response((page, &offers), PartnerCall::company_id, read, write_component).await
}

/// Handles a request for `GET /companies/{companyId}/paycomponents/{componentId}`.
pub(crate) async fn get_pay_component(call: PartnerCall) -> HandlerResult {
    let offers: [&str; 2] = [&call.partner.media_types.pay_component, JSON];
    let read = async |company_id: &CompanyId| {
        let id = call.id("componentId").await?;
        call.check_access(call.store().pay_component(&call.caller, company_id, &id).await?)
    };
    call.single_response(&offers, PartnerCall::company_id, read, write_component).await
}

fn write_component(row: &PayComponent, _: ElementContext<'_>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    serde_json::to_writer(out, &DescribedResource::without_links(row))
}

/// Reads the requested page and the filter of a list of pay components from the query.
fn read_query(query: &Query) -> Result<(RequestedPage, ComponentFilter), Violations> {
    let mut faults = Vec::new();
    let filter = filters::read_component_filter(query, &mut faults);
    let name = collect_fault(
        parse_parameter(query, "name", "not empty", filters::normalized_search_term),
        &mut faults,
    )
    .flatten();
    RequestedPage::read_with_faults(query, faults).map(|page| (page, ComponentFilter { name, ..filter }))
}

#[cfg(test)]
mod tests {
    use payroll_domain::pay_component::EffectOnPay;

    use super::*;

    #[test]
    fn every_fault_of_a_query_is_reported_with_the_unknown_word() {
        let query = "effectonpay=PLUS&classificationtype=REGULAR&classificationtype=TIPS&name=&limit=x";
        let faults = read_query(&Query::parse(query)).unwrap_err();
        let reported: Vec<&str> = faults.iter().map(|fault| fault.description.as_str()).collect();
        let parts = ["PLUS", "classificationtype", "name", "limit"];
        assert!(
            reported.len() == 4 && reported.iter().zip(parts).all(|(it, part)| it.contains(part)),
            "{reported:?}"
        );
    }

    #[test]
    fn absent_parameters_do_not_filter() {
        let (_, filter) = read_query(&Query::parse("effectonpay=REDUCTION")).unwrap();
        let expected =
            ComponentFilter { effect_on_pay: Some(EffectOnPay::Reduction), ..ComponentFilter::default() };
        assert_eq!(filter, expected);
    }
}
