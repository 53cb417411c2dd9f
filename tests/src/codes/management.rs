//! The test cases of the operations below `/management` and the error codes that these operations can return.

use reqwest::Method;
use serde_json::{Value, json};

use super::row::CodeCase;
use crate::support::hooks::{FAILED_REQUEST_ID, HOOK_ID, UNKNOWN_DELIVERY_ID, registration};
use crate::support::{Caller, OPEN, Request, valid_request, with_member};

/// The error codes that most operations below `/management` can return.
const COMMON_CODES: &[&str] = &["401 API-102", "403 API-2", "405 API-59", "406 API-75"];

/// Returns the error codes that an operation on hooks can return.
pub(super) fn documented_codes(operation: &str) -> Vec<&'static str> {
    let (method, path) = operation.split_once(' ').expect("a method and a path");
    if path.ends_with("/requests") {
        return vec!["400 API-40", "401 API-102", "405 API-59", "406 API-75"];
    }
    if path.ends_with("{requestId}") {
        return vec!["401 API-102", "404 API-7", "405 API-59", "406 API-75"];
    }
    if path.ends_with("/requestclientaccess") {
        return vec![
            "400 API-40",
            "400 API-46",
            "400 API-47",
            "400 API-48",
            "400 API-52",
            "401 API-102",
            "403 API-68",
            "404 API-7",
            "405 API-59",
            "406 API-75",
            "413 API-413",
            "415 API-415",
        ];
    }
    let own: &[&str] = match (method, path.rsplit('/').next().unwrap_or_default()) {
        ("POST", "hooks") => &[
            "400 API-40",
            "400 API-46",
            "400 API-47",
            "400 API-48",
            "400 API-52",
            "413 API-413",
            "415 API-415",
        ],
        ("PATCH", _) => &[
            "400 API-40",
            "400 API-46",
            "400 API-47",
            "400 API-48",
            "400 API-52",
            "412 API-412",
            "413 API-413",
            "415 API-415",
        ],
        ("POST", "replay") if path.ends_with("{hookId}/replay") => &[
            "400 API-40",
            "400 API-46",
            "400 API-47",
            "400 API-48",
            "400 API-52",
            "413 API-413",
            "415 API-415",
        ],
        ("POST", _) => &["400 API-40", "413 API-413", "415 API-415"],
        ("DELETE", _) => &["400 API-40", "412 API-412"],
        (_, "deliveries") => &["400 API-40"],
        _ => &[],
    };
    let unknown = path.contains("{hookId}").then_some("404 API-7");
    COMMON_CODES.iter().chain(own).copied().chain(unknown).collect()
}

/// Returns the test cases of an operation on hooks.
pub(super) fn cases(method: &str, path: &'static str) -> Vec<CodeCase> {
    let good = || valid_request(method, path, OPEN);
    let mut rows = vec![
        ("401 API-102", good().with_caller(Caller::Anonymous)),
        ("405 API-59", Request { method: Method::PUT, ..good() }),
        ("406 API-75", good().accept("text/html")),
    ];
    if !["/requests", "{requestId}", "/requestclientaccess"].iter().any(|end| path.ends_with(end)) {
        rows.push(("403 API-2", good().with_caller(Caller::WithoutScope)));
    }
    if path.contains("{hookId}") {
        rows.push(("404 API-7", good().with_caller(Caller::Other)));
        rows.push(("404 API-7", with_other_id(good(), HOOK_ID, "NONE")));
        rows.push(("404 API-7", with_other_id(good(), HOOK_ID, "a%20b")));
    }
    if path.contains("{requestId}") {
        rows.push(("404 API-7", with_other_id(good(), FAILED_REQUEST_ID, "NONE")));
        rows.push(("404 API-7", with_other_id(good(), FAILED_REQUEST_ID, "a%20b")));
        rows.push(("404 API-7", good().with_caller(Caller::Other)));
    }
    if path.contains("{deliveryId}") {
        rows.push((
            "404 API-7",
            with_other_id(good(), crate::support::hooks::DELIVERY_ID, UNKNOWN_DELIVERY_ID),
        ));
        rows.push(("404 API-7", with_other_id(good(), crate::support::hooks::DELIVERY_ID, "1")));
    }
    if matches!(method, "POST" | "PATCH") {
        rows.extend(body_cases(good()));
    }
    rows.extend(match (method, path.rsplit('/').next().unwrap_or_default()) {
        ("POST", "requestclientaccess") => access_cases(|body| good().json(&body)),
        ("POST", "hooks") => document_cases(|body| good().json(&body), &registration()),
        ("PATCH", _) => {
            let mut rows = document_cases(|body| good().json(&body), &json!({}));
            rows.push(("412 API-412", good().if_match("\"1\"")));
            rows
        }
        ("DELETE", _) => {
            vec![("400 API-40", good().if_match("1")), ("412 API-412", good().if_match("\"1\""))]
        }
        ("POST", "replay") if path.ends_with("{hookId}/replay") => replay_cases(|body| good().json(&body)),
        (_, "requests") => vec![("400 API-40", Request::get(format!("{}?status=9xx", good().target)))],
        (_, "deliveries") => vec![("400 API-40", Request::get(format!("{}?limit=101", good().target)))],
        _ => Vec::new(),
    });
    rows
}

/// Replaces an id in the path of the request by another id.
fn with_other_id(mut request: Request, id: &str, other: &str) -> Request {
    request.target = request.target.replace(id, other).replace(crate::support::hooks::SPARE_HOOK_ID, other);
    request
}

/// Returns requests whose body is not a JSON object, is too large, or has no supported media type.
fn body_cases(good: Request) -> Vec<CodeCase> {
    let json = good.clone().json(&json!({}));
    vec![
        ("400 API-40", json.clone().body("{")),
        ("400 API-40", json.clone().body("7")),
        ("413 API-413", json.clone().body(format!("{{}}{}", " ".repeat(3 * 1024 * 1024)))),
        ("415 API-415", json.clone().header("content-type", "text/plain")),
        ("415 API-415", json.without_header("content-type").body("{}")),
    ]
}

fn document_cases(request: impl Fn(Value) -> Request, base: &Value) -> Vec<CodeCase> {
    let changed = |member: &str, value: Value| request(with_member(base.clone(), member, value));
    vec![
        ("400 API-46", changed("domains", json!([]))),
        (
            "400 API-47",
            request(with_member(
                with_member(base.clone(), "url", "https://hooks.test/"),
                "uri",
                "https://hooks.test/",
            )),
        ),
        ("400 API-48", changed("uri", json!("https://127.0.0.1/"))),
        ("400 API-52", request(json!({}))),
    ]
}

fn access_cases(request: impl Fn(Value) -> Request) -> Vec<CodeCase> {
    vec![
        ("400 API-46", request(json!({"scopes": "read:payroll"}))),
        ("400 API-47", request(json!({})).body(r#"{"displayId": "1", "displayId": "2"}"#)),
        ("400 API-48", request(json!({"displayId": "00030001", "scopes": ["read:all"]}))),
        ("400 API-52", request(json!({}))),
        ("403 API-68", request(json!({"displayId": "00040001"}))),
        ("404 API-7", request(json!({"displayId": "99999999"}))),
    ]
}

fn replay_cases(request: impl Fn(Value) -> Request) -> Vec<CodeCase> {
    vec![
        ("400 API-46", request(json!({"failed": false}))),
        ("400 API-47", request(json!({})).body(r#"{"failed": true, "failed": true}"#)),
        ("400 API-48", request(json!({"failed": true, "form": "2026-05-12"}))),
        ("400 API-48", request(json!({"failed": true, "after": "7"}))),
        ("400 API-52", request(json!({})).body(" ")),
    ]
}
