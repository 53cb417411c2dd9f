//! Lists that operators can filter: workers and pay components. Operators have the filters of partners, and
//! can also filter by a part of the name. `resources` serializes the elements.

use payroll_domain::document::TaxIdMasking;
use payroll_domain::violation::Violations;
use payroll_ports::filters::{ComponentFilter, PeriodFilter, ResourceFilter, WorkerFilter};

use super::call::OperatorCall;
use super::{permissions, resources};
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::page::RequestedPage;
use crate::shared::query::Query;

/// The query parameters of the list of workers.
pub(super) const WORKER_PARAMETERS: &[&str] = &[
    "name",
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

/// The query parameters of the list of pay components.
pub(super) const COMPONENT_PARAMETERS: &[&str] =
    &["name", "effectonpay", "classificationtype", "modifiedsince", "offset", "limit"];

/// The query parameters of the list of pay periods.
pub(super) const PERIOD_PARAMETERS: &[&str] = &["status", "from", "to", "modifiedsince", "offset", "limit"];

/// Handles a request for `GET …/workers`.
pub(super) async fn list_workers(call: OperatorCall) -> HandlerResult {
    let filter = filters::read_worker_filter(&call.incoming.query(), &mut Vec::new());
    if filter.last_four.is_some() && call.tax_id_masking() == TaxIdMasking::Support {
        let sentence = "the role support cannot use the query parameter legallastfour, because it cannot \
            read tax IDs";
        return Err(permissions::forbidden_failure(sentence.to_owned()));
    }
    resources::list_filtered(call, read_worker_query).await
}

/// Handles a request for `GET …/paycomponents`.
pub(super) async fn list_components(call: OperatorCall) -> HandlerResult {
    resources::list_filtered(call, read_component_query).await
}

/// Reads the page and the filter of pay periods.
pub(super) fn read_period_query(query: &Query) -> Result<(RequestedPage, PeriodFilter), Violations> {
    let mut faults = Vec::new();
    let filter = filters::read_period_filter(query, &mut faults);
    RequestedPage::read_with_faults(query, faults).map(|page| (page, filter))
}

fn read_worker_query(query: &Query) -> Result<(RequestedPage, ResourceFilter), Violations> {
    let mut faults = Vec::new();
    let part_of_name = filters::read_name_filter(query, &mut faults);
    let filter = WorkerFilter { part_of_name, ..filters::read_worker_filter(query, &mut faults) };
    RequestedPage::read_with_faults(query, faults).map(|page| (page, ResourceFilter::Workers(filter)))
}

fn read_component_query(query: &Query) -> Result<(RequestedPage, ResourceFilter), Violations> {
    let mut faults = Vec::new();
    let part_of_name = filters::read_name_filter(query, &mut faults);
    let filter = ComponentFilter { part_of_name, ..filters::read_component_filter(query, &mut faults) };
    RequestedPage::read_with_faults(query, faults).map(|page| (page, ResourceFilter::PayComponents(filter)))
}
