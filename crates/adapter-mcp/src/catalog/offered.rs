//! The operations that are offered as tools.

use serde_json::{Map, Value};

use super::schema::Schemas;

/// Substrings of paths whose operations are never tools: tokens, and sessions of browsers.
const EXCLUDED_PATHS: [&str; 2] = ["/auth/", "/sessions"];

/// Substrings of paths whose writing operations are never tools. Some of these operations return credentials
/// or unmasked tax IDs, which must not get into the context of a model. Others delete credentials or all
/// data. With a new operator key, one person could also approve their own request.
const READ_ONLY_PATHS: [&str; 4] = ["/operator/v1/keys", "secret", "/reveal-taxid", "/sandbox/reset"];

/// The paths whose POST operation returns a new secret of an application or of a hook. The request body for a
/// hook also contains credentials.
const PATHS_WITH_NEW_SECRETS: [&str; 2] = ["/operator/v1/applications", "/management/hooks"];

/// Returns whether the operation is offered as a tool. `schemas` contains the schemas of the API description.
pub(super) fn is_offered(
    (path, method): (&str, &str),
    methods: &Value,
    operation: &Value,
    schemas: &Schemas<'_>,
) -> bool {
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
    !has_new_secret
        && !is_repeated
        && accepts_json(operation)
        && returns_json(operation)
        && !returns_file(operation, schemas)
}

/// Returns whether the operation has no body, or accepts a JSON body.
fn accepts_json(operation: &Value) -> bool {
    match operation.pointer("/requestBody/content").and_then(Value::as_object) {
        Some(content) => content.keys().any(|it| is_json(it)),
        None => true,
    }
}

/// Returns whether every successful response of the operation has a JSON body or no body.
fn returns_json(operation: &Value) -> bool {
    success_contents(operation).all(|content| content.keys().any(|it| is_json(it)))
}

/// Returns whether a successful response of the operation contains a file in base64. A model cannot use
/// base64, and the text would fill the context of the model.
fn returns_file(operation: &Value, schemas: &Schemas<'_>) -> bool {
    success_contents(operation).flatten().any(|(media_type, content)| {
        let root = Map::from_iter([(media_type.clone(), content.clone())]);
        schemas.with_definitions(root, usize::MAX).values().any(has_encoded_member)
    })
}

/// Returns whether a schema declares a text that contains encoded bytes.
fn has_encoded_member(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("contentEncoding") || members.values().any(has_encoded_member)
        }
        Value::Array(elements) => elements.iter().any(has_encoded_member),
        _ => false,
    }
}

/// Returns the `content` objects of all successful responses, which map media types to schemas.
fn success_contents(operation: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let responses = operation.get("responses").and_then(Value::as_object);
    let successes = responses.into_iter().flatten().filter(|(status, _)| status.starts_with('2'));
    successes.filter_map(|(_, response)| response.get("content")?.as_object())
}

/// Returns whether a media type is a JSON document. NDJSON does not count, because it contains several
/// documents.
pub(super) fn is_json(media_type: &str) -> bool {
    media_type == "application/json" || media_type.ends_with("+json")
}
