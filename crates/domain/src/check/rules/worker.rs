//! Rules about the worker of a check (specification §7.4).

use crate::check::case::CheckWithFacts;
use crate::code::Reason;
use crate::report::Report;

/// API-55: the company must have the worker. The status of the worker does not matter.
pub(in crate::check) fn require_worker_of_the_company(case: &CheckWithFacts<'_>, report: &mut Report) {
    if case.draft.worker_id.is_present() && case.worker.is_none() {
        let location = case.draft.member_location("workerId", &case.draft.worker_id);
        report.add(Reason::ForeignWorker, location, "workerId is unknown: this company has no such worker");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::test_data::{check_with_line, find_faults};

    #[test]
    fn skips_rules_that_need_the_worker_if_the_worker_is_unknown() {
        for id in ["nobody", "no id!", &"x".repeat(10_000)] {
            let mut request =
                check_with_line(json!({"componentId": "employees", "payHours": 8, "payRateId": "x"}));
            request[0]["workerId"] = json!(id);
            let overtime = json!({"componentId": "overtime", "payHours": 8});
            request[0]["earnings"].as_array_mut().unwrap().push(overtime);
            assert_eq!(find_faults(&request), ["API-55 /0/workerId"]);
        }
    }

    #[test]
    fn applies_the_other_rules_despite_an_unknown_worker() {
        let mut request = check_with_line(json!({"componentId": "nothing", "payAmount": 10_000}));
        request[0]["workerId"] = json!("nobody");
        let expected =
            ["API-28 /0/earnings/0/payAmount", "API-48 /0/earnings/0/componentId", "API-55 /0/workerId"];
        let mut reported = find_faults(&request);
        reported.sort();
        assert_eq!(reported, expected);
    }
}
