//! Test cases for the operation that adds workers.

use serde_json::{Value, json};

use super::row::CodeCase;
use crate::operations::CHECKS;
use crate::support::{LOCKED, OPEN, UNKNOWN, new_worker, valid_request, with_member};

const WORKERS_PATH: &str = "/companies/{companyId}/workers";

/// The error codes that the operation that adds workers can return.
pub(super) const EXPECTED_CODES: &[&str] = &[
    "400 API-14",
    "400 API-15",
    "400 API-26",
    "400 API-40",
    "400 API-46",
    "400 API-47",
    "400 API-48",
    "400 API-52",
    "404 API-7",
    "413 API-413",
    "413 API-44",
    "415 API-415",
    "423 API-10",
];

pub(super) fn cases() -> Vec<CodeCase> {
    let good = valid_request("POST", WORKERS_PATH, OPEN);
    let with_communications = |all: Value| with_member(new_worker(), "communications", all);
    let mail = json!({"type": "EMAIL", "usageType": "BUSINESS", "uri": "new@demo.example"});
    let twice = new_worker().to_string().replacen('{', r#"{"clockId": "1", "clockId": "2","#, 1);
    let bodies = [
        ("400 API-14", with_communications(json!([{"type": "FAX", "usageType": "BUSINESS"}])).to_string()),
        (
            "400 API-15",
            with_communications(json!([{"type": "STREET_ADDRESS", "usageType": "BUSINESS"}])).to_string(),
        ),
        ("400 API-26", with_communications(json!([mail, mail])).to_string()),
        ("400 API-40", "{".to_owned()),
        ("400 API-46", with_member(new_worker(), "workerType", Value::Null).to_string()),
        ("400 API-47", twice),
        ("400 API-48", with_member(new_worker(), "locationId", "HARBOR").to_string()),
        ("400 API-52", json!([]).to_string()),
        ("413 API-413", format!("{{}}{}", " ".repeat(3 * 1024 * 1024))),
        ("413 API-44", json!(vec![new_worker(); 101]).to_string()),
    ];
    let of = |body: String| good.clone().body(body);
    let mut rows: Vec<CodeCase> = bodies.into_iter().map(|(refusal, body)| (refusal, of(body))).collect();
    rows.extend([
        ("404 API-7", valid_request("POST", WORKERS_PATH, UNKNOWN)),
        ("415 API-415", good.header("content-type", CHECKS)),
        ("423 API-10", valid_request("POST", WORKERS_PATH, LOCKED)),
    ]);
    rows
}
