//! Test cases for operations on the lines of a check.

use serde_json::json;

use super::row::{CodeCase, with_another_id};
use crate::operations::CHECKS;
use crate::support::world::PROCESSED_CHECK;
use crate::support::{LOCKED, OPEN, Request, valid_request};

const ADDITION_CODES: &[&str] = &[
    "400 API-19",
    "400 API-28",
    "400 API-40",
    "400 API-46",
    "400 API-47",
    "400 API-48",
    "400 API-52",
    "400 API-60",
    "404 API-7",
    "413 API-413",
    "415 API-415",
    "423 API-10",
];

/// Returns the error codes that an operation on check lines can return.
pub(super) fn expected_codes(operation: &str) -> Vec<&'static str> {
    match operation.split(' ').next() {
        Some("POST") => ADDITION_CODES.to_vec(),
        Some("PATCH") => [ADDITION_CODES, &["412 API-412"]].concat(),
        _ => vec!["400 API-19", "404 API-7", "412 API-412", "423 API-10"],
    }
}

pub(super) fn cases(method: &str, path: &'static str) -> Vec<CodeCase> {
    let good = valid_request(method, path, OPEN);
    let processed = Request { target: good.target.replace("WITH-LINES", PROCESSED_CHECK), ..good.clone() };
    let unknown = match path.ends_with('}') {
        true => with_another_id(good.clone()),
        false => Request { target: good.target.replace("WITH-LINES", "NONE"), ..good.clone() },
    };
    let mut rows = vec![
        ("400 API-19", processed),
        ("404 API-7", unknown),
        ("423 API-10", valid_request(method, path, LOCKED)),
    ];
    if method != "POST" {
        rows.push(("412 API-412", good.clone().if_match("\"1\"")));
    }
    if method == "DELETE" {
        return rows;
    }
    let missing = if method == "POST" { json!({"payHours": "1"}) } else { json!({"componentId": null}) };
    let bodies = [
        ("400 API-28", json!({"componentId": "BONUS", "payAmount": "10000", "payHours": null}).to_string()),
        ("400 API-40", "{".to_owned()),
        ("400 API-46", missing.to_string()),
        ("400 API-47", json!({"componentId": "HOURLY", "payHours": "1", "payUnits": "1"}).to_string()),
        ("400 API-48", json!({"componentId": "HOURLY", "payHours": "eight"}).to_string()),
        ("400 API-52", "{}".to_owned()),
        ("400 API-60", json!({"componentId": "GARNISHMENT", "payAmount": "1", "payHours": null}).to_string()),
        ("413 API-413", format!("{{}}{}", " ".repeat(3 * 1024 * 1024))),
    ];
    rows.extend(bodies.into_iter().map(|(refusal, body)| (refusal, good.clone().body(body))));
    rows.push(("415 API-415", good.header("content-type", CHECKS)));
    rows
}
