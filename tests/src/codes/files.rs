//! Test cases for operations on documents and profile images.

use reqwest::Method;
use serde_json::{Value, json};

use super::row::{CodeCase, with_another_id};
use super::usual::{ADDITION_CODES, REMOVAL_CODES};
use crate::operations::CHECKS;
use crate::support::files::{base64, new_document, new_image};
use crate::support::{LOCKED, OPEN, Request, valid_request, with_member};

/// Returns the error codes of an operation on documents or images. The list is empty for any other operation.
pub(super) fn documented_codes(operation: &str) -> Vec<&'static str> {
    let own: &[&[&str]] = match operation {
        "POST /workers/{workerId}/documents" => {
            &[ADDITION_CODES, &["400 API-62", "400 API-63", "400 API-66", "423 API-10"]]
        }
        "POST /workers/{workerId}/profileimage" => &[ADDITION_CODES, &["400 API-62", "423 API-10"]],
        "DELETE /workers/{workerId}/documents/{documentId}" | "DELETE /workers/{workerId}/profileimage" => {
            &[REMOVAL_CODES, &["423 API-10"]]
        }
        _ => &[],
    };
    own.concat()
}

/// Returns the test cases of an operation that changes documents or images.
pub(super) fn cases(method: &str, path: &'static str) -> Vec<CodeCase> {
    let good = valid_request(method, path, OPEN);
    let mut rows = vec![("423 API-10", valid_request(method, path, LOCKED))];
    if method == "DELETE" {
        let unknown = match path.ends_with('}') {
            true => with_another_id(good.clone()),
            false => Request::new(Method::DELETE, good.target.replace("EMPLOYEE", "COLLEAGUE")),
        };
        rows.extend([("404 API-7", unknown), ("412 API-412", good.if_match("\"1\""))]);
        return rows;
    }
    rows.extend([
        ("400 API-40", good.clone().body("{")),
        ("400 API-48", good.clone().body("[1]")),
        ("400 API-52", good.clone().json(&json!({}))),
        ("413 API-413", good.clone().body(format!("{{}}{}", " ".repeat(16 * 1024 * 1024)))),
        ("415 API-415", good.clone().header("content-type", CHECKS)),
    ]);
    let faults = if path.ends_with("documents") { document_faults() } else { image_faults() };
    rows.extend(faults.into_iter().map(|(refusal, body)| (refusal, good.clone().body(body))));
    rows
}

fn document_faults() -> Vec<(&'static str, String)> {
    let but = |member: &str, value: Value| with_member(new_document(), member, value).to_string();
    vec![
        ("400 API-46", but("content", Value::Null)),
        ("400 API-47", new_document().to_string().replacen('{', r#"{"name": "Other.txt","#, 1)),
        ("400 API-62", but("content", json!(base64(b"<html></html>")))),
        ("400 API-63", but("name", json!("../note.txt"))),
        ("400 API-66", but("categoryId", json!("NOTHING"))),
    ]
}

fn image_faults() -> Vec<(&'static str, String)> {
    vec![
        ("400 API-46", json!({"image": "no base64"}).to_string()),
        ("400 API-47", new_image().to_string().replacen('{', r#"{"image": "QUFB","#, 1)),
        ("400 API-62", json!({"image": base64(b"%PDF-1.7")}).to_string()),
    ]
}
