//! Parses messages. The MCP library reports a known method with invalid parameters as an unknown method, and
//! it ignores text that is not JSON. This module therefore validates each message before the library handles
//! it.

use std::borrow::Cow;

use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, CustomRequest, ErrorCode,
    GetPromptRequestParams, InitializeRequestParams, JsonRpcMessage, ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::exact::{DuplicateMember, documents_to_strings};

/// The maximum bytes of a message. The largest document that the API accepts has 10 MiB, which are 13.4 MiB
/// in base64. The listener has its own limit, which is usually lower.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// The bytes of a byte order mark, which some clients send before the text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The methods whose parameters may all be omitted.
const METHODS_WITHOUT_REQUIRED_PARAMS: [&str; 6] =
    ["ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover"];

/// The reason why a message is rejected, for a JSON-RPC error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageFault {
    pub(crate) code: ErrorCode,
    message: String,
    /// The id of the request, or null if the message has no valid id.
    id: Value,
}

impl MessageFault {
    /// Creates the fault of a message that is too large.
    pub(crate) fn too_large() -> Self {
        let mib = MAX_MESSAGE_BYTES / 1024 / 1024;
        let message = format!("the message is larger than {mib} MiB");
        Self { code: ErrorCode::INVALID_REQUEST, message, id: Value::Null }
    }

    /// Returns the JSON-RPC response for this fault.
    pub(crate) fn to_response(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.message}})
    }
}

/// Returns the text of a client's MCP message with its documents as JSON strings ([`documents_to_strings`]).
///
/// # Errors
/// The fault if a member occurs more than once.
pub(crate) fn prepare_message(text: &[u8]) -> Result<Cow<'_, [u8]>, MessageFault> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let Ok(message) = std::str::from_utf8(text) else { return Ok(text.into()) };
    match documents_to_strings(message) {
        Ok(quoted) => Ok(quoted.map_or(Cow::Borrowed(text), |it| it.into_bytes().into())),
        Err(DuplicateMember(name)) => {
            let message = format!("the member {name} occurs more than once in an object of the message");
            Err(MessageFault { code: ErrorCode::INVALID_REQUEST, message, id: message_id(text) })
        }
    }
}

/// Parses one MCP message of a client, which [`prepare_message`] has prepared.
///
/// # Errors
/// The fault if the text is not JSON or not a JSON-RPC message, or if the parameters do not fit the method.
pub(crate) fn parse_message(text: &[u8]) -> Result<ClientJsonRpcMessage, MessageFault> {
    match serde_json::from_slice::<ClientJsonRpcMessage>(text) {
        Ok(JsonRpcMessage::Request(request)) => match &request.request {
            ClientRequest::CustomRequest(custom) => match describe_params_fault(custom) {
                Some(message) => {
                    let id = request.id.clone().into_json_value();
                    Err(MessageFault { code: ErrorCode::INVALID_PARAMS, message, id })
                }
                None => Ok(JsonRpcMessage::Request(request)),
            },
            _ => Ok(JsonRpcMessage::Request(request)),
        },
        Ok(message) => Ok(message),
        Err(_) => Err(malformed_message(text)),
    }
}

/// Returns the id of a message, or null if it has no valid id.
fn valid_id(document: &Value) -> Value {
    let id = document.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64());
    id.cloned().unwrap_or_default()
}

fn message_id(text: &[u8]) -> Value {
    serde_json::from_slice(text).map_or(Value::Null, |document| valid_id(&document))
}

/// Returns the fault of a text that is not a message.
fn malformed_message(text: &[u8]) -> MessageFault {
    let Ok(document) = serde_json::from_slice::<Value>(text) else {
        let message = "the message is not valid JSON in UTF-8".to_owned();
        return MessageFault { code: ErrorCode::PARSE_ERROR, message, id: Value::Null };
    };
    let id = valid_id(&document);
    if document.get("params").is_some_and(|params| !params.is_object()) && document.get("method").is_some() {
        let message = "the member params must be an object".to_owned();
        return MessageFault { code: ErrorCode::INVALID_PARAMS, message, id };
    }
    let message =
        "the message must be one request, notification or response of JSON-RPC 2.0, not a batch".to_owned();
    MessageFault { code: ErrorCode::INVALID_REQUEST, message, id }
}

/// Returns a description of the fault in the parameters of a request that the library could not parse.
/// Returns `None` if this server does not have the method.
fn describe_params_fault(request: &CustomRequest) -> Option<String> {
    let params = request.params.clone().unwrap_or_else(|| json!({}));
    let detail = match request.method.as_str() {
        "initialize" => describe_parse_fault::<InitializeRequestParams>(params),
        "tools/call" => describe_parse_fault::<CallToolRequestParams>(params),
        "prompts/get" => describe_parse_fault::<GetPromptRequestParams>(params),
        "resources/read" => describe_parse_fault::<ReadResourceRequestParams>(params),
        method if METHODS_WITHOUT_REQUIRED_PARAMS.contains(&method) => {
            "they must be an object with the parameters of this method".to_owned()
        }
        _ => return None,
    };
    Some(format!("the params of {} are invalid: {detail}", request.method))
}

/// Returns the reason why the parameters of a message cannot be parsed as the type `T`.
fn describe_parse_fault<T: DeserializeOwned>(params: Value) -> String {
    match serde_json::from_value::<T>(params) {
        Err(error) => error.to_string(),
        Ok(_) => "a member has a wrong type".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the code and the id of the response to a message. `None` if the message is accepted.
    fn response_error(text: &str) -> Option<(i64, Value)> {
        let prepared = prepare_message(text.as_bytes());
        let response = prepared.and_then(|text| parse_message(&text)).err()?.to_response();
        Some((response["error"]["code"].as_i64().unwrap(), response["id"].clone()))
    }

    #[test]
    fn malformed_message_gets_a_protocol_error_with_its_id() {
        for (text, code, id) in [
            ("{", -32700, Value::Null),
            ("7", -32600, Value::Null),
            ("{}", -32600, Value::Null),
            ("[]", -32600, Value::Null),
            (r#"{"jsonrpc":"2.0","id":2}"#, -32600, json!(2)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, Value::Null),
            (r#"{"jsonrpc":"2.0","method":7,"id":"a"}"#, -32600, json!("a")),
            (r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":[1]}"#, -32602, json!(3)),
            (r#"{"jsonrpc":"2.0","id":4,"method":"ping","method":"tools/list"}"#, -32600, json!(4)),
        ] {
            assert_eq!(response_error(text), Some((code, id)), "{text}");
        }
        assert!(parse_message(b"\"\xff\"").is_err());
    }

    #[test]
    fn invalid_params_of_a_known_method_are_reported_as_such() {
        for (method, params) in [
            ("tools/call", json!({})),
            ("tools/call", json!({"name": "listCompanies", "arguments": "x"})),
            ("initialize", json!({})),
            ("prompts/get", json!({})),
            ("resources/read", json!({})),
        ] {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            assert_eq!(response_error(&message.to_string()), Some((-32602, json!(1))), "{message}");
        }
        for method in ["initialize", "tools/call", "prompts/get", "resources/read"] {
            let message = json!({"jsonrpc": "2.0", "id": 1, "method": method});
            assert_eq!(response_error(&message.to_string()), Some((-32602, json!(1))), "{message}");
        }
    }

    #[test]
    fn valid_messages_and_unknown_methods_are_left_to_the_library() {
        for text in [
            r#"{"jsonrpc":"2.0","method":"tools/list","id":1}"#,
            r#"{"jsonrpc":"2.0","method":"no/such","id":1}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","id":1,"params":{"name":"x"}}"#,
        ] {
            assert_eq!(response_error(text), None, "{text}");
        }
        assert_eq!(response_error("\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}"), None);
    }
}
