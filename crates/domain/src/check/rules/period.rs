//! Rules about the pay period, which all checks of a request share (specification §7.4).

use crate::check::case::BatchWithFacts;
use crate::code::Reason;
use crate::company::PAYROLL_PRODUCT;
use crate::report::{FaultLocation, Report};

/// API-53: every check must contain the same pay period id as the first check.
pub(in crate::check) fn require_one_period(case: &BatchWithFacts<'_>, report: &mut Report) {
    let Some(first) = case.first_check.and_then(|check| check.pay_period_id.value()) else { return };
    for check in case.checks {
        if check.pay_period_id.value().is_some_and(|id| id != first) {
            let description = "payPeriodId differs from that of the first check";
            report.add(Reason::PeriodsDiffer, check.location(), description);
        }
    }
}

/// API-40: the company must have the period.
pub(in crate::check) fn require_period_of_the_company(case: &BatchWithFacts<'_>, report: &mut Report) {
    let Some(location) = find_period_fault_location(case) else { return };
    if case.period.is_none() {
        let description = "payPeriodId is unknown: this company has no such pay period";
        report.add(Reason::InvalidParameter, location, description);
    }
}

/// API-51: the period must be open.
pub(in crate::check) fn require_open_period(case: &BatchWithFacts<'_>, report: &mut Report) {
    let (Some(location), Some((_, period))) = (find_period_fault_location(case), case.period) else { return };
    if !period.status.is_open() {
        let description =
            format!("payPeriodId names a pay period in state {}, not INITIAL or ENTRY", period.status);
        report.add(Reason::PeriodClosed, location, description);
    }
}

/// API-65: the company must have the payroll product on the period's check date.
pub(in crate::check) fn require_payroll_on_the_check_date(case: &BatchWithFacts<'_>, report: &mut Report) {
    let (Some(location), Some((_, period))) = (find_period_fault_location(case), case.period) else { return };
    if !case.facts.has_product(PAYROLL_PRODUCT, period.check_date) {
        let description = format!("the company has no product {PAYROLL_PRODUCT} on the period's check date");
        report.add(Reason::ProductNotSetUp, location, description);
    }
}

/// Returns the position at which a fault of the pay period is reported once: the first check with a period
/// id. Returns `None` if the period ids differ.
fn find_period_fault_location<'c>(case: &BatchWithFacts<'c>) -> Option<FaultLocation<'c>> {
    case.period_id?;
    case.first_check.map(|first| first.member_location("payPeriodId", &first.pay_period_id))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use time::macros::date;

    use crate::check::test_data::{
        CHECK_DATE, append_check_copy, find_faults, find_faults_after_change, one_valid_check, product,
        valid_checks,
    };
    use crate::pay_period::PeriodStatus;

    fn request_with_two_periods(first: &str, second: &str) -> Value {
        let mut request = valid_checks();
        request[0]["payPeriodId"] = json!(first);
        request[1]["payPeriodId"] = json!(second);
        request
    }

    #[test]
    fn reports_each_differing_period_and_skips_the_period_rules() {
        assert_eq!(find_faults(&request_with_two_periods("closed", "nowhere")), ["API-53 /1"]);
        let mut three = request_with_two_periods("open", "closed");
        append_check_copy(&mut three, "a3");
        assert_eq!(find_faults(&three), ["API-53 /1"]);
        assert_eq!(find_faults_after_change(&three, |facts| facts.products.clear()), ["API-53 /1"]);
    }

    #[test]
    fn reports_an_unknown_period_once_at_the_first_check() {
        assert_eq!(find_faults(&request_with_two_periods("nowhere", "nowhere")), ["API-40 /0/payPeriodId"]);
        assert_eq!(find_faults(&request_with_two_periods("no id!", "no id!")), ["API-40 /0/payPeriodId"]);
        let mut request = request_with_two_periods("nowhere", "nowhere");
        request[0]["payPeriodId"] = Value::Null;
        assert_eq!(find_faults(&request), ["API-54 /0/payPeriodId", "API-40 /1/payPeriodId"]);
    }

    #[test]
    fn only_periods_in_status_initial_or_entry_are_open() {
        for status in PeriodStatus::ALL {
            let reported = find_faults_after_change(&one_valid_check(), |facts| {
                facts.pay_periods.get_mut("open").unwrap().status = *status;
            });
            let open = matches!(status, PeriodStatus::Initial | PeriodStatus::Entry);
            let expected: &[&str] = if open { &[] } else { &["API-51 /0/payPeriodId"] };
            assert_eq!(reported, expected, "{status}");
        }
    }

    #[test]
    fn the_payroll_product_covers_its_first_and_last_day() {
        let (before, after) = (CHECK_DATE.previous_day().unwrap(), CHECK_DATE.next_day().unwrap());
        let cases = [
            (product("PAYROLL", CHECK_DATE, Some(CHECK_DATE)), true),
            (product("PAYROLL", after, None), false),
            (product("PAYROLL", date!(2020 - 01 - 01), Some(before)), false),
            (product("RETIREMENT", date!(2020 - 01 - 01), None), false),
        ];
        for (product, active) in cases {
            let expected: &[&str] = if active { &[] } else { &["API-65 /0/payPeriodId"] };
            assert_eq!(
                find_faults_after_change(&valid_checks(), |facts| facts.products = vec![product.clone()]),
                expected
            );
        }
    }
}
