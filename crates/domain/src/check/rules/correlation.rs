//! Rules about correlation ids (specification §7.4, §7.11).

use std::collections::HashSet;

use crate::check::case::BatchWithFacts;
use crate::code::Reason;
use crate::report::Report;

/// API-56: a correlation id must be unique in the request. The second and later uses are reported.
pub(in crate::check) fn require_distinct_correlation_ids(case: &BatchWithFacts<'_>, report: &mut Report) {
    let mut seen = HashSet::with_capacity(case.checks.len());
    for check in case.checks {
        if check.correlation_id.value().is_some_and(|id| !seen.insert(*id)) {
            let location = check.member_location("checkCorrelationId", &check.correlation_id);
            let description = "checkCorrelationId is that of an earlier check of this request";
            report.add(Reason::DuplicateCorrelationId, location, description);
        }
    }
}

/// API-56: the application must not have already used the correlation id in the pay period. The rule only
/// applies to applications whose correlation ids must be unique per period.
pub(in crate::check) fn require_unused_correlation_ids(case: &BatchWithFacts<'_>, report: &mut Report) {
    if case.period.is_none() {
        return;
    }
    for check in case.checks {
        if check.correlation_id.value().is_some_and(|id| case.facts.used_correlation_ids.contains(*id)) {
            let location = check.member_location("checkCorrelationId", &check.correlation_id);
            let description = "checkCorrelationId is that of another check in this pay period";
            report.add(Reason::DuplicateCorrelationId, location, description);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::test_data::{append_check_copy, find_faults, find_faults_after_change, valid_checks};

    #[test]
    fn reports_the_second_and_later_uses_of_a_correlation_id() {
        let mut request = valid_checks();
        request[1]["checkCorrelationId"] = json!("a1");
        append_check_copy(&mut request, "a1");
        assert_eq!(find_faults(&request), ["API-56 /1/checkCorrelationId", "API-56 /2/checkCorrelationId"]);
    }

    #[test]
    fn reports_a_correlation_id_used_in_the_period_if_the_period_exists() {
        let mut request = valid_checks();
        let used =
            |facts: &mut crate::check::ValidationFacts| facts.used_correlation_ids = ["a2".to_owned()].into();
        assert_eq!(find_faults_after_change(&request, used), ["API-56 /1/checkCorrelationId"]);
        request[1]["payPeriodId"] = json!("closed");
        assert_eq!(find_faults_after_change(&request, used), ["API-53 /1"]);
    }

    #[test]
    fn a_correlation_id_has_1_to_64_characters_and_no_control_character() {
        for (id, is_good) in [
            ("é".repeat(64), true),
            ("a".repeat(65), false),
            ("a\u{0}".to_owned(), false),
            ("a\n".to_owned(), false),
            (" ".to_owned(), true),
        ] {
            let mut request = valid_checks();
            request[0]["checkCorrelationId"] = json!(id);
            let expected: &[&str] = if is_good { &[] } else { &["API-48 /0/checkCorrelationId"] };
            assert_eq!(find_faults(&request), expected, "{id:?}");
        }
    }
}
