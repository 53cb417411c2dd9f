//! Reads the filters of lists from the query, for partners and operators. The parameter tables of the two
//! APIs define which filters each list accepts.

use payroll_domain::date::{Date, Timestamp, parse_date};
use payroll_domain::id::CompanyId;
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use payroll_domain::pay_period::{IntervalCode, PeriodStatus};
use payroll_domain::tax_id::LastFour;
use payroll_domain::violation::{Violation, Violations};
use payroll_domain::worker::StatusType;
use payroll_ports::filters::{ComponentFilter, PayRunFilter, PayRunOrder, PeriodFilter, WorkerFilter};

use crate::shared::feed::{collect_fault, parse_parameter};
use crate::shared::query::Query;

/// The maximum number of characters of the filter `name`, equal to the maximum length of a company's name.
pub(crate) const MAX_NAME_FILTER_LENGTH: usize = 100;

/// The format of a date parameter, for error messages.
const DATE_FORMAT_HINT: &str = "a date, such as 2026-05-04 or 2026-05-04T00:00:00Z";

/// The name of the query parameter for the date on which the returned elements are effective.
pub(crate) const AS_OF_PARAMETER: &str = "asof";

/// Reads the query parameter `asof`, which is a date.
pub(crate) fn read_as_of(query: &Query, faults: &mut Vec<Violation>) -> Option<Date> {
    read_date(query, AS_OF_PARAMETER, faults)
}

/// The name of the query parameter that filters by pay frequency.
pub(crate) const PAY_FREQUENCY_PARAMETER: &str = "payfrequency";

/// Reads the query parameter `payfrequency`, which is an interval code.
pub(crate) fn read_pay_frequency(query: &Query, faults: &mut Vec<Violation>) -> Option<IntervalCode> {
    let codes = (IntervalCode::ALL, IntervalCode::as_str as fn(_) -> _);
    collect_fault(query.choice_value(PAY_FREQUENCY_PARAMETER, codes), faults).flatten()
}

/// Reads `asof` for an operation that has no other parameter.
///
/// # Errors
/// 400 API-40 if the value is not a date.
pub(crate) fn read_as_of_only(query: &Query) -> Result<Option<Date>, Violations> {
    let mut faults = Vec::new();
    let day = read_as_of(query, &mut faults);
    Violations::from_faults(faults).map_or(Ok(day), Err)
}

/// Reads the filter of a list of workers.
pub(crate) fn read_worker_filter(query: &Query, faults: &mut Vec<Violation>) -> WorkerFilter {
    let statuses = query.choice_values("status", (StatusType::ALL, StatusType::as_str), faults);
    let mut text = |name| {
        collect_fault(parse_parameter(query, name, "not empty", normalized_search_term), faults).flatten()
    };
    let (given_name, family_name) = (text("givenname"), text("familyname"));
    let (employee_id, location_id) = (text("employeeid"), text("locationid"));
    let last_four =
        parse_parameter(query, "legallastfour", "the last 4 digits of a tax identity", LastFour::parse);
    let last_four = collect_fault(last_four, faults).flatten();
    let (from, to) = (read_date(query, "from", faults), read_date(query, "to", faults));
    let (part_of_name, modified_since) = (None, read_modified_since(query, faults));
    WorkerFilter {
        part_of_name,
        given_name,
        family_name,
        employee_id,
        last_four,
        location_id,
        statuses,
        from,
        to,
        modified_since,
    }
}

/// Reads the filter of a list of pay periods.
pub(crate) fn read_period_filter(query: &Query, faults: &mut Vec<Violation>) -> PeriodFilter {
    let statuses = query.choice_values("status", (PeriodStatus::ALL, PeriodStatus::as_str), faults);
    let (from, to) = (read_date(query, "from", faults), read_date(query, "to", faults));
    PeriodFilter { statuses, from, to, modified_since: read_modified_since(query, faults) }
}

/// Reads the filter of a list of pay runs. `states` are the states that the filter accepts.
pub(crate) fn read_pay_run_filter(
    query: &Query,
    states: &[PeriodStatus],
    faults: &mut Vec<Violation>,
) -> PayRunFilter {
    const COMPANY_ID_HINT: &str = "the id of a company";
    let company_id = parse_parameter(query, "companyid", COMPANY_ID_HINT, |text| CompanyId::parse(text).ok());
    PayRunFilter {
        status: collect_fault(query.choice_value("status", (states, PeriodStatus::as_str)), faults).flatten(),
        company_id: collect_fault(company_id, faults).flatten(),
        check_date_from: read_date(query, "checkdatefrom", faults),
        check_date_to: read_date(query, "checkdateto", faults),
        overdue_on: read_date(query, "overdueon", faults),
        visible_companies: None,
        order: PayRunOrder::default(),
    }
}

/// The name of the query parameter with the order of pay runs.
pub(crate) const SORT_PARAMETER: &str = "sort";

/// Reads the order of pay runs.
pub(crate) fn read_pay_run_order(query: &Query, faults: &mut Vec<Violation>) -> PayRunOrder {
    let orders = (PayRunOrder::ALL, PayRunOrder::as_str as fn(_) -> _);
    collect_fault(query.choice_value(SORT_PARAMETER, orders), faults).flatten().unwrap_or_default()
}

/// Reads the filter of a list of pay components, except for the name.
pub(crate) fn read_component_filter(query: &Query, faults: &mut Vec<Violation>) -> ComponentFilter {
    let effects = (EffectOnPay::ALL, EffectOnPay::as_str as fn(_) -> _);
    let classifications = (ClassificationType::ALL, ClassificationType::as_str as fn(_) -> _);
    ComponentFilter {
        effect_on_pay: collect_fault(query.choice_value("effectonpay", effects), faults).flatten(),
        classification_type: collect_fault(query.choice_value("classificationtype", classifications), faults)
            .flatten(),
        modified_since: read_modified_since(query, faults),
        ..ComponentFilter::default()
    }
}

/// Reads the query parameter `name`, which matches a part of a name.
pub(crate) fn read_name_filter(query: &Query, faults: &mut Vec<Violation>) -> Option<String> {
    let rule = format!("a part of a name, of 1 to {MAX_NAME_FILTER_LENGTH} characters");
    let fits = |text: &str| text.chars().count() <= MAX_NAME_FILTER_LENGTH;
    collect_fault(
        parse_parameter(query, "name", &rule, |part| normalized_search_term(part).filter(|part| fits(part))),
        faults,
    )
    .flatten()
}

/// Reads `modifiedsince`, the earliest modification time of the objects to return.
fn read_modified_since(query: &Query, faults: &mut Vec<Violation>) -> Option<Timestamp> {
    const INSTANT_HINT: &str = "an instant, such as 2026-05-04T08:30:00Z, or a date";
    let since = parse_parameter(query, "modifiedsince", INSTANT_HINT, |text| Timestamp::parse(text).ok());
    collect_fault(since, faults).flatten()
}

/// Reads the query parameter `name`, whose value is a date.
fn read_date(query: &Query, name: &str, faults: &mut Vec<Violation>) -> Option<Date> {
    collect_fault(parse_parameter(query, name, DATE_FORMAT_HINT, |text| parse_date(text).ok()), faults)
        .flatten()
}

/// Returns the text as a search term; `None` if it is empty.
pub(crate) fn normalized_search_term(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_filter_is_limited_in_length_and_not_empty() {
        let read = |query: &str| {
            let mut faults = Vec::new();
            let part = read_name_filter(&Query::parse(query), &mut faults);
            (part, faults.len())
        };
        assert_eq!(read("name=a%25"), (Some("a%".to_owned()), 0));
        assert_eq!(read("name="), (None, 1));
        assert_eq!(read("name=a&name=b"), (None, 1));
        let longest = "%C3%A9".repeat(MAX_NAME_FILTER_LENGTH);
        assert_eq!(read(&format!("name={longest}")).1, 0);
        assert_eq!(read(&format!("name={longest}x")).1, 1);
    }
}
