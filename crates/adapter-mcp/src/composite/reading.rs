//! Reading from the API for tools with several requests.

use payroll_ports::api_calls::{ApiCaller, ApiRequest};
use serde_json::Value;

use super::failure::ToolFailure;
use crate::result::masked_document;

/// Reads a JSON document of the API.
///
/// # Errors
/// The API rejects the request or does not respond.
pub(super) async fn get(api: &dyn ApiCaller, target: String) -> Result<Value, ToolFailure> {
    let headers = vec![("accept".to_owned(), "application/json".to_owned())];
    let response = api.call(ApiRequest { headers, ..ApiRequest::get(target) }).await?;
    if !response.is_success() {
        return Err(ToolFailure::Rejected(response));
    }
    Ok(masked_document(&response.body))
}

/// The elements of a response, or the object itself if it has no envelope.
pub(super) fn content(document: &Value) -> &[Value] {
    match document.get("content") {
        Some(Value::Array(elements)) => elements,
        Some(_) | None => std::slice::from_ref(document),
    }
}

/// A member as a text. A missing member is empty.
pub(super) fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}
