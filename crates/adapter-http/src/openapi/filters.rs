//! Query parameters that filter lists, for both descriptions.

use payroll_domain::company::CompanyState;
use payroll_domain::pay_period::IntervalCode;
use payroll_domain::worker::StatusType;
use serde_json::{Value, json};

use super::parameters::query_parameter;
use super::schema::{
    enumeration_schema, list_schema, request_date_schema, schema_reference, text_schema, with_keyword,
};
use crate::shared::filters::{AS_OF_PARAMETER, MAX_NAME_FILTER_LENGTH, PAY_FREQUENCY_PARAMETER};
use crate::shared::lookup::LookupListFilter;

/// Returns the filters of workers. For partners, the descriptions name the required scopes.
pub(super) fn worker_filters(is_for_partners: bool) -> Vec<Value> {
    let with_scope = |says: &str, scope: &str| match is_for_partners {
        true => format!("{says} Requires the scope `{scope}`."),
        false => says.to_owned(),
    };
    let of_name = |says: &str| with_scope(says, "read:workers");
    let states = list_schema("The states.", enumeration_schema("One of the states.", StatusType::ALL));
    let from = request_date_schema("The first day on which the status can have begun.");
    vec![
        query_parameter(
            "givenname",
            &of_name("Return only workers with this complete given name, without regard to case."),
            non_empty_text_schema("A given name."),
        ),
        query_parameter(
            "familyname",
            &of_name("Return only workers with this complete family name, without regard to case."),
            non_empty_text_schema("A family name."),
        ),
        query_parameter(
            "employeeid",
            "Return only the worker with this employee id.",
            non_empty_text_schema("An employee id."),
        ),
        query_parameter(
            "legallastfour",
            &with_scope("Return only workers whose SSN ends in these four digits.", "read:taxids"),
            json!({"type": "string", "description": "The last four digits of an SSN.", "pattern": "^[0-9]{4}$"}),
        ),
        query_parameter(
            "status",
            "Return only workers whose status is one of these states. You can repeat the parameter.",
            states,
        ),
        query_parameter(
            "locationid",
            "Return only workers whose `locationId` is this id.",
            non_empty_text_schema("The id of a location."),
        ),
        query_parameter(
            "from",
            "Return only workers whose status began on this day or later. For workers without a status, \
             the hire date counts.",
            from,
        ),
        query_parameter(
            "to",
            "Return only workers whose status began on this day or earlier.",
            request_date_schema("The last day on which the status can have begun."),
        ),
        modified_since_parameter("workers"),
    ]
}

/// Returns the filters of pay components, except for the name.
pub(super) fn component_filters() -> Vec<Value> {
    let classification = "Return only pay components with this classification.";
    vec![
        query_parameter(
            "effectonpay",
            "Return only pay components with this effect on pay.",
            schema_reference("EffectOnPay"),
        ),
        query_parameter("classificationtype", classification, schema_reference("ClassificationType")),
        modified_since_parameter("pay components"),
    ]
}

/// Returns the filters of a lookup list.
pub(super) fn lookup_filters(filter: LookupListFilter) -> Vec<Value> {
    match filter {
        LookupListFilter::None => Vec::new(),
        LookupListFilter::Day => vec![query_parameter(
            AS_OF_PARAMETER,
            "Return only objects that are in force on this day. Default: today, in UTC.",
            request_date_schema("The day, as a date."),
        )],
        LookupListFilter::PayFrequency => vec![query_parameter(
            PAY_FREQUENCY_PARAMETER,
            "Return only objects for workers with this pay frequency.",
            enumeration_schema("The pay frequency of the workers.", IntervalCode::ALL),
        )],
    }
}

/// Returns the filters of pay periods.
pub(super) fn period_filters() -> Vec<Value> {
    let status = "Return only pay periods in this state. Repeat the parameter to select several states.";
    vec![
        query_parameter("status", status, list_schema("The states.", schema_reference("PeriodStatus"))),
        query_parameter(
            "from",
            "Return only pay periods that begin on this day or later.",
            request_date_schema("The day, as a date."),
        ),
        query_parameter(
            "to",
            "Return only pay periods that end on this day or earlier.",
            request_date_schema("The day, as a date."),
        ),
        modified_since_parameter("pay periods"),
    ]
}

/// Returns the filters of the list of all companies.
pub(super) fn company_filters() -> Vec<Value> {
    let display_id = query_parameter(
        "displayid",
        "Return only companies with this account number. The server compares only the last 8 characters, \
         without dashes and spaces.",
        json!({"type": "string", "description": "The account number of a company, or its last 8 characters.", "pattern": "[^ -]"}),
    );
    let states = list_schema("The states.", enumeration_schema("One of the states.", CompanyState::ALL));
    let state = "Return only companies that are in one of these states today. You can repeat the parameter.";
    vec![
        name_substring_parameter("Return only companies whose name contains this text"),
        display_id,
        query_parameter("state", state, states),
    ]
}

/// Returns the filter on the earliest modification time. `objects` names the filtered objects in the plural,
/// such as `workers`.
fn modified_since_parameter(objects: &str) -> Value {
    let description = format!(
        "Return only {objects} that were changed at this instant or later. A date without a time means the \
         beginning of the day \
         in UTC."
    );
    query_parameter("modifiedsince", &description, request_date_schema("The instant, or a date."))
}

/// Returns the filter on a part of a name.
pub(super) fn name_substring_parameter(description: &str) -> Value {
    let description = format!("{description}, without regard to case.");
    let part = with_keyword(
        non_empty_text_schema("The text that the name must contain."),
        "maxLength",
        MAX_NAME_FILTER_LENGTH,
    );
    query_parameter("name", &description, part)
}

/// Returns the schema of a string that is not empty.
pub(super) fn non_empty_text_schema(description: &str) -> Value {
    with_keyword(text_schema(description), "minLength", 1)
}
