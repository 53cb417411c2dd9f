//! The tables of validation rules. Each rule is a small pure function that reports certain `API-…` codes, and
//! has one row in a table.
//!
//! A rule reads a batch, a check or a line with the referenced stored data (`check/case.rs`), and adds its
//! faults to the report. Rules do not depend on each other, and their order does not matter, because the
//! report sorts the faults in the order of the request. To add a rule, see "Add a validation rule" in
//! CONTRIBUTING.md.

mod assignment;
mod component;
mod correlation;
mod organization;
mod paycheck;
mod payment;
mod period;
mod rate;
mod worker;

use super::case::{BatchWithFacts, CheckWithFacts, LineWithFacts};
use crate::report::Report;

/// Rules about all checks of a request together.
pub(super) const REQUEST_RULES: &[fn(&BatchWithFacts<'_>, &mut Report)] = &[
    period::require_one_period,
    period::require_period_of_the_company,
    period::require_open_period,
    period::require_payroll_on_the_check_date,
    correlation::require_distinct_correlation_ids,
    correlation::require_unused_correlation_ids,
];

/// Rules about one check.
pub(super) const CHECK_RULES: &[fn(&CheckWithFacts<'_>, &mut Report)] =
    &[worker::require_worker_of_the_company, paycheck::require_no_stored_check];

/// Rules about one line of a check.
pub(super) const LINE_RULES: &[fn(&LineWithFacts<'_>, &mut Report)] = &[
    component::require_component_of_the_company,
    component::reject_reduction,
    component::require_matching_section,
    component::require_component_valid_on_check_date,
    component::require_applicable_worker_type,
    component::reject_overtime_of_exempt_workers,
    component::require_product_of_component,
    organization::require_organization_of_the_company,
    assignment::require_job_of_the_company,
    assignment::require_labor_assignment_of_the_company,
    payment::require_unambiguous_payment,
    payment::require_amount_or_quantity,
    payment::require_computed_amount_in_range,
    rate::require_rate_of_the_worker,
    rate::require_matching_rate_type,
    rate::require_rate_started_in_period,
    rate::require_default_rate_if_none_is_sent,
];
