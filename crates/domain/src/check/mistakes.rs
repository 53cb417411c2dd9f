//! Tests that one mistake causes exactly one fault. Each case changes a single value of a valid request.
//! Together, the cases cover every code of the rules.

use serde_json::{Value, json};

use super::test_data::{facts, find_faults, valid_checks};
use crate::code::Reason;

/// Returns the cases: a pointer in the valid request, the new value, and the only fault that it causes.
fn invalid_values() -> Vec<(&'static str, Value, &'static str)> {
    let line = |members: Value| {
        let mut line = members;
        line["componentId"] = json!("hourly");
        line
    };
    vec![
        ("/0/earnings/1/payAmount", json!("10000"), "API-28 /0/earnings/1/payAmount"),
        ("/0/earnings/0/payHours", json!("600"), "API-28 /0/earnings/0"),
        (
            "/0/earnings/0",
            line(json!({"payHours": 1, "organization": {"organizationId": "x"}})),
            "API-40 /0/earnings/0/organization/organizationId",
        ),
        ("/0/earnings/0", line(json!({"payHours": 1, "payUnits": 1})), "API-47 /0/earnings/0"),
        ("/1/earnings/0/payRate", json!("1e2"), "API-48 /1/earnings/0/payRate"),
        ("/0/payPeriodId", json!("closed"), "API-53 /1"),
        ("/0/workerId", Value::Null, "API-54 /0/workerId"),
        ("/1/workerId", json!("nobody"), "API-55 /1/workerId"),
        ("/1/checkCorrelationId", json!("a1"), "API-56 /1/checkCorrelationId"),
        ("/1/earnings/0/componentId", json!("employees"), "API-57 /1/earnings/0/componentId"),
        ("/0/earnings/0/componentId", json!("garnishment"), "API-60 /0/earnings/0/componentId"),
        ("/1/informational/0/componentId", json!("retirement"), "API-65 /1/informational/0/componentId"),
        (
            "/0/earnings/0",
            line(json!({"payHours": 1, "payRateId": "later"})),
            "API-69 /0/earnings/0/payRateId",
        ),
        ("/1/earnings/0/payRate", Value::Null, "API-70 /1/earnings/0"),
    ]
}

#[test]
fn one_mistake_causes_one_fault_at_its_position() {
    for (position, value, expected) in invalid_values() {
        let mut request = valid_checks();
        *request.pointer_mut(position).unwrap() = value.clone();
        assert_eq!(find_faults(&request), [expected], "{value} at {position}");
    }
}

#[test]
fn reports_the_same_mistake_in_every_check() {
    let mut request = valid_checks();
    request[0]["workerId"] = json!("nobody");
    request[1]["workerId"] = json!("nobody");
    request[1]["earnings"][0]["payUnits"] = json!("x");
    let mut reported = find_faults(&request);
    reported.sort();
    assert_eq!(reported, ["API-48 /1/earnings/0/payUnits", "API-55 /0/workerId", "API-55 /1/workerId"]);
}

#[test]
fn reports_only_the_lock_of_a_locked_company() {
    let mut facts = facts();
    facts.lock = Some(super::LockFacts { seconds_left: Some(30) });
    let refused = super::test_data::validate_json("[{}]", &facts).unwrap_err();
    assert!(refused.all_have_reason(Reason::CompanyLocked));
}
