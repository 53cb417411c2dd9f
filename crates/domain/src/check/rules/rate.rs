//! Rules about the rate of a line (specification §7.4, §7.8).

use crate::check::applicable_rate::ApplicableRate;
use crate::check::case::LineWithFacts;
use crate::code::Reason;
use crate::report::Report;

/// API-48: if the line contains a rate id, it must be the id of one of the worker's pay rates.
pub(in crate::check) fn require_rate_of_the_worker(case: &LineWithFacts<'_>, report: &mut Report) {
    let id = &case.draft.pay_rate_id;
    if id.is_present() && case.worker.is_some() && case.named_rate.is_none() {
        let location = case.draft.member_location("payRateId", id);
        report.add(Reason::FieldInvalid, location, "payRateId is unknown: the worker has no such pay rate");
    }
}

/// API-48: if a line contains the id of a rate, the type of the rate must match the line. Hours require an
/// hourly rate, and units require a piecework or daily rate.
pub(in crate::check) fn require_matching_rate_type(case: &LineWithFacts<'_>, report: &mut Report) {
    let (Some(rate), Some(measure)) = (case.named_rate, case.find_paid_quantity()) else { return };
    if case.find_payment_contradiction().is_none() && !measure.accepts_rate(rate) {
        let kinds: Vec<_> = measure.rate_types.iter().map(|kind| kind.as_str()).collect();
        let location = case.draft.member_location("payRateId", &case.draft.pay_rate_id);
        let description = format!(
            "payRateId is the id of a rate of type {}, but the line requires type {}",
            rate.rate_type,
            kinds.join(" or ")
        );
        report.add(Reason::FieldInvalid, location, description);
    }
}

/// API-69: the rate's start date must not be after the last day of the period.
pub(in crate::check) fn require_rate_started_in_period(case: &LineWithFacts<'_>, report: &mut Report) {
    let (rate, location) = match case.rate {
        ApplicableRate::Named(rate) => {
            (rate, case.draft.member_location("payRateId", &case.draft.pay_rate_id))
        }
        ApplicableRate::Default(rate) => (rate, case.draft.location()),
        ApplicableRate::Sent(_) | ApplicableRate::MissingDefault | ApplicableRate::None => return,
    };
    if case.starts_after_period(rate) {
        report.add(Reason::RateStartsLater, location, "the pay rate starts after the pay period ends");
    }
}

/// API-70: if a line has hours or units without a rate, the worker must have a default rate of a type that
/// can pay this quantity.
pub(in crate::check) fn require_default_rate_if_none_is_sent(case: &LineWithFacts<'_>, report: &mut Report) {
    if matches!(case.rate, ApplicableRate::MissingDefault) {
        let what = if case.draft.pay_hours.is_present() { "hours" } else { "units" };
        let description =
            format!("the line has {what} and no rate, and the worker has no default rate for {what}");
        report.add(Reason::NoDefaultRate, case.draft.location(), description);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use time::macros::date;

    use crate::check::test_data::{
        PERIOD_END, append_check_copy, check_with_line, facts, find_faults, find_faults_after_change, rate,
        validate_json,
    };
    use crate::worker::{PayRate, RateType};

    const RATE_POINTER: &str = "/0/earnings/0/payRateId";

    fn request_with_hourly_line(members: Value) -> Value {
        let mut line = members;
        line["componentId"] = json!("hourly");
        check_with_line(line)
    }

    #[test]
    fn rejects_a_rate_of_another_worker_or_kind() {
        for (members, is_good) in [
            (json!({"payHours": 1, "payRateId": "other-hour"}), true),
            (json!({"payUnits": 1, "payRateId": "piece"}), true),
            (json!({"payHours": 1, "payRateId": "piece"}), false),
            (json!({"payUnits": 1, "payRateId": "hour"}), false),
            (json!({"payHours": 1, "payRateId": "salary"}), false),
            (json!({"payHours": 1, "payRateId": "nobody-s"}), false),
            (json!({"payHours": 1, "payRateId": "no id!"}), false),
            (json!({"payAmount": 1, "payRateId": "salary", "memoed": true}), true),
        ] {
            let at_fault = (!is_good).then(|| format!("API-48 {RATE_POINTER}"));
            assert_eq!(
                find_faults(&request_with_hourly_line(members.clone())),
                Vec::from_iter(at_fault),
                "{members}"
            );
        }
    }

    #[test]
    fn a_rate_may_start_on_the_last_day_of_the_period_and_no_later() {
        let starting = |start_date, members: Value| {
            find_faults_after_change(&request_with_hourly_line(members), |facts| {
                for rate in &mut facts.workers.get_mut("employee").unwrap().pay_rates {
                    rate.start_date = start_date;
                }
            })
        };
        let (named, default) = (json!({"payHours": 1, "payRateId": "hour"}), json!({"payHours": 1}));
        assert!(starting(PERIOD_END, named.clone()).is_empty());
        assert!(starting(PERIOD_END, default.clone()).is_empty());
        let later = PERIOD_END.next_day().unwrap();
        assert_eq!(starting(later, named), [format!("API-69 {RATE_POINTER}")]);
        assert_eq!(starting(later, default), ["API-69 /0/earnings/0"]);
        assert!(starting(later, json!({"payHours": 1, "payRate": 20})).is_empty());
        assert!(starting(later, json!({"payAmount": 1})).is_empty());
    }

    #[test]
    fn prefers_a_default_piecework_rate_to_a_daily_one() {
        let found = find_faults_after_change(&request_with_hourly_line(json!({"payUnits": 1})), |facts| {
            let mut piece = rate("p", RateType::Piecework, "2.5", true);
            piece.start_date = PERIOD_END.next_day().unwrap();
            let rates = vec![rate("d", RateType::Daily, "180", true), piece];
            facts.workers.get_mut("employee").unwrap().pay_rates = rates;
        });
        assert_eq!(found, ["API-69 /0/earnings/0"], "the one that starts later is the one that applies");
    }

    #[test]
    fn computes_no_amount_from_a_rate_that_starts_later() {
        let request = request_with_hourly_line(json!({"payHours": 9999, "payRateId": "later"}));
        assert_eq!(find_faults(&request), [format!("API-69 {RATE_POINTER}")]);
    }

    #[test]
    fn hours_and_units_without_a_rate_need_a_default_of_their_kind() {
        let only = |rates: Vec<PayRate>, members: Value| {
            find_faults_after_change(&request_with_hourly_line(members), |facts| {
                facts.workers.get_mut("employee").unwrap().pay_rates = rates
            })
        };
        let (hours, units) = (json!({"payHours": 1}), json!({"payUnits": 1}));
        let hourly = || vec![rate("h", RateType::Hourly, "20", true)];
        let daily = || vec![rate("d", RateType::Daily, "200", true)];
        assert!(only(hourly(), hours.clone()).is_empty());
        assert!(only(daily(), units.clone()).is_empty());
        assert_eq!(only(hourly(), units), ["API-70 /0/earnings/0"]);
        assert_eq!(only(daily(), hours.clone()), ["API-70 /0/earnings/0"]);
        assert_eq!(
            only(vec![rate("h", RateType::Hourly, "20", false)], hours.clone()),
            ["API-70 /0/earnings/0"]
        );
        assert_eq!(
            only(vec![rate("s", RateType::AnnualSalary, "20", true)], hours),
            ["API-70 /0/earnings/0"]
        );
        assert!(only(vec![], json!({"payAmount": 1})).is_empty());
        assert!(only(vec![], json!({"payHours": 1, "payRate": 1})).is_empty());
    }

    #[test]
    fn the_validated_check_contains_the_rate() {
        for (members, expected) in [
            (json!({"payHours": 1}), Some("20.0000")),
            (json!({"payUnits": 1}), Some("2.5000")),
            (json!({"payHours": 1, "payRateId": "other-hour"}), Some("25.5000")),
            (json!({"payHours": 1, "payRate": "33.3333"}), Some("33.3333")),
            (json!({"payAmount": 1}), None),
        ] {
            let checks =
                validate_json(&request_with_hourly_line(members.clone()).to_string(), &facts()).unwrap();
            let rate = checks[0].lines[0].pay_rate.map(|rate| rate.to_string());
            assert_eq!(rate.as_deref(), expected, "{members}");
        }
    }

    #[test]
    fn skips_the_rule_about_rate_start_dates_if_periods_differ() {
        let mut request = request_with_hourly_line(json!({"payHours": 1, "payRateId": "later"}));
        append_check_copy(&mut request, "a2");
        request[1]["payPeriodId"] = json!("closed");
        assert_eq!(find_faults(&request), ["API-53 /1"]);
        assert!(date!(2026 - 05 - 11) > PERIOD_END, "the rate does start later");
    }
}
