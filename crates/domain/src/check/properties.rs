//! Property tests of the validation with generated requests.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::test_data::{codes_and_pointers, facts, valid_checks, validate_json};
use super::{Check, Line, Section};
use crate::date::format_date;

/// Generates values that a caller may send for a member: valid, invalid and unusual values.
fn any_value() -> impl Strategy<Value = Value> {
    let texts = [
        "",
        "open",
        "closed",
        "employee",
        "nobody",
        "hourly",
        "garnishment",
        "hour",
        "later",
        "a1",
        "stored",
    ];
    let numbers = ["0", "8", "-1", "10000", "1.00001", "1e2", "99999999999999999999", "-0.0"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        proptest::sample::select(texts.to_vec()).prop_map(Value::from),
        proptest::sample::select(numbers.to_vec()).prop_map(Value::from),
        proptest::sample::select(numbers.to_vec()).prop_map(|text| serde_json::from_str(text).unwrap()),
        any::<String>().prop_map(Value::from),
    ];
    let members = [
        "workerId",
        "payPeriodId",
        "checkCorrelationId",
        "paycheckId",
        "earnings",
        "deductions",
        "informational",
        "componentId",
        "payRateId",
        "payRate",
        "payHours",
        "payUnits",
        "payAmount",
        "memoed",
        "lineDate",
        "jobId",
        "organization",
        "organizationId",
        "blockAutoDistribution",
        "unknown",
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(proptest::sample::select(members.to_vec()), inner, 0..8)
                .prop_map(|members| members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()),
        ]
    })
}

/// Generates a valid request in which one value is replaced.
fn mutated_request() -> impl Strategy<Value = Value> {
    let places = [
        "/0",
        "/0/workerId",
        "/0/payPeriodId",
        "/0/checkCorrelationId",
        "/0/earnings",
        "/0/earnings/0",
        "/0/earnings/0/componentId",
        "/0/earnings/0/payHours",
        "/0/earnings/1/payAmount",
        "/1/workerId",
        "/1/informational/0",
        "/1/earnings/0/payRate",
        "/1/earnings/0/payUnits",
    ];
    (proptest::sample::select(places.to_vec()), any_value()).prop_map(|(position, value)| {
        let mut request = valid_checks();
        *request.pointer_mut(position).unwrap() = value;
        request
    })
}

/// Returns the check as a caller would send it.
fn to_check_request(check: &Check) -> Value {
    let section = |section: Section| -> Value {
        check.lines.iter().filter(|line| line.section == section).map(to_line_request).collect()
    };
    json!({
        "workerId": check.worker_id.as_str(),
        "payPeriodId": check.pay_period_id.as_str(),
        "checkCorrelationId": check.correlation_id,
        "blockAutoDistribution": check.block_auto_distribution,
        "earnings": section(Section::Earnings),
        "deductions": section(Section::Deductions),
        "informational": section(Section::Informational),
    })
}

fn to_line_request(line: &Line) -> Value {
    json!({
        "componentId": line.component.component_id.as_str(),
        "payRate": line.pay_rate.map(|rate| rate.to_string()),
        "payHours": line.pay_hours.map(|hours| hours.to_string()),
        "payUnits": line.pay_units.map(|units| units.to_string()),
        "payAmount": line.pay_amount.map(|amount| amount.to_string()),
        "memoed": line.memoed,
        "lineDate": line.line_date.map(|date| format_date(date).to_string()),
        "jobId": line.job_id.as_ref().map(|id| id.as_str()),
        "laborAssignmentId": line.labor_assignment_id.as_ref().map(|id| id.as_str()),
        "organization": {"organizationId": line.organization.as_ref().map(|unit| unit.organization_id.as_str())},
    })
}

proptest! {
    #[test]
    fn validates_any_document_without_an_internal_error(request in any_value()) {
        if let Err(faults) = validate_json(&request.to_string(), &facts()) {
            prop_assert!(faults.iter().all(|fault| fault.reason.code() != "API-1"));
        }
    }

    #[test]
    fn reports_one_fault_per_code_and_position_in_document_order(request in mutated_request()) {
        if let Err(faults) = validate_json(&request.to_string(), &facts()) {
            prop_assert!(faults.as_slice().is_sorted_by_key(|fault| fault.position));
            let reported = codes_and_pointers(&faults);
            prop_assert_eq!(reported.iter().collect::<HashSet<_>>().len(), reported.len());
        }
    }

    #[test]
    fn every_pointer_is_within_an_existing_object_of_the_request(request in mutated_request()) {
        if let Err(faults) = validate_json(&request.to_string(), &facts()) {
            for pointer in faults.iter().filter_map(|fault| fault.pointer.as_deref()) {
                let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
                prop_assert!(request.pointer(parent).is_some(), "{} in {}", pointer, request);
            }
        }
    }

    #[test]
    fn validating_a_validated_check_again_does_not_change_it(request in mutated_request()) {
        if let Ok(checks) = validate_json(&request.to_string(), &facts()) {
            let again: Value = checks.iter().map(to_check_request).collect();
            prop_assert_eq!(validate_json(&again.to_string(), &facts()).unwrap(), checks);
        }
    }

    #[test]
    fn every_cent_of_the_range_survives_a_round_trip(cents in 0_u32..=999_999) {
        let text = format!("{}.{:02}", cents / 100, cents % 100);
        let mut request = valid_checks();
        request[0]["earnings"][1]["payAmount"] = json!(text);
        let checks = validate_json(&request.to_string(), &facts()).unwrap();
        prop_assert_eq!(checks[0].lines[1].pay_amount.unwrap().to_string(), text);
    }
}
