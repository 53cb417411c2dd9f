//! The filters of lists in a query, the same for partners and operators. Which of them a list takes is
//! in the table of its side.

use payroll_domain::date::{Date, Timestamp, parse_date};
use payroll_domain::id::CompanyId;
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use payroll_domain::pay_period::{IntervalCode, PeriodStatus};
use payroll_domain::tax_id::LastFour;
use payroll_domain::violation::{Violation, Violations};
use payroll_domain::worker::StatusType;
use payroll_ports::filters::{ComponentFilter, PayRunFilter, PayRunOrder, PeriodFilter, WorkerFilter};

use crate::shared::feed::{noted, parameter};
use crate::shared::query::Query;

/// Characters of a part of a name: as many as a name of a company has at most. Each name of a list is
/// looked through for the part.
pub(crate) const MAX_PART_LENGTH: usize = 100;

/// What a day must be.
const DATE: &str = "a date, such as 2026-05-04 or 2026-05-04T00:00:00Z";

/// The parameter with the day on which the elements of a list are in force.
pub(crate) const AS_OF: &str = "asof";

/// Reads the day on which elements are in force.
pub(crate) fn as_of(query: &Query, faults: &mut Vec<Violation>) -> Option<Date> {
    day(query, AS_OF, faults)
}

/// The parameter with how often workers are paid.
pub(crate) const PAY_FREQUENCY: &str = "payfrequency";

/// Reads how often the workers are paid.
pub(crate) fn pay_frequency(query: &Query, faults: &mut Vec<Violation>) -> Option<IntervalCode> {
    let codes = (IntervalCode::ALL, IntervalCode::as_str as fn(_) -> _);
    noted(query.word(PAY_FREQUENCY, codes), faults).flatten()
}

/// Reads that day where it is the only parameter.
///
/// # Errors
/// 400 API-40 for a value that is no date.
pub(crate) fn as_of_alone(query: &Query) -> Result<Option<Date>, Violations> {
    let mut faults = Vec::new();
    let day = as_of(query, &mut faults);
    Violations::collect(faults).map_or(Ok(day), Err)
}

/// Reads which workers are wanted.
pub(crate) fn workers(query: &Query, faults: &mut Vec<Violation>) -> WorkerFilter {
    let statuses = query.words("status", (StatusType::ALL, StatusType::as_str), faults);
    let mut text = |name| noted(parameter(query, name, "not empty", text), faults).flatten();
    let (given_name, family_name) = (text("givenname"), text("familyname"));
    let (employee_id, location_id) = (text("employeeid"), text("locationid"));
    let last_four = parameter(query, "legallastfour", "the last 4 digits of a tax identity", LastFour::parse);
    let last_four = noted(last_four, faults).flatten();
    let (from, to) = (day(query, "from", faults), day(query, "to", faults));
    let (part_of_name, modified_since) = (None, modified_since(query, faults));
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

/// Reads which pay periods are wanted.
pub(crate) fn periods(query: &Query, faults: &mut Vec<Violation>) -> PeriodFilter {
    let statuses = query.words("status", (PeriodStatus::ALL, PeriodStatus::as_str), faults);
    let (from, to) = (day(query, "from", faults), day(query, "to", faults));
    PeriodFilter { statuses, from, to, modified_since: modified_since(query, faults) }
}

/// Reads which pay runs are wanted; these are the states that a pay run has.
pub(crate) fn pay_runs(query: &Query, states: &[PeriodStatus], faults: &mut Vec<Violation>) -> PayRunFilter {
    const ID: &str = "the id of a company";
    let company_id = parameter(query, "companyid", ID, |text| CompanyId::parse(text).ok());
    PayRunFilter {
        status: noted(query.word("status", (states, PeriodStatus::as_str)), faults).flatten(),
        company_id: noted(company_id, faults).flatten(),
        check_date_from: day(query, "checkdatefrom", faults),
        check_date_to: day(query, "checkdateto", faults),
        overdue_on: day(query, "overdueon", faults),
        within: None,
        order: PayRunOrder::default(),
    }
}

/// The parameter with the order of pay runs.
pub(crate) const SORT: &str = "sort";

/// Reads the order of pay runs.
pub(crate) fn pay_run_order(query: &Query, faults: &mut Vec<Violation>) -> PayRunOrder {
    let orders = (PayRunOrder::ALL, PayRunOrder::as_str as fn(_) -> _);
    noted(query.word(SORT, orders), faults).flatten().unwrap_or_default()
}

/// Reads which pay components are wanted, but for their name.
pub(crate) fn components(query: &Query, faults: &mut Vec<Violation>) -> ComponentFilter {
    let effects = (EffectOnPay::ALL, EffectOnPay::as_str as fn(_) -> _);
    let classifications = (ClassificationType::ALL, ClassificationType::as_str as fn(_) -> _);
    ComponentFilter {
        effect_on_pay: noted(query.word("effectonpay", effects), faults).flatten(),
        classification_type: noted(query.word("classificationtype", classifications), faults).flatten(),
        modified_since: modified_since(query, faults),
        ..ComponentFilter::default()
    }
}

/// Reads the part that a name must have.
pub(crate) fn part_of_name(query: &Query, faults: &mut Vec<Violation>) -> Option<String> {
    let rule = format!("a part of a name, of 1 to {MAX_PART_LENGTH} characters");
    let fits = |text: &str| text.chars().count() <= MAX_PART_LENGTH;
    noted(parameter(query, "name", &rule, |part| text(part).filter(|part| fits(part))), faults).flatten()
}

/// The instant at which an object was changed or after it.
fn modified_since(query: &Query, faults: &mut Vec<Violation>) -> Option<Timestamp> {
    const INSTANT: &str = "an instant, such as 2026-05-04T08:30:00Z, or a date";
    let since = parameter(query, "modifiedsince", INSTANT, |text| Timestamp::parse(text).ok());
    noted(since, faults).flatten()
}

/// A day, as dates are written.
fn day(query: &Query, name: &str, faults: &mut Vec<Violation>) -> Option<Date> {
    noted(parameter(query, name, DATE, |text| parse_date(text).ok()), faults).flatten()
}

/// A text to look something up by.
pub(crate) fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_is_bounded_and_not_empty() {
        let read = |query: &str| {
            let mut faults = Vec::new();
            let part = part_of_name(&Query::parse(query), &mut faults);
            (part, faults.len())
        };
        assert_eq!(read("name=a%25"), (Some("a%".to_owned()), 0));
        assert_eq!(read("name="), (None, 1));
        assert_eq!(read("name=a&name=b"), (None, 1));
        let longest = "%C3%A9".repeat(MAX_PART_LENGTH);
        assert_eq!(read(&format!("name={longest}")).1, 0);
        assert_eq!(read(&format!("name={longest}x")).1, 1);
    }
}
