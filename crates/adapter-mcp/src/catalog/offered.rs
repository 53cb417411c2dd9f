//! The operations that are offered as tools.

use serde_json::Value;

/// Substrings of paths whose operations are never tools: tokens, and sessions of browsers.
const EXCLUDED_PATHS: [&str; 2] = ["/auth/", "/sessions"];

/// Substrings of paths whose writing operations are never tools. Such operations return or delete
/// credentials, or return unmasked tax IDs, which must not get into the context of a model. A new operator
/// key would also let one person approve their own request.
const READ_ONLY_PATHS: [&str; 4] = ["/operator/v1/keys", "secret", "/reveal-taxid", "/sandbox/reset"];

/// The paths whose POST returns a new secret: of an application or of a hook. The POST of a hook also
/// contains credentials.
const PATHS_WITH_NEW_SECRETS: [&str; 2] = ["/operator/v1/applications", "/management/hooks"];

/// Whether the operation is a tool.
pub(super) fn is_offered(path: &str, method: &str, methods: &Value, operation: &Value) -> bool {
    if operation.get("operationId").is_none() || EXCLUDED_PATHS.iter().any(|part| path.contains(part)) {
        return false;
    }
    if method != "get" && READ_ONLY_PATHS.iter().any(|part| path.contains(part)) {
        return false;
    }
    // A PUT is not offered if there is a PATCH. PATCH can make the same changes, and members that a model
    // omits remain unchanged.
    let is_repeated = method == "put" && methods.get("patch").is_some();
    let has_new_secret = method == "post" && PATHS_WITH_NEW_SECRETS.contains(&path);
    !has_new_secret && !is_repeated && accepts_json(operation) && returns_json(operation)
}

/// Whether the operation has no body, or accepts a JSON body.
fn accepts_json(operation: &Value) -> bool {
    match operation.pointer("/requestBody/content").and_then(Value::as_object) {
        Some(content) => content.keys().any(|it| is_json(it)),
        None => true,
    }
}

/// Whether every success of the operation has a JSON body or no body.
fn returns_json(operation: &Value) -> bool {
    let responses = operation.get("responses").and_then(Value::as_object);
    let successes = responses.into_iter().flatten().filter(|(status, _)| status.starts_with('2'));
    let contents = successes.filter_map(|(_, response)| response.get("content")?.as_object());
    contents.into_iter().all(|content| content.keys().any(|it| is_json(it)))
}

/// Returns whether a media type is a JSON document. NDJSON does not count, because it contains several
/// documents.
pub(super) fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.ends_with("+json")
}
