//! Rules about how a line is paid (specification §7.8).

use crate::check::case::LineWithFacts;
use crate::check::line_payment::AmountTooLarge;
use crate::code::Reason;
use crate::money::Amount;
use crate::report::Report;

/// API-47: the members of a line must not contradict each other.
pub(in crate::check) fn require_unambiguous_payment(case: &LineWithFacts<'_>, report: &mut Report) {
    if let Some(contradiction) = case.find_payment_contradiction() {
        report.add(Reason::FieldAmbiguous, case.draft.location(), contradiction);
    }
}

/// API-46, API-54: a line must have hours, units or an amount. A line with `memoed` set to true must have an
/// amount.
pub(in crate::check) fn require_amount_or_quantity(case: &LineWithFacts<'_>, report: &mut Report) {
    let draft = case.draft;
    let measured = !draft.pay_hours.is_absent() || !draft.pay_units.is_absent();
    if draft.pay_amount.is_absent() && (case.is_paid_by_amount() || !measured) {
        let description = if case.is_paid_by_amount() {
            "a memoed line needs payAmount"
        } else {
            "a line needs payHours, payUnits or payAmount"
        };
        report.add_missing_fault(draft.location(), description);
    }
}

/// API-28: hours or units times the rate must be an amount in the allowed range. An amount in the request
/// itself was already validated when it was read.
pub(in crate::check) fn require_computed_amount_in_range(case: &LineWithFacts<'_>, report: &mut Report) {
    match case.compute_amount() {
        None => (),
        Some(Ok(amount)) if amount.fits_check_line() => (),
        Some(Ok(_) | Err(AmountTooLarge)) => {
            let description = format!("the computed amount of the line is above {}", Amount::MAX_OF_LINE);
            report.add(Reason::AmountOutOfRange, case.draft.location(), description);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::check::test_data::{check_with_line, find_faults};

    /// Returns the faults of a line of the component `hourly` with the given members.
    fn find_line_faults(members: &Value) -> Vec<String> {
        let mut line = json!({"componentId": "hourly"});
        for (name, value) in members.as_object().unwrap() {
            line[name] = value.clone();
        }
        find_faults(&check_with_line(line))
    }

    #[test]
    fn accepts_eight_combinations_of_payment_members() {
        for way in [
            json!({"payHours": 8}),
            json!({"payHours": 8, "payRate": 20}),
            json!({"payHours": 8, "payRateId": "other-hour"}),
            json!({"payUnits": 8}),
            json!({"payUnits": 8, "payRate": 20}),
            json!({"payUnits": 8, "payRateId": "piece"}),
            json!({"payAmount": 8}),
            json!({"payAmount": 8, "payHours": 8, "memoed": true}),
        ] {
            assert!(find_line_faults(&way).is_empty(), "{way}");
        }
    }

    #[test]
    fn reports_a_contradictory_line_as_ambiguous_once() {
        for members in [
            json!({"payHours": 8, "payRate": 20, "payRateId": "hour"}),
            json!({"payHours": 8, "payUnits": 8}),
            json!({"payAmount": 8, "payHours": 8}),
            json!({"payAmount": 8, "payUnits": 8, "memoed": false}),
            json!({"payAmount": 8, "payRate": 20}),
            json!({"payAmount": 8, "payRateId": "hour"}),
            json!({"payAmount": 8, "payHours": 8, "payUnits": 8, "payRate": 9, "payRateId": "hour"}),
            json!({"payAmount": 8, "payHours": 8, "payUnits": 8, "memoed": true}),
        ] {
            assert_eq!(find_line_faults(&members), ["API-47 /0/earnings/0"], "{members}");
        }
    }

    #[test]
    fn an_invalid_member_causes_no_contradiction() {
        assert_eq!(
            find_line_faults(&json!({"payAmount": 8, "payHours": "x"})),
            ["API-48 /0/earnings/0/payHours"]
        );
        let memoed = json!({"payAmount": 8, "payHours": 8, "memoed": "yes"});
        assert_eq!(find_line_faults(&memoed), ["API-48 /0/earnings/0/memoed"]);
    }

    #[test]
    fn a_line_needs_an_amount_or_a_quantity() {
        for members in [
            json!({}),
            json!({"payRate": 20}),
            json!({"payRateId": "hour"}),
            json!({"memoed": true}),
            json!({"memoed": true, "payHours": 8}),
            json!({"payHours": "", "payUnits": null}),
        ] {
            assert_eq!(find_line_faults(&members), ["API-46 /0/earnings/0"], "{members}");
        }
        assert_eq!(find_line_faults(&json!({"payHours": "x"})), ["API-48 /0/earnings/0/payHours"]);
    }

    #[test]
    fn rounds_a_computed_amount_before_validating_it() {
        let validate =
            |hours: &str, rate: &str| find_line_faults(&json!({"payHours": hours, "payRate": rate}));
        assert!(validate("1", "9999.99").is_empty());
        assert!(validate("1", "9999.9949").is_empty());
        assert_eq!(validate("1", "9999.995"), ["API-28 /0/earnings/0"]);
        assert_eq!(validate("9999.99", "999999.9999"), ["API-28 /0/earnings/0"]);
        assert!(validate("0", "999999.9999").is_empty());
        assert_eq!(
            find_line_faults(&json!({"payHours": "500"})),
            ["API-28 /0/earnings/0"],
            "500 hours at 20"
        );
    }

    #[test]
    fn computes_no_amount_from_invalid_members_or_with_a_stated_amount() {
        let failed = find_line_faults(&json!({"payHours": "9999.99", "payRate": "1.23456"}));
        assert_eq!(failed, ["API-48 /0/earnings/0/payRate"]);
        let memo_line = json!({"payAmount": 1, "payHours": "9999.99", "payRate": 9999, "memoed": true});
        assert!(find_line_faults(&memo_line).is_empty());
    }
}
