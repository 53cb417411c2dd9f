//! The table of rules. Each rule is one line in the table and a small pure function with its `API-…` codes.
//!
//! A rule reads a case and adds its faults to the report. Rules do not depend on each other, and their order
//! does not matter, because the report sorts the faults in the order of the request. To add a rule, see "Add
//! a validation rule" in CONTRIBUTING.md.

mod assignment;
mod component;
mod correlation;
mod organization;
mod paycheck;
mod payment;
mod period;
mod rate;
mod worker;

use super::case::{BatchCase, CheckCase, LineCase};
use crate::report::Report;

/// Rules about all checks of a request together.
pub(super) const BATCH_RULES: &[fn(&BatchCase<'_>, &mut Report)] = &[
    period::all_checks_name_the_same,
    period::is_of_the_company,
    period::is_open,
    period::company_has_payroll_on_its_check_date,
    correlation::ids_are_used_once_in_the_request,
    correlation::ids_are_unused_in_the_period,
];

/// Rules about one check.
pub(super) const CHECK_RULES: &[fn(&CheckCase<'_>, &mut Report)] =
    &[worker::is_of_the_company, paycheck::is_not_a_stored_check];

/// Rules about one line of a check.
pub(super) const LINE_RULES: &[fn(&LineCase<'_>, &mut Report)] = &[
    component::is_of_the_company,
    component::is_no_reduction,
    component::is_in_its_section,
    component::is_valid_on_the_check_date,
    component::applies_to_the_worker_type,
    component::pays_no_overtime_to_exempt_workers,
    component::company_has_the_required_product,
    organization::is_of_the_company,
    assignment::job_is_of_the_company,
    assignment::labor_assignment_is_of_the_company,
    payment::is_unambiguous,
    payment::has_a_way_to_pay,
    payment::has_a_computed_amount_in_range,
    rate::is_of_the_worker,
    rate::is_of_the_right_kind,
    rate::starts_by_the_end_of_the_period,
    rate::has_a_default_if_none_is_sent,
];
