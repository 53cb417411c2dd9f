//! Test cases of operations on workers and on their parts, such as pay rates and communications.

use serde_json::{Value, json};

use super::contacts::contact_faults as contacts;
use super::custom_values::custom_value_faults as custom_values;
use super::direct_deposits::deposit_faults as direct_deposits;
use super::recurring_components::recurring_component_faults as recurring_components;
use super::row::{CodeCase, ExpectedFault, with_another_id};
use super::taxes::tax_faults as taxes;
use super::usual::{ADDITION_CODES, PATCH_CODES, REMOVAL_CODES};
use crate::operations::CHECKS;
use crate::support::{LOCKED, OPEN, Request, new_communication, new_rate, valid_request, with_member};

/// Returns the error codes of an operation that changes a worker or a part of a worker. The list is empty for
/// any other operation.
pub(super) fn documented_codes(operation: &str) -> Vec<&'static str> {
    const RATE_CODES: &[&str] = &["400 API-6", "400 API-26", "400 API-27", "400 API-28"];
    const RECURRING_COMPONENT_CODES: &[&str] = &["400 API-28", "400 API-37", "400 API-71", "400 API-72"];
    const CONTACT_CODES: &[&str] = &["400 API-13", "400 API-14", "400 API-15", "400 API-26"];
    const COMMUNICATION_CODES: &[&str] = &["400 API-14", "400 API-15"];
    const DEPOSIT_CODES: &[&str] = &[
        "400 API-28",
        "400 API-29",
        "400 API-30",
        "400 API-31",
        "400 API-34",
        "400 API-35",
        "400 API-37",
        "400 API-38",
    ];
    const DEPOSIT_CHANGE_CODES: &[&str] = &["400 API-5", "400 API-19", "400 API-28"];
    let (usual, own): (&[&str], Vec<&str>) = match operation {
        "PATCH /workers/{workerId}" => (PATCH_CODES, vec!["400 API-19", "400 API-20", "400 API-25"]),
        "DELETE /workers/{workerId}" => (REMOVAL_CODES, vec!["400 API-19"]),
        "POST /workers/{workerId}/compensation/payrates" => (ADDITION_CODES, RATE_CODES.into()),
        "PATCH /workers/{workerId}/compensation/payrates/{rateId}" => (PATCH_CODES, RATE_CODES.into()),
        "DELETE /workers/{workerId}/compensation/payrates/{rateId}" => (REMOVAL_CODES, Vec::new()),
        "POST /workers/{workerId}/federaltax" => (PATCH_CODES, Vec::new()),
        "PATCH /workers/{workerId}/federaltax" => (PATCH_CODES, Vec::new()),
        "PATCH /workers/{workerId}/statetaxes" => (PATCH_CODES, vec!["400 API-26"]),
        "POST /workers/{workerId}/directdeposits" => (ADDITION_CODES, DEPOSIT_CODES.into()),
        "PATCH /workers/{workerId}/directdeposits"
        | "PATCH /workers/{workerId}/directdeposits/{directDepositId}" => {
            (PATCH_CODES, DEPOSIT_CHANGE_CODES.into())
        }
        "DELETE /workers/{workerId}/directdeposits/{directDepositId}" => (REMOVAL_CODES, Vec::new()),
        "POST /workers/{workerId}/paycomponents" => (ADDITION_CODES, RECURRING_COMPONENT_CODES.into()),
        "PATCH /workers/{workerId}/paycomponents" => (PATCH_CODES, RECURRING_COMPONENT_CODES.into()),
        "PATCH /workers/{workerId}/paycomponents/{workerComponentId}" => {
            (PATCH_CODES, RECURRING_COMPONENT_CODES.into())
        }
        "DELETE /workers/{workerId}/paycomponents/{workerComponentId}" => (REMOVAL_CODES, vec!["422 API-45"]),
        "POST /workers/{workerId}/contacts" => (ADDITION_CODES, CONTACT_CODES.into()),
        "PATCH /workers/{workerId}/contacts/{contactId}" => (PATCH_CODES, CONTACT_CODES.into()),
        "DELETE /workers/{workerId}/contacts/{contactId}" => (REMOVAL_CODES, Vec::new()),
        "POST /workers/{workerId}/customfields" => (ADDITION_CODES, vec!["400 API-26"]),
        "PATCH /workers/{workerId}/customfields/{workerCustomFieldId}" => (PATCH_CODES, vec!["400 API-26"]),
        "DELETE /workers/{workerId}/customfields/{workerCustomFieldId}" => (REMOVAL_CODES, Vec::new()),
        "POST /workers/{workerId}/communications" => {
            (ADDITION_CODES, [COMMUNICATION_CODES, &["400 API-26"]].concat())
        }
        "PATCH /workers/{workerId}/communications/{communicationId}" => {
            (PATCH_CODES, COMMUNICATION_CODES.into())
        }
        "DELETE /workers/{workerId}/communications/{communicationId}" => (REMOVAL_CODES, vec!["400 API-25"]),
        _ => return Vec::new(),
    };
    let all = [usual, own.as_slice(), &["423 API-10"]].concat();
    // Federal tax settings have no required member, so the error for a missing member is impossible.
    let is_possible = |code: &&str| *code != "400 API-46" || !operation.ends_with("/federaltax");
    all.into_iter().filter(is_possible).collect()
}

/// Returns the test cases of an operation that changes workers or their parts.
pub(super) fn cases(method: &str, path: &'static str) -> Vec<CodeCase> {
    let good = valid_request(method, path, OPEN);
    let mut rows = vec![("423 API-10", valid_request(method, path, LOCKED))];
    if method != "POST" || path.ends_with("federaltax") {
        let unknown = match path.ends_with('}') {
            true => with_another_id(good.clone()),
            false => Request { target: good.target.replace("EMPLOYEE", "NOBODY"), ..good.clone() },
        };
        rows.push(("404 API-7", unknown));
        rows.push(("412 API-412", good.clone().if_match("\"1\"")));
    }
    if method == "DELETE" {
        if path.ends_with("{communicationId}") {
            rows.push(("400 API-25", Request::new(good.method, "/workers/EMPLOYEE/communications/HOME")));
        } else if path.ends_with("{workerComponentId}") {
            rows.push(("422 API-45", Request::new(good.method, "/workers/EMPLOYEE/paycomponents/AHEAD")));
        }
        return rows;
    }
    if path.ends_with("{directDepositId}") {
        let refused = Request::patch("/workers/EMPLOYEE/directdeposits/REFUSED", &json!({"value": "5"}));
        rows.push(("400 API-19", refused));
    }
    rows.extend([
        ("400 API-40", good.clone().body("{")),
        ("400 API-52", good.clone().json(&json!({}))),
        ("413 API-413", good.clone().body(format!("{{}}{}", " ".repeat(3 * 1024 * 1024)))),
        ("415 API-415", good.clone().header("content-type", CHECKS)),
    ]);
    if let Some(faults) = faults_from_part_module(method, path) {
        let faults = faults.into_iter();
        rows.extend(faults.map(|(refusal, body)| (refusal, good.clone().body(body))));
        return rows;
    }
    let faults = match (method, path.contains("payrates")) {
        ("POST", true) => rate_faults(&new_rate()),
        (_, true) => rate_faults(&json!({})),
        ("POST", false) => communication_creation_faults(),
        (_, false) => communication_change_faults(),
    };
    rows.extend(faults.into_iter().map(|(refusal, body)| (refusal, good.clone().body(body))));
    rows
}

/// Returns the invalid bodies of a part of a worker, if a separate module lists such bodies.
fn faults_from_part_module(method: &str, path: &str) -> Option<Vec<ExpectedFault>> {
    match path.split('/').nth(3)? {
        "paycomponents" => Some(recurring_components(method, path)),
        "federaltax" | "statetaxes" => Some(taxes(path)),
        "customfields" => Some(custom_values(method)),
        "directdeposits" => Some(direct_deposits(method, path)),
        "contacts" => Some(contacts(method)),
        _ => None,
    }
}

/// Returns the test cases of the operations that change and delete a worker.
pub(super) fn worker_cases(method: &str, path: &'static str) -> Vec<CodeCase> {
    let good = valid_request(method, path, OPEN);
    let mut rows = vec![
        ("404 API-7", with_another_id(good.clone())),
        ("412 API-412", good.clone().if_match("\"1\"")),
        ("423 API-10", valid_request(method, path, LOCKED)),
    ];
    if method == "DELETE" {
        rows.push(("400 API-19", Request::new(good.method, "/workers/EMPLOYEE")));
        return rows;
    }
    let of = |worker: &str, body: Value| Request::patch(format!("/workers/{worker}"), &body);
    let twice = r#"{"employmentType": "PART_TIME", "employmentType": "FULL_TIME"}"#;
    rows.extend([
        ("400 API-19", of("STARTING", json!({"currentStatus": {"statusType": "ACTIVE"}}))),
        ("400 API-20", of("COLLEAGUE", json!({"currentStatus": {"effectiveDate": "2020-01-01"}}))),
        ("400 API-25", of("COLLEAGUE", json!({"currentStatus": null}))),
        ("400 API-40", good.clone().body("{")),
        ("400 API-46", of("EMPLOYEE", json!({"name": null}))),
        ("400 API-47", good.clone().body(twice)),
        ("400 API-48", of("EMPLOYEE", json!({"workerType": "CONTRACTOR"}))),
        ("400 API-52", of("EMPLOYEE", json!({}))),
        ("413 API-413", good.clone().body(format!("{{}}{}", " ".repeat(3 * 1024 * 1024)))),
        ("415 API-415", good.header("content-type", CHECKS)),
    ]);
    rows
}

/// The JSON text of a communication with a duplicate member.
const DUPLICATE_MEMBER_BODY: &str =
    r#"{"type": "EMAIL", "usageType": "BUSINESS", "uri": "a@demo.example", "uri": "b@demo.example"}"#;

fn rate_faults(good: &Value) -> Vec<ExpectedFault> {
    let text = |member: &str, value: &str| with_member(good.clone(), member, value).to_string();
    vec![
        ("400 API-6", text("description", &"x".repeat(501))),
        ("400 API-26", text("rateNumber", "RATE_2")),
        ("400 API-27", text("rateType", "MONTHLY_RATE")),
        ("400 API-28", text("amount", "-1")),
        ("400 API-46", with_member(good.clone(), "amount", Value::Null).to_string()),
        ("400 API-47", good.to_string().replace('{', r#"{"amount": "1", "amount": "2","#).replace(",}", "}")),
        ("400 API-48", text("standardHours", "many")),
    ]
}

fn communication_creation_faults() -> Vec<ExpectedFault> {
    let good = new_communication();
    let text = |member: &str, value: &str| with_member(good.clone(), member, value).to_string();
    vec![
        ("400 API-14", json!({"type": "FAX", "usageType": "BUSINESS"}).to_string()),
        ("400 API-15", json!({"type": "STREET_ADDRESS", "usageType": "BUSINESS"}).to_string()),
        ("400 API-26", json!({"type": "PHONE", "usageType": "BUSINESS", "dialNumber": "1"}).to_string()),
        ("400 API-46", json!({"type": "EMAIL", "uri": "employee@demo.example"}).to_string()),
        ("400 API-47", DUPLICATE_MEMBER_BODY.to_owned()),
        ("400 API-48", text("usageType", "HOME")),
    ]
}

fn communication_change_faults() -> Vec<ExpectedFault> {
    vec![
        ("400 API-14", json!({"dialNumber": "x".repeat(100)}).to_string()),
        ("400 API-15", json!({"streetLineOne": "x".repeat(1_000)}).to_string()),
        ("400 API-46", json!({"type": null}).to_string()),
        ("400 API-47", r#"{"dialNumber": "1", "dialNumber": "2"}"#.to_owned()),
        ("400 API-48", json!({"usageType": "PERSONAL"}).to_string()),
    ]
}
