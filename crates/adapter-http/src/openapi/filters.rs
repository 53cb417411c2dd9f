//! Query parameters that filter lists, for both descriptions.

use payroll_domain::company::CompanyState;
use payroll_domain::pay_period::IntervalCode;
use payroll_domain::worker::StatusType;
use serde_json::{Value, json};

use super::parameters::query;
use super::schema::{date_sent, enumeration, list, reference, text, with};
use crate::shared::filters::{AS_OF, MAX_NAME_FILTER_LENGTH, PAY_FREQUENCY};
use crate::shared::lookup::FamilyFilter;

/// Returns the filters of workers. `last_four` describes the parameter for the last digits of an SSN.
pub(super) fn workers(last_four: &str) -> Vec<Value> {
    let states = list("States.", enumeration("A state.", StatusType::ALL));
    let from = date_sent("The first day.");
    vec![
        query(
            "givenname",
            "Only workers with this complete given name, without regard to case.",
            name("A given name."),
        ),
        query(
            "familyname",
            "Only workers with this complete family name, without regard to case.",
            name("A family name."),
        ),
        query("employeeid", "Only the worker with this employee id.", name("An employee id.")),
        query(
            "legallastfour",
            last_four,
            json!({"type": "string", "description": "Four digits.", "pattern": "^[0-9]{4}$"}),
        ),
        query("status", "Only workers in one of these states. Can be repeated.", states),
        query("locationid", "Only workers of this location.", name("The id of a place.")),
        query(
            "from",
            "Only workers whose status began on this day or later. For workers without a status, the hire date counts.",
            from,
        ),
        query("to", "Only workers whose status began on this day or earlier.", date_sent("The last day.")),
        modified_since("workers"),
    ]
}

/// Returns the filters of pay components, except for the name.
pub(super) fn components() -> Vec<Value> {
    let classification = "Only components with this classification.";
    vec![
        query("effectonpay", "Only components with this effect.", reference("EffectOnPay")),
        query("classificationtype", classification, reference("ClassificationType")),
        modified_since("components"),
    ]
}

/// Returns the filters of a lookup list.
pub(super) fn lookup_filters(filter: FamilyFilter) -> Vec<Value> {
    match filter {
        FamilyFilter::None => Vec::new(),
        FamilyFilter::Day => vec![query(
            AS_OF,
            "Returns only objects that are in force on that day. Default: today, in UTC.",
            date_sent("A day."),
        )],
        FamilyFilter::PayFrequency => vec![query(
            PAY_FREQUENCY,
            "Returns only objects for workers with this pay frequency.",
            enumeration("The pay frequency.", IntervalCode::ALL),
        )],
    }
}

/// Returns the filters of pay periods.
pub(super) fn periods() -> Vec<Value> {
    let status = "Only periods in this state. Can be repeated to select several states.";
    vec![
        query("status", status, list("States.", reference("PeriodStatus"))),
        query("from", "Only periods that begin on this day or later.", date_sent("A day.")),
        query("to", "Only periods that end on this day or earlier.", date_sent("A day.")),
        modified_since("periods"),
    ]
}

/// Returns the filters of the list of all companies.
pub(super) fn companies() -> Vec<Value> {
    let display_id = query(
        "displayid",
        "Only companies with this account number. The last 8 characters are compared, without dashes and spaces.",
        json!({"type": "string", "description": "An account number.", "pattern": "[^ -]"}),
    );
    let states = list("States.", enumeration("A state.", CompanyState::ALL));
    let state = "Only companies in one of these states today. Can be repeated.";
    vec![
        part_of_name("Only companies whose name contains this text"),
        display_id,
        query("state", state, states),
    ]
}

/// Returns the filter on the earliest modification time. `of` is the plural of the objects.
fn modified_since(of: &str) -> Value {
    let description =
        format!("Only {of} that were changed at this instant or later. A date means its beginning in UTC.");
    query("modifiedsince", &description, date_sent("An instant."))
}

/// Returns the filter on a part of a name.
pub(super) fn part_of_name(description: &str) -> Value {
    let description = format!("{description}, without regard to case.");
    let part = with(name("A part of a name."), "maxLength", MAX_NAME_FILTER_LENGTH);
    query("name", &description, part)
}

/// Returns the schema of a string that is not empty.
pub(super) fn name(description: &str) -> Value {
    with(text(description), "minLength", 1)
}
