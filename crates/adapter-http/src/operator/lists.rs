//! Lists that operators can filter: workers and pay components. The filters are those of partners and a part
//! of the name. `resources` serializes the elements.

use payroll_domain::violation::Violations;
use payroll_ports::filters::{ComponentFilter, PeriodFilter, ResourceFilter, WorkerFilter};

use super::call::OperatorCall;
use super::resources;
use crate::shared::filters;
use crate::shared::handler_result::HandlerResult;
use crate::shared::page::Page;
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
pub(super) async fn workers(call: OperatorCall) -> HandlerResult {
    resources::list_filtered(call, read_workers).await
}

/// Handles a request for `GET …/paycomponents`.
pub(super) async fn components(call: OperatorCall) -> HandlerResult {
    resources::list_filtered(call, read_components).await
}

/// Reads the page and the filter of pay periods.
pub(super) fn read_periods(query: &Query) -> Result<(Page, PeriodFilter), Violations> {
    let mut faults = Vec::new();
    let filter = filters::periods(query, &mut faults);
    Page::read_with_faults(query, faults).map(|page| (page, filter))
}

fn read_workers(query: &Query) -> Result<(Page, ResourceFilter), Violations> {
    let mut faults = Vec::new();
    let part_of_name = filters::part_of_name(query, &mut faults);
    let filter = WorkerFilter { part_of_name, ..filters::workers(query, &mut faults) };
    Page::read_with_faults(query, faults).map(|page| (page, ResourceFilter::Workers(filter)))
}

fn read_components(query: &Query) -> Result<(Page, ResourceFilter), Violations> {
    let mut faults = Vec::new();
    let part_of_name = filters::part_of_name(query, &mut faults);
    let filter = ComponentFilter { part_of_name, ..filters::components(query, &mut faults) };
    Page::read_with_faults(query, faults).map(|page| (page, ResourceFilter::PayComponents(filter)))
}
