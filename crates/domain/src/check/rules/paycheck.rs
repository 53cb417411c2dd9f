//! Rules about the id of a check in a request (specification §7.4).

use crate::check::case::CheckWithFacts;
use crate::code::Reason;
use crate::report::Report;

/// API-51: a request can only add checks. The id of a stored check of the company is therefore a fault. Any
/// other id is ignored, like every member that only the server sets.
pub(in crate::check) fn require_no_stored_check(case: &CheckWithFacts<'_>, report: &mut Report) {
    let id = &case.draft.paycheck_id;
    if id.value().is_some_and(|id| case.facts.paychecks.contains(*id)) {
        let description = "paycheckId is the id of an existing check, which this operation cannot change";
        report.add(Reason::CheckNotModifiable, case.draft.member_location("paycheckId", id), description);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::test_data::{facts, find_faults, valid_checks, validate_json};
    use crate::code::Reason;

    #[test]
    fn a_request_cannot_modify_a_stored_check() {
        let mut request = valid_checks();
        request[1]["paycheckId"] = json!("stored");
        let refused = validate_json(&request.to_string(), &facts()).unwrap_err();
        assert!(refused.all_have_reason(Reason::CheckNotModifiable));
        assert_eq!(find_faults(&request), ["API-51 /1/paycheckId"]);
    }

    #[test]
    fn an_existing_check_is_reported_with_all_other_faults() {
        let mut request = valid_checks();
        request[0]["paycheckId"] = json!("stored");
        request[1]["workerId"] = json!("nobody");
        let refused = validate_json(&request.to_string(), &facts()).unwrap_err();
        assert!(!refused.all_have_reason(Reason::CheckNotModifiable));
    }

    #[test]
    fn a_paycheck_id_of_no_stored_check_is_ignored() {
        for id in [json!("elsewhere"), json!(7), json!(null), json!({}), json!("no id!")] {
            let mut request = valid_checks();
            request[0]["paycheckId"] = id.clone();
            assert!(find_faults(&request).is_empty(), "{id}");
        }
    }
}
