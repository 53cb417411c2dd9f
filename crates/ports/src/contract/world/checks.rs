//! The checks of the test data, and functions that add checks.

use payroll_domain::access::Caller;
use payroll_domain::check::{Check, ComponentLabel, Line, Section, StoredCheck};
use payroll_domain::money::{Amount, Quantity, Rate};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};

use super::{NOW, day, id};
use crate::checks::{CheckAuthor, NewChecks};

/// Returns a check with two lines for the first worker of `acme`. The check is for the open period of `acme`.
#[must_use]
pub fn sample_check(paycheck_id: &str) -> StoredCheck {
    let label = ComponentLabel {
        component_id: id("hourly"),
        name: "The hourly component".to_owned(),
        classification_type: ClassificationType::Regular,
        effect_on_pay: EffectOnPay::Addition,
    };
    let line = Line {
        section: Section::Earnings,
        component: label,
        pay_rate: Some(Rate::parse("20").unwrap()),
        pay_hours: Some(Quantity::parse("7.25").unwrap()),
        pay_units: None,
        pay_amount: None,
        memoed: false,
        line_date: Some(day("2026-05-04")),
        job_id: Some(id("job")),
        labor_assignment_id: None,
        organization: None,
    };
    let paid = Line {
        pay_rate: None,
        pay_hours: None,
        pay_amount: Some(Amount::parse("120.50").unwrap()),
        memoed: true,
        line_date: None,
        job_id: None,
        ..line.clone()
    };
    let check = Check {
        worker_id: id("acme-w1"),
        pay_period_id: id("open"),
        correlation_id: format!("corr-{paycheck_id}"),
        block_auto_distribution: true,
        check_date: day("2026-05-18"),
        lines: vec![line, paid],
    };
    StoredCheck {
        paycheck_id: id(paycheck_id),
        check_component_ids: vec![id(&format!("{paycheck_id}-1")), id(&format!("{paycheck_id}-2"))],
        reversal: None,
        check,
    }
}

/// Returns the input for adding the given checks as the caller.
#[must_use]
pub fn new_checks(caller: &Caller, checks: Vec<StoredCheck>) -> NewChecks {
    NewChecks {
        company_id: id("acme"),
        added_by: CheckAuthor::Application(caller.application_id.clone()),
        pay_period_id: id("open"),
        checks,
        now: NOW,
        correlation_ids_last_for_the_pay_period: false,
        response_record: None,
    }
}
