//! The list of all companies (specification §10.6). A single company is handled like any other object.

use payroll_domain::company::CompanyState;
use payroll_domain::date::Date;
use payroll_domain::violation::Violations;
use payroll_ports::filters::CompanyFilter;

use super::call::OperatorCall;
use super::response;
use crate::shared::company_filter::read_display_id_filter;
use crate::shared::etag::{combine_versions, compute_rows_version};
use crate::shared::feed::collect_fault;
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;

/// The query parameters of the list of companies.
pub(super) const PARAMETERS: &[&str] = &["name", "displayid", "state", "offset", "limit"];

/// Handles a request for `GET /operator/v1/companies`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let today = call.incoming.api.today();
    let (page, mut filter) = read_query(&call.incoming.query(), today)?;
    filter.visible_companies = call.visible_companies().map(<[_]>::to_vec);
    let window = page.window_for_response(call.incoming.is_head());
    let mut listing = call.store().all_companies(&filter, window).await?;
    if filter.states.is_some() {
        // The state of a company changes on its end date without a write, so the version depends on the date.
        let day = i64::from(today.to_julian_day());
        listing.version = combine_versions(listing.version, day);
    }
    if let Some(visible) = call.visible_companies() {
        // A restricted key sees only the companies of the key. The version depends on the ids of these
        // companies, so that keys with different companies never share a version.
        let ids: Vec<_> = visible.iter().map(|id| format!("{id},")).collect();
        listing.version = combine_versions(listing.version, compute_rows_version(&ids));
    }
    response::resources_response(&call, page, listing)
}

/// Reads the page and the filter from the query.
fn read_query(query: &Query, today: Date) -> Result<(RequestedPage, CompanyFilter), Violations> {
    let mut faults = Vec::new();
    let part_of_name = filters::read_name_filter(query, &mut faults);
    let display_key = collect_fault(read_display_id_filter(query), &mut faults).flatten();
    let states = query.choice_values("state", (CompanyState::ALL, CompanyState::as_str), &mut faults);
    let states = (!states.is_empty()).then_some((states, today));
    let filter = CompanyFilter { display_key, part_of_name, states, visible_companies: None };
    RequestedPage::read_with_faults(query, faults).map(|page| (page, filter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_a_query_is_reported() {
        let query = Query::parse("name=&displayid=-&state=OPEN&limit=-1");
        let faults = read_query(&query, Date::MIN).unwrap_err();
        let parts = ["name", "displayid", "OPEN", "limit"];
        assert_eq!(faults.as_slice().len(), parts.len(), "{faults:?}");
        let all = faults.iter().zip(parts).all(|(fault, part)| fault.description.contains(part));
        assert!(all, "{faults:?}");
    }
}
