//! The operations and webhooks of a description, with their responses, media types and headers. References
//! are resolved, except for references between schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::schemas::SchemaCompiler;
use crate::operations::JSON;

/// The methods that the API descriptions use. Other members of a path, such as parameters, are not
/// operations.
const HTTP_METHODS: &[&str] = &["delete", "get", "patch", "post", "put"];

/// Media types with their schemas.
pub(super) type ContentSchemas = BTreeMap<String, Arc<Validator>>;

/// An operation and its responses.
pub(super) struct Operation {
    method: String,
    /// The path with parameter names in braces.
    pub(super) path: String,
    pub(super) responses: BTreeMap<u16, DescribedResponse>,
}

/// A response in the description: the schemas of its bodies, its required headers, and its error codes.
pub(super) struct DescribedResponse {
    pub(super) content: ContentSchemas,
    pub(super) headers: Vec<String>,
    /// The error codes that the response may contain, as listed in its examples.
    pub(super) codes: BTreeSet<String>,
}

/// A notification that the server sends.
pub(super) struct Webhook {
    pub(super) name: String,
    pub(super) method: String,
    pub(super) content: ContentSchemas,
    /// The headers that are always present.
    pub(super) headers: Vec<String>,
}

impl Operation {
    /// Returns the operation of a method and a path without query. HEAD counts as GET. If two paths match,
    /// the one with fewer parameters wins, as in OpenAPI.
    pub(super) fn find<'a>(all: &'a [Self], method: &str, path: &str) -> Option<&'a Self> {
        let method = if method == "HEAD" { "GET" } else { method };
        let fitting = all.iter().filter(|it| it.method == method && it.matches_path(path));
        fitting.min_by_key(|it| it.path.matches('{').count())
    }

    fn matches_path(&self, path: &str) -> bool {
        let (mut template_segments, mut given) = (self.path.split('/'), path.split('/'));
        loop {
            match (template_segments.next(), given.next()) {
                (None, None) => return true,
                (Some(segment), Some(id)) if segment.starts_with('{') && !id.is_empty() => {}
                (Some(segment), Some(given)) if segment == given => {}
                _ => return false,
            }
        }
    }
}

/// Reads the operations of a description.
pub(super) fn operations(document: &Value, compiler: &mut SchemaCompiler<'_>) -> Vec<Operation> {
    let mut operations = Vec::new();
    for (path, members) in members(&document["paths"]) {
        for (method, operation) in method_members(members) {
            let responses = members_of_child(operation, "responses");
            let responses = responses.map(|(status, response)| {
                let status = status.parse().expect("each status is described by itself");
                (status, described_response(document, resolved_reference(document, response), compiler))
            });
            let mut responses: BTreeMap<u16, DescribedResponse> = responses.collect();
            // A 207 response contains rejected elements, so it can have all codes of a 400 response.
            let codes = responses.get(&400).map(|response| response.codes.clone());
            if let (Some(codes), Some(in_part)) = (codes, responses.get_mut(&207)) {
                in_part.codes = codes;
            }
            operations.push(Operation { method: method.to_uppercase(), path: path.clone(), responses });
        }
    }
    operations
}

/// Reads the webhooks of a description.
pub(super) fn webhooks(document: &Value, compiler: &mut SchemaCompiler<'_>) -> Vec<Webhook> {
    let mut webhooks = Vec::new();
    for (name, members) in members(&document["webhooks"]) {
        for (method, webhook) in method_members(members) {
            let parameters = webhook["parameters"].as_array().into_iter().flatten();
            let headers = parameters.filter(|it| it["in"] == "header" && it["required"] == true);
            webhooks.push(Webhook {
                name: name.clone(),
                method: method.to_uppercase(),
                content: content_schemas(&webhook["requestBody"], compiler),
                headers: headers.filter_map(|it| it["name"].as_str()).map(str::to_owned).collect(),
            });
        }
    }
    webhooks
}

/// Returns all examples of bodies in a description. Each example has a pointer, its schema and its value.
pub(super) fn examples(document: &Value) -> Vec<(String, &Value, &Value)> {
    let mut found = Vec::new();
    for (path, operations) in members(&document["paths"]) {
        for (method, operation) in method_members(operations) {
            let responses = members_of_child(operation, "responses");
            let responses =
                responses.map(|(status, response)| (status.as_str(), resolved_reference(document, response)));
            for (status, body) in responses.chain([("request", &operation["requestBody"])]) {
                for (media_type, content) in members_of_child(body, "content") {
                    for (_, example) in members_of_child(content, "examples") {
                        let at = format!("{method} {path} {status} {media_type}");
                        found.push((at, &content["schema"], &resolved_reference(document, example)["value"]));
                    }
                }
            }
        }
    }
    found
}

fn described_response(
    document: &Value,
    response: &Value,
    compiler: &mut SchemaCompiler<'_>,
) -> DescribedResponse {
    let headers = members_of_child(response, "headers");
    let headers = headers.filter(|(_, header)| resolved_reference(document, header)["required"] == true);
    DescribedResponse {
        content: content_schemas(response, compiler),
        headers: headers.map(|(name, _)| name.clone()).collect(),
        codes: error_codes_of_examples(document, response),
    }
}

fn error_codes_of_examples(document: &Value, response: &Value) -> BTreeSet<String> {
    let examples =
        members_of_child(response, "content").flat_map(|(_, media)| members_of_child(media, "examples"));
    let values = examples.map(|(_, example)| &resolved_reference(document, example)["value"]);
    let errors = values.flat_map(|value| value["errors"].as_array().into_iter().flatten());
    errors.filter_map(|error| error["code"].as_str()).map(str::to_owned).collect()
}

fn content_schemas(holder: &Value, compiler: &mut SchemaCompiler<'_>) -> ContentSchemas {
    let content = members_of_child(holder, "content");
    let strict =
        content.map(|(media_type, it)| (media_type, strict_schema(media_type, &it["schema"], holder)));
    strict.map(|(media_type, schema)| (media_type.clone(), compiler.compile_once(&schema))).collect()
}

/// Returns the schema for a media type. The description has only one schema for plain JSON. A plain JSON body
/// must therefore also match the schema of one of the vendor types.
fn strict_schema(media_type: &str, schema: &Value, holder: &Value) -> Value {
    let others = members_of_child(holder, "content").filter(|(name, _)| name.ends_with("+json"));
    let others: Vec<&Value> = others.map(|(_, other)| &other["schema"]).collect();
    if media_type != JSON || others.is_empty() {
        return schema.clone();
    }
    json!({"allOf": [schema, {"anyOf": others}]})
}

/// Returns the value to which a reference (`$ref`) in the description leads, or the value itself.
fn resolved_reference<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let Some(reference) = value["$ref"].as_str() else { return value };
    let pointer = reference.strip_prefix('#').expect("a reference stays in the description");
    document.pointer(pointer).unwrap_or_else(|| panic!("{reference} leads nowhere"))
}

fn method_members(path: &Value) -> impl Iterator<Item = (&String, &Value)> {
    members(path).filter(|(name, _)| HTTP_METHODS.contains(&name.as_str()))
}

fn members_of_child<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    members(&value[member])
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
