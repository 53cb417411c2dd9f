//! Executes one tool call as one request to the API.

use std::fmt::Write;

use payroll_ports::api_calls::{ApiCaller, ApiRequest};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::Value;

use crate::catalog::{ArgumentPosition, DEFAULT_LIMIT, ToolArgument, ToolOperation};
use crate::exact::{BODY_ARGUMENT, document_text};
use crate::result::{ArgumentFault, from_response, invalid_arguments, not_sent_result};

/// The name of the tool argument that must be `true` so that a tool stores anything.
const EXECUTE_ARGUMENT: &str = "execute";

/// Executes the operation of a tool. A failure is returned as a tool result, so that the model can read it.
pub(crate) async fn execute_tool(
    operation: &ToolOperation,
    arguments: &JsonObject,
    api: &dyn ApiCaller,
) -> CallToolResult {
    let execute = match read_execute_argument(operation, arguments) {
        Ok(execute) => execute,
        Err(fault) => return invalid_arguments(&[fault]),
    };
    let is_dry_run = !execute && !operation.is_read_only();
    let request = match build_request(operation, arguments, is_dry_run) {
        Ok(request) => request,
        Err(faults) => return invalid_arguments(&faults),
    };
    if is_dry_run && !operation.has_dry_run {
        return not_sent_result(format!(
            "{} has no dry run, so no request was sent. Call it again with `execute: true` to send this \
             request: {} {}",
            operation.tool.name, operation.method, request.target
        ));
    }
    match api.call(request).await {
        Ok(response) => from_response(&response, is_dry_run),
        Err(error) => unknown_outcome_result(operation, &error.to_string()),
    }
}

/// Returns the tool result for a request without a response. The API may have executed the request, so the
/// result of a change explains how to repeat the change safely.
fn unknown_outcome_result(operation: &ToolOperation, error: &str) -> CallToolResult {
    let advice = match operation.is_read_only() {
        true => "",
        false => {
            ". Check whether the change was stored before you retry, or retry with the same `idempotencyKey`"
        }
    };
    not_sent_result(format!("{error}{advice}"))
}

/// Returns the value of the argument `execute`, which is `false` if it is missing.
fn read_execute_argument(operation: &ToolOperation, arguments: &JsonObject) -> Result<bool, ArgumentFault> {
    match arguments.get(EXECUTE_ARGUMENT) {
        None => Ok(false),
        Some(Value::Bool(execute)) if !operation.is_read_only() => Ok(*execute),
        Some(_) if operation.is_read_only() => {
            Err(ArgumentFault::new(EXECUTE_ARGUMENT, "this tool only reads, so it has no argument execute"))
        }
        Some(_) => Err(ArgumentFault::new(EXECUTE_ARGUMENT, "execute must be true or false")),
    }
}

/// Builds the API request from the arguments of a call. Returns all faults if arguments are invalid.
pub(crate) fn build_request(
    operation: &ToolOperation,
    arguments: &JsonObject,
    is_dry_run: bool,
) -> Result<ApiRequest, Vec<ArgumentFault>> {
    let mut faults = unknown_arguments(operation, arguments);
    let mut path = operation.path.clone();
    let mut query = String::new();
    let mut headers = vec![("accept".to_owned(), operation.accept.clone())];
    for argument in &operation.arguments {
        match argument_values(argument, arguments) {
            Ok(values) => add_argument(argument, &values, is_dry_run, (&mut path, &mut query, &mut headers)),
            Err(fault) => faults.push(fault),
        }
    }
    if is_dry_run && operation.has_dry_run {
        add_query_parameter(&mut query, "dryrun", "true");
    }
    let body = match (&operation.body, arguments.get(BODY_ARGUMENT)) {
        (Some(body), Some(sent)) => {
            headers.push(("content-type".to_owned(), body.media_type.clone()));
            document_text(sent).as_bytes().to_vec()
        }
        (Some(body), None) if body.is_required => {
            faults.push(ArgumentFault::new(BODY_ARGUMENT, "the argument body is required"));
            Vec::new()
        }
        (Some(_) | None, _) => Vec::new(),
    };
    match faults.is_empty() {
        true => Ok(ApiRequest { method: operation.method.clone(), target: path + &query, headers, body }),
        false => Err(faults),
    }
}

/// Returns a fault for each argument that is unknown to the tool.
fn unknown_arguments(operation: &ToolOperation, arguments: &JsonObject) -> Vec<ArgumentFault> {
    let mut known: Vec<&str> = operation.arguments.iter().map(|it| it.name.as_str()).collect();
    known.extend(operation.body.as_ref().map(|_| BODY_ARGUMENT));
    known.extend((!operation.is_read_only()).then_some(EXECUTE_ARGUMENT));
    let unknown = arguments.keys().filter(|name| !known.contains(&name.as_str()));
    unknown
        .map(|name| {
            let description =
                format!("the tool has no such argument. Its arguments are: {}", known.join(", "));
            ArgumentFault::new(name, description)
        })
        .collect()
}

/// Returns the values of an argument as texts, as they are sent in the path, the query or a header.
fn argument_values(argument: &ToolArgument, arguments: &JsonObject) -> Result<Vec<String>, ArgumentFault> {
    let fault = |description: &str| Err(ArgumentFault::new(&argument.name, description));
    let sent = match arguments.get(&argument.name) {
        None | Some(Value::Null) if argument.is_required => return fault("the argument is required"),
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(elements)) if argument.position == ArgumentPosition::Query => elements.as_slice(),
        Some(value) => std::slice::from_ref(value),
    };
    let texts: Option<Vec<_>> = sent.iter().map(scalar_text).collect();
    match texts {
        None => fault("the argument must be a text, a number, true or false"),
        Some(texts)
            if argument.position == ArgumentPosition::Path && !texts.iter().all(|it| is_path_segment(it)) =>
        {
            fault("the argument must be an id")
        }
        Some(texts)
            if argument.position == ArgumentPosition::Header
                && !texts.iter().all(|it| is_visible_ascii(it)) =>
        {
            fault("the argument must contain only visible ASCII characters")
        }
        Some(texts) => Ok(texts),
    }
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns whether a text can be a path segment. `.` and `..` are rejected, because HTTP clients remove them
/// from paths.
fn is_path_segment(text: &str) -> bool {
    !text.is_empty() && text != "." && text != ".."
}

fn is_visible_ascii(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
}

/// The parts of a request that arguments fill: path, query and headers.
type RequestParts<'p> = (&'p mut String, &'p mut String, &'p mut Vec<(String, String)>);

/// Adds the values of a tool argument to the path, the query or the headers of the request.
fn add_argument(
    argument: &ToolArgument,
    values: &[String],
    is_dry_run: bool,
    (path, query, headers): RequestParts<'_>,
) {
    let parameter = argument.parameter.as_str();
    match argument.position {
        ArgumentPosition::Path => {
            if let Some(value) = values.first() {
                *path = path.replace(&format!("{{{parameter}}}"), &percent_encode(value));
            }
        }
        ArgumentPosition::Query if values.is_empty() && parameter == "limit" => {
            add_query_parameter(query, parameter, &DEFAULT_LIMIT.to_string());
        }
        ArgumentPosition::Query => {
            values.iter().for_each(|value| add_query_parameter(query, parameter, value))
        }
        // A dry run is sent without the idempotency key. If the dry run used the key, the API would reject
        // the real request, because a key belongs to one request.
        ArgumentPosition::Header if is_dry_run && parameter == "Idempotency-Key" => {}
        ArgumentPosition::Header => {
            headers.extend(values.first().map(|value| (parameter.to_ascii_lowercase(), value.clone())));
        }
    }
}

/// Adds a parameter to a query.
pub(crate) fn add_query_parameter(query: &mut String, name: &str, value: &str) {
    query.push(if query.is_empty() { '?' } else { '&' });
    // The result is ignored, because writing to a string cannot fail.
    let _ = write!(query, "{name}={}", percent_encode(value));
}

/// Encodes a text with percent-encoding, for a path or a query.
pub(crate) fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // The result is ignored, because writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::tests::catalog;
    use crate::side::Api;

    fn build_test_request(
        side: Api,
        tool: &str,
        arguments: Value,
        is_dry_run: bool,
    ) -> Result<ApiRequest, Vec<ArgumentFault>> {
        let catalog = catalog(side);
        build_request(catalog.operation(tool).unwrap(), arguments.as_object().unwrap(), is_dry_run)
    }

    #[test]
    fn arguments_are_sent_in_path_query_headers_and_body() {
        let arguments = json!({"companyId": "A B", "idempotencyKey": "k", "body": r#"[{"workerId":"W"}]"#});
        let sent = build_test_request(Api::Partner, "addChecks", arguments.clone(), false).unwrap();
        assert_eq!((sent.method.as_str(), sent.target.as_str()), ("POST", "/companies/A%20B/checks"));
        assert!(sent.headers.contains(&("idempotency-key".to_owned(), "k".to_owned())));
        let media_type = "application/vnd.vendor.payroll.checks.v1+json";
        assert!(sent.headers.contains(&("content-type".to_owned(), media_type.to_owned())));
        assert_eq!(sent.body, br#"[{"workerId":"W"}]"#);
        let dry = build_test_request(Api::Partner, "addChecks", arguments, true).unwrap();
        assert_eq!(dry.target, "/companies/A%20B/checks?dryrun=true");
        assert!(!dry.headers.iter().any(|(name, _)| name == "idempotency-key"));
    }

    #[test]
    fn list_arguments_are_repeated_and_pages_have_a_limit() {
        let arguments = json!({"companyId": "C", "status": ["ACTIVE", "PENDING"]});
        let sent = build_test_request(Api::Partner, "listWorkers", arguments, false).unwrap();
        assert_eq!(sent.target, "/companies/C/workers?status=ACTIVE&status=PENDING&limit=50");
    }

    #[test]
    fn all_faults_of_the_arguments_are_reported_together() {
        let arguments = json!({"companyId": "..", "workerid": 1, "idempotencyKey": {}});
        let Err(faults) = build_test_request(Api::Partner, "addChecks", arguments, false) else {
            panic!("faults")
        };
        let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(pointers, ["/workerid", "/companyId", "/idempotencyKey", "/body"]);
    }
}
