//! Workers of a company, and one worker (specification §6.11, §6.12). The media type determines which data
//! are shown.

use std::sync::Arc;

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::description::MemberView;
use payroll_domain::id::CompanyId;
use payroll_domain::violation::Violations;
use payroll_ports::filters::WorkerFilter;
use payroll_ports::workers::{WorkerDetail, WorkerKey, WorkerView, WorkersQuery};

use crate::partner::call::PartnerCall;
use crate::partner::wire::{WorkerContext, WorkerResource};
use crate::shared::error::Failure;
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::{JSON, VendorTypes};
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;

/// The query parameters of a list of workers.
pub(crate) const PARAMETERS: &[&str] = &[
    "givenname",
    "familyname",
    "employeeid",
    "legallastfour",
    "locationid",
    "status",
    "from",
    "to",
    "modifiedsince",
    "offset",
    "limit",
];

/// Handles a request for `GET /companies/{companyId}/workers`.
pub(crate) async fn list(mut call: PartnerCall) -> HandlerResult {
    let (page, filter) = call.read_query(read_query).await?;
    let partner = Arc::clone(&call.partner);
    let types = &partner.media_types;
    let whole = [types.workers.as_str(), &types.workers_communications];
    let offers = offered_media_types(types, whole, &[&types.workers_roster, JSON]);
    let view = choose_view(&mut call, types, &offers);
    let read = async |company_id: &CompanyId, window| {
        let (company_id, filter) = (company_id.clone(), filter.clone());
        let by_tax_id = filter.last_four.is_some();
        let by_name = filter.given_name.is_some() || filter.family_name.is_some();
        let query = WorkersQuery { company_id, filter, detail: detail_for_view(view), window };
        let (access, listing) = call.check_access(call.store().workers(&call.caller, &query).await?)?;
        if by_tax_id {
            call.require_scope(&access, Scope::ReadTaxIds)?;
        }
        // A filter by name requires the scope for names. Otherwise a caller without this scope could find out
        // which worker has a certain name.
        if by_name {
            call.require_scope(&access, Scope::ReadWorkers)?;
        }
        Ok((access, listing))
    };
    call.list_response((page, &offers), PartnerCall::company_id, read, move |worker, context, out| {
        write_worker(worker, view, context.base, context.scopes, out)
    })
    .await
}

/// Handles a request for `GET /workers/{workerId}`.
pub(crate) async fn get_worker(mut call: PartnerCall) -> HandlerResult {
    let partner = Arc::clone(&call.partner);
    let types = &partner.media_types;
    let offers = offered_media_types(types, [types.worker.as_str(), &types.worker_communications], &[JSON]);
    let view = choose_view(&mut call, types, &offers);
    let read = async |worker: &WorkerKey| {
        call.check_access(call.store().worker(&call.caller, worker, detail_for_view(view)).await?)
    };
    call.single_response(&offers, worker_key, read, move |worker, context, out| {
        write_worker(worker, view, context.base, context.scopes, out)
    })
    .await
}

/// Returns the media types of a worker in the order of preference: `whole`, the types without personal
/// data, and `others`.
fn offered_media_types<'t>(types: &'t VendorTypes, whole: [&'t str; 2], others: &[&'t str]) -> Vec<&'t str> {
    let impersonal = [types.nonpii_types(), types.nonpii_types_with_communications()].concat();
    [whole.as_slice(), &impersonal, others].concat()
}

/// Returns the company id and the worker id that identify the worker in the path.
///
/// # Errors
/// The errors of [`PartnerCall::check_access`], then the error for an unknown worker.
pub(crate) async fn worker_key(call: &PartnerCall) -> Result<WorkerKey, Failure> {
    Ok(WorkerKey { company_id: call.company_id().await?, worker_id: call.id("workerId").await? })
}

/// Determines the view from the media type that will be negotiated. For a view without personal data, the
/// scope for payroll suffices as well. A time clock, for example, needs the workers who can be paid, but no
/// names.
fn choose_view(call: &mut PartnerCall, types: &VendorTypes, offers: &[&str]) -> MemberView {
    // If the client accepts none of the media types, the response is an error. The view then does not
    // matter.
    let media_type = call.incoming.negotiate(offers).unwrap_or(JSON);
    if types.nonpii_types().contains(&media_type) {
        call.target.alternative_scopes = [Scope::ReadPayroll].into_iter().collect();
        return MemberView::Impersonal;
    }
    if types.nonpii_types_with_communications().contains(&media_type) {
        return MemberView::Reachable;
    }
    if media_type == types.workers_roster { MemberView::Roster } else { MemberView::Full }
}

/// Returns the details that the store must read for a view.
const fn detail_for_view(view: MemberView) -> WorkerDetail {
    match view {
        MemberView::Operator | MemberView::Support | MemberView::Full => WorkerDetail::Full,
        MemberView::Reachable => WorkerDetail::Communications,
        MemberView::Impersonal | MemberView::Roster => WorkerDetail::Outline,
    }
}

/// Writes a worker for a caller with these scopes.
fn write_worker(
    worker: &WorkerView,
    view: MemberView,
    base: &str,
    scopes: Scopes,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let context = WorkerContext {
        base,
        view,
        may_see_full_tax_ids: scopes.contains(Scope::ReadTaxIds),
        may_read_communications: scopes.contains(Scope::ReadWorkers),
        may_read_pay_rates: scopes.contains(Scope::ReadPayroll),
    };
    serde_json::to_writer(out, &WorkerResource::new(worker, context))
}

/// Reads the requested page and the filter of a list of workers from the query.
fn read_query(query: &Query) -> Result<(RequestedPage, WorkerFilter), Violations> {
    let mut faults = Vec::new();
    let filter = filters::read_worker_filter(query, &mut faults);
    RequestedPage::read_with_faults(query, faults).map(|page| (page, filter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_a_query_is_reported_with_the_unknown_state() {
        let query = Query::parse(
            "status=ACTIVE&status=GONE&from=x&to=&familyname=&employeeid=1&employeeid=2&limit=-1",
        );
        let faults: Vec<String> =
            read_query(&query).unwrap_err().iter().map(|fault| fault.description.clone()).collect();
        let parts = ["GONE", "familyname", "employeeid", "from", "to", "limit"];
        assert_eq!(faults.len(), parts.len(), "{faults:?}");
        assert!(faults.iter().zip(parts).all(|(fault, part)| fault.contains(part)), "{faults:?}");
    }

    #[test]
    fn absent_parameters_exclude_no_worker() {
        assert_eq!(read_query(&Query::parse("limit=5")).unwrap().1, WorkerFilter::default());
    }
}
