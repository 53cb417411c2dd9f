//! Reads documents from the API for composite tools.

use payroll_ports::api_calls::{ApiCaller, ApiRequest};
use serde_json::Value;

use super::failure::ToolFailure;
use crate::result::parse_masked_document;

/// Reads a JSON document of the API.
///
/// # Errors
/// [`ToolFailure`] if the API rejects the request or does not respond.
pub(super) async fn get_document(api: &dyn ApiCaller, target: String) -> Result<Value, ToolFailure> {
    let headers = vec![("accept".to_owned(), "application/json".to_owned())];
    let response = api.call(ApiRequest { headers, ..ApiRequest::get(target) }).await?;
    if !response.is_success() {
        return Err(ToolFailure::Rejected(response));
    }
    Ok(parse_masked_document(&response.body))
}

/// Returns the elements in the envelope of a response. Without an envelope, the document itself is the only
/// element.
pub(super) fn content_elements(document: &Value) -> &[Value] {
    match document.get("content") {
        Some(Value::Array(elements)) => elements,
        Some(_) | None => std::slice::from_ref(document),
    }
}

/// Returns a member as text. The result is empty if the member is missing or not a text.
pub(super) fn text_member<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}
