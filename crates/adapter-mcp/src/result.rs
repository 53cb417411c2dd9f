//! The results of tools. An error is also returned as a tool result, so that the model can read it and
//! correct its arguments.

use payroll_domain::account::AccountNumber;
use payroll_domain::tax_id::{LegalId, LegalIdType};
use payroll_ports::api_calls::ApiResponse;
use rmcp::model::CallToolResult;
use serde_json::{Map, Value, json};

/// A fault of the arguments that was found before a request was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgumentFault {
    /// The JSON Pointer to the argument.
    pub(crate) pointer: String,
    /// The sentence that describes the fault to the model.
    pub(crate) description: String,
}

impl ArgumentFault {
    /// Creates a fault of the argument with this name.
    pub(crate) fn new(argument: &str, description: impl Into<String>) -> Self {
        Self { pointer: format!("/{argument}"), description: description.into() }
    }
}

/// Returns the result for invalid arguments. No request was sent.
pub(crate) fn invalid_arguments(faults: &[ArgumentFault]) -> CallToolResult {
    let errors: Vec<Value> = faults
        .iter()
        .map(|fault| json!({"pointer": fault.pointer, "description": fault.description}))
        .collect();
    CallToolResult::structured_error(json!({"sent": false, "errors": errors}))
}

/// Returns the result for a tool call whose API request was not sent. The result contains the reason.
pub(crate) fn not_sent_result(reason: impl Into<String>) -> CallToolResult {
    CallToolResult::structured_error(json!({"sent": false, "errors": [{"description": reason.into()}]}))
}

/// Converts a response of the API to a tool result.
pub(crate) fn from_response(response: &ApiResponse, is_dry_run: bool) -> CallToolResult {
    if !response.is_success() {
        return CallToolResult::structured_error(error_content(response));
    }
    let mut result = Map::new();
    result.insert("status".to_owned(), response.status.into());
    if is_dry_run {
        result.insert("dryRun".to_owned(), true.into());
    }
    if let Some(etag) = response.header("etag") {
        result.insert("etag".to_owned(), etag.into());
    }
    if !response.body.is_empty() {
        result.insert("body".to_owned(), parse_masked_document(&response.body));
    }
    CallToolResult::structured(Value::Object(result))
}

/// Returns the content of an error result: the status, the errors with codes, pointers and resolutions, and
/// the time to wait before a retry. The pointers in the API's response refer to the request body. This
/// function changes them to refer to the argument `body`.
pub(crate) fn error_content(response: &ApiResponse) -> Value {
    let mut error = json!({"status": response.status, "errors": error_documents(response)});
    let seconds = response.header("retry-after").and_then(|text| text.parse::<u64>().ok());
    if let (Some(seconds), Some(members)) = (seconds, error.as_object_mut()) {
        members.insert("retryAfterSeconds".to_owned(), seconds.into());
    }
    error
}

/// Returns the errors of a response that is not a success.
fn error_documents(response: &ApiResponse) -> Value {
    let document = parse_document(&response.body);
    let Some(errors) = document.get("errors").and_then(Value::as_array) else {
        return json!([{"description": document}]);
    };
    let in_arguments = |error: &Value| {
        let mut error = error.clone();
        if let Some(Value::String(pointer)) = error.get_mut("pointer") {
            pointer.insert_str(0, "/body");
        }
        error
    };
    errors.iter().map(in_arguments).collect()
}

/// Parses a body as JSON. A body that is not JSON becomes a JSON string.
pub(crate) fn parse_document(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| String::from_utf8_lossy(body).into_owned().into())
}

/// Parses the body of a response, and masks account numbers and the tax IDs of persons. The masking does not
/// depend on the caller's permissions, because unmasked numbers must not get into the context of a model.
pub(crate) fn parse_masked_document(body: &[u8]) -> Value {
    let mut document = parse_document(body);
    mask_numbers(&mut document);
    document
}

/// Masks the tax ID in each object with `legalIdType` and `legalIdValue`, and each `accountNumber`.
fn mask_numbers(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(mask_numbers),
        Value::Object(members) => {
            let kind = members.get("legalIdType").and_then(Value::as_str).and_then(LegalIdType::parse);
            if let (Some(kind), Some(Value::String(digits))) = (kind, members.get_mut("legalIdValue"))
                && let Some(tax_id) = LegalId::parse(kind, digits)
            {
                *digits = tax_id.masked();
            }
            if let Some(Value::String(digits)) = members.get_mut("accountNumber")
                && let Some(account) = AccountNumber::parse(digits)
            {
                *digits = account.masked();
            }
            members.values_mut().for_each(mask_numbers);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, body: &str) -> ApiResponse {
        ApiResponse { status, headers: vec![("retry-after".into(), "7".into())], body: body.into() }
    }

    #[test]
    fn error_has_the_argument_pointer_and_the_retry_delay() {
        let errors = r#"{"errors":[{"code":"API-48","pointer":"/0/payPeriodId","description":"d"}]}"#;
        let result = from_response(&response(400, errors), false);
        assert_eq!(result.is_error, Some(true));
        let expected = json!({"status": 400, "retryAfterSeconds": 7,
            "errors": [{"code": "API-48", "pointer": "/body/0/payPeriodId", "description": "d"}]});
        assert_eq!(result.structured_content, Some(expected));
    }

    #[test]
    fn tax_ids_and_account_numbers_are_masked_at_any_depth() {
        let id = |kind: &str, value: &str| json!({"legalIdType": kind, "legalIdValue": value});
        let body = |ssn: &str, account: &str| {
            json!({"content": [{"legalId": id("SSN", ssn), "other": id("FEIN", "000000001"),
                "directDeposits": [{"accountNumber": account}]}]})
        };
        let masked = parse_masked_document(body("219099999", "1234567865").to_string().as_bytes());
        assert_eq!(masked, body("*****9999", "*****7865"));
        assert_eq!(parse_masked_document(masked.to_string().as_bytes()), masked);
    }

    #[test]
    fn response_without_json_is_returned_as_text() {
        let expected = json!({"status": 502, "retryAfterSeconds": 7, "errors": [{"description": "oh"}]});
        assert_eq!(error_content(&response(502, "oh")), expected);
    }
}
