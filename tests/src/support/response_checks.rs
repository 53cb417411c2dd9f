//! The guarantees that every response fulfills. The test client verifies these guarantees for each response.
//! Every test therefore also tests the envelope, the request id and the documented statuses.

use serde_json::Value;

use super::request::Request;
use super::response::Response;
use crate::operations::{JSON, Operation, ResponseShape};

/// The codes without a `resolution` (§4.1).
const CODES_WITHOUT_RESOLUTION: &[&str] = &["API-59", "API-44"];

/// Verifies that the response fulfills the guarantees of every response.
///
/// # Panics
/// The response violates one of the guarantees.
pub(crate) fn check_response(request: &Request, response: &Response) {
    let faults = find_faults(request, response);
    assert!(faults.is_empty(), "{faults:#?} in the answer to {request:?}:\n{response:?}");
}

fn find_faults(request: &Request, response: &Response) -> Vec<String> {
    let mut faults = Vec::new();
    if response.header("x-vendor-txid").is_empty() {
        faults.push("no request id".to_owned());
    }
    if response.header("x-content-type-options") != "nosniff" {
        faults.push("browsers may guess what it is".to_owned());
    }
    if request.is_for_operator_api()
        && response.status < 400
        && response.header("cache-control") != "no-store"
    {
        faults.push("an operator's response may be stored by caches".to_owned());
    }
    if let Some(operation) = Operation::find(request.method.as_str(), request.path()) {
        faults.extend(operation_faults(operation, request, response));
    }
    if request.is_for_operator_api() && response.status < 300 && response.header("content-type") == JSON {
        faults.extend(envelope_faults(response));
    }
    let converting = response.status == 409 && response.body.is_empty() && request.method == "GET";
    let bodiless = request.method == "HEAD" || converting || matches!(response.status, 204 | 304);
    if bodiless && !response.body.is_empty() {
        faults.push("a body where there is none".to_owned());
    }
    if response.status >= 400 && !bodiless {
        faults.extend(error_faults(request, response));
    }
    faults
}

fn operation_faults(operation: &Operation, request: &Request, response: &Response) -> Vec<String> {
    let mut faults = Vec::new();
    if !operation.can_return_status(response.status) {
        faults.push(format!("{} is not in the list of the operation", response.status));
    }
    let shows = response.is_success() || response.status == 304;
    if shows && operation.is_personal() && response.header("cache-control") != "no-store" {
        faults.push("what concerns persons may be kept on the way".to_owned());
    }
    let enveloped = matches!(operation.shape, ResponseShape::Collection | ResponseShape::Content);
    if response.is_success() && request.method != "HEAD" && enveloped {
        if response.json().get("metadata").is_some() != (operation.shape == ResponseShape::Collection) {
            faults.push("metadata stands where it must not, or does not where it must".to_owned());
        }
        faults.extend(envelope_faults(response));
    }
    let typed = response.is_success() && operation.shape != ResponseShape::Nothing;
    if typed && !operation.media_types.contains(&response.header("content-type")) {
        faults.push(format!("not one of the operation's media types: {}", response.header("content-type")));
    }
    faults
}

/// Returns the violations of the envelope of a success (§2.1).
fn envelope_faults(response: &Response) -> Option<String> {
    let members = response.json();
    let whole = members["content"].is_array() && members["links"].is_array();
    (!whole).then(|| "content and links are not arrays".to_owned())
}

/// Returns the violations of the error envelope (§4.1). The token operation adds two members (§5.3).
fn error_faults(request: &Request, response: &Response) -> Vec<String> {
    let body = response.json();
    let members: Vec<&String> = body.as_object().expect("an object").keys().collect();
    let of_the_token = request.path() == "/auth/oauth/v2/token" && body.get("error").is_some();
    let expected: &[&str] =
        if of_the_token { &["error", "error_description", "errors"] } else { &["errors"] };
    let mut faults = Vec::new();
    if response.header("content-type") != "application/json" {
        faults.push(format!("an error as {}", response.header("content-type")));
    }
    if members != expected {
        faults.push(format!("the members of an error are {members:?}"));
    }
    let errors = body["errors"].as_array().cloned().unwrap_or_default();
    if errors.is_empty() {
        faults.push("an error without an error".to_owned());
    }
    faults.extend(errors.iter().filter(|error| !is_well_formed(error)).map(|error| format!("{error}")));
    faults
}

fn is_well_formed(error: &Value) -> bool {
    const ERROR_MEMBERS: &[&str] = &["code", "description", "resolution", "pointer", "correlationId"];
    let code = error["code"].as_str().unwrap_or_default();
    let number = code.strip_prefix("API-").unwrap_or_default();
    let known =
        error.as_object().is_some_and(|it| it.keys().all(|key| ERROR_MEMBERS.contains(&key.as_str())));
    let reported = |member: &str| error[member].as_str().is_some_and(|text| !text.is_empty());
    known
        && number.parse::<u16>().is_ok()
        && reported("description")
        && reported("resolution") != CODES_WITHOUT_RESOLUTION.contains(&code)
}
