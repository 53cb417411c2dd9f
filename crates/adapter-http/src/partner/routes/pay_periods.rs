//! Pay periods of a company (specification §8.5): the list, filtered by state and dates, and a single period.

use payroll_domain::id::CompanyId;
use payroll_domain::violation::Violations;
use payroll_ports::filters::PeriodFilter;
use payroll_ports::setup::PeriodWithCheckCount;

use crate::partner::call::PartnerCall;
use crate::partner::collection::ElementContext;
use crate::partner::wire::write_pay_period;
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;

/// The query parameters of the list of pay periods.
pub(crate) const PARAMETERS: &[&str] = &["status", "from", "to", "modifiedsince", "offset", "limit"];

/// Handles a request for `GET /companies/{companyId}/payperiods`.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    let (page, filter) = call.read_query(read_query).await?;
    let page = page.with_page_etag(!filter.is_empty());
    let offers: [&str; 2] = [&call.partner.media_types.pay_periods, JSON];
    let read = async |company_id: &CompanyId, window| {
        let window = page.versioned_window(window);
        call.check_access(call.store().pay_periods(&call.caller, company_id, &filter, window).await?)
    };
    call.list_response((page, &offers), PartnerCall::company_id, read, write_period).await
}

/// Handles a request for `GET /companies/{companyId}/payperiods/{payPeriodId}`.
pub(crate) async fn get_pay_period(call: PartnerCall) -> HandlerResult {
    let offers: [&str; 2] = [&call.partner.media_types.pay_period, JSON];
    let read = async |company_id: &CompanyId| {
        let id = call.id("payPeriodId").await?;
        call.check_access(call.store().pay_period(&call.caller, company_id, &id).await?)
    };
    call.single_response(&offers, PartnerCall::company_id, read, write_period).await
}

fn write_period(
    row: &PeriodWithCheckCount,
    context: ElementContext<'_>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    write_pay_period(row, context.base, context.owner, out)
}

/// Reads the requested page and the filter of a list of pay periods from the query.
fn read_query(query: &Query) -> Result<(RequestedPage, PeriodFilter), Violations> {
    let mut faults = Vec::new();
    let filter = filters::read_period_filter(query, &mut faults);
    RequestedPage::read_with_faults(query, faults).map(|page| (page, filter))
}

#[cfg(test)]
mod tests {
    use payroll_domain::date::parse_date;
    use payroll_domain::pay_period::PeriodStatus;

    use super::*;

    #[test]
    fn every_fault_of_a_query_is_reported_with_the_unknown_state() {
        let query = Query::parse("status=ENTRY&status=OPEN&from=2026-02-30&to=&limit=-1&status=entry");
        let faults: Vec<String> =
            read_query(&query).unwrap_err().iter().map(|fault| fault.description.clone()).collect();
        let parts = ["status", "status", "from", "to", "limit"];
        assert_eq!(faults.len(), parts.len(), "{faults:?}");
        assert!(faults.iter().zip(parts).all(|(fault, part)| fault.contains(part)), "{faults:?}");
        assert!(faults[0].contains("OPEN") && faults[1].contains("entry"), "{faults:?}");
    }

    #[test]
    fn a_period_query_accepts_several_states_and_all_date_forms() {
        let query = "status=INITIAL&from=2026-05-04&status=ENTRY&to=2026-05-17T08:30:00.000Z";
        let (_, filter) = read_query(&Query::parse(query)).unwrap();
        assert_eq!(filter.statuses, [PeriodStatus::Initial, PeriodStatus::Entry]);
        assert_eq!(filter.from, parse_date("2026-05-04").ok());
        assert_eq!(filter.to, parse_date("2026-05-17").ok());
    }
}
