//! Builds self-contained schemas, which include all definitions to which they refer.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

/// The prefix of references in the API description.
const COMPONENTS_PREFIX: &str = "#/components/schemas/";

/// The prefix of references in the schema of a tool.
const DEFINITIONS_PREFIX: &str = "#/$defs/";

/// The maximum length of a regular expression in a schema. Longer patterns, for example for dates, are
/// removed, because models do not use such patterns.
const MAX_PATTERN_LENGTH: usize = 100;

/// The schemas of an API description.
pub(crate) struct Schemas<'d> {
    schemas: &'d Map<String, Value>,
}

impl<'d> Schemas<'d> {
    pub(crate) const fn new(schemas: &'d Map<String, Value>) -> Self {
        Self { schemas }
    }

    /// Returns the schema with the definitions that it needs, up to a total of `max_bytes`. Definitions
    /// beyond this limit are shortened. A shortened definition refers to an MCP resource that contains the
    /// complete schema.
    pub(crate) fn with_definitions(
        &self,
        mut root: Map<String, Value>,
        max_bytes: usize,
    ) -> Map<String, Value> {
        let mut pending = VecDeque::new();
        root.values_mut().for_each(|value| rewrite_references(value, &mut pending));
        let mut definitions = Map::new();
        let mut bytes = 0_usize;
        while let Some(name) = pending.pop_front() {
            if definitions.contains_key(&name) {
                continue;
            }
            let mut definition = self.schemas.get(&name).cloned().unwrap_or_default();
            let mut further = VecDeque::new();
            rewrite_references(&mut definition, &mut further);
            let length = definition.to_string().len();
            if bytes.saturating_add(length) > max_bytes {
                definition = shorten_definition(&name, &definition);
            } else {
                bytes += length;
                pending.extend(further);
            }
            definitions.insert(name, definition);
        }
        if !definitions.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
        root
    }
}

/// Returns a shortened definition, which omits the members of the object.
fn shorten_definition(name: &str, definition: &Value) -> Value {
    let about = definition.get("description").and_then(Value::as_str).unwrap_or_default();
    let description = format!("{about} The resource payroll://schemas/{name} has the complete schema.");
    let mut short = json!({"description": description.trim_start()});
    if let (Some(kind), Some(members)) = (definition.get("type"), short.as_object_mut()) {
        members.insert("type".to_owned(), kind.clone());
    }
    short
}

/// Changes references to schemas of the API description into references to definitions of the tool. Adds the
/// names of the referenced schemas to `names`.
fn rewrite_references(value: &mut Value, names: &mut VecDeque<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(name) = reference.strip_prefix(COMPONENTS_PREFIX).map(str::to_owned)
            {
                *reference = format!("{DEFINITIONS_PREFIX}{name}");
                names.push_back(name);
            }
            let is_long = |pattern: &Value| pattern.as_str().is_some_and(|it| it.len() > MAX_PATTERN_LENGTH);
            if members.get("pattern").is_some_and(is_long) {
                members.remove("pattern");
            }
            members.values_mut().for_each(|member| rewrite_references(member, names));
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| rewrite_references(element, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemas() -> Map<String, Value> {
        let long = "x".repeat(MAX_PATTERN_LENGTH + 1);
        let all = json!({
            "A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}},
            "B": {"description": "A part.", "type": "object", "properties": {"d": {"pattern": long}}},
        });
        all.as_object().unwrap().clone()
    }

    fn root_schema() -> Map<String, Value> {
        json!({"properties": {"a": {"$ref": "#/components/schemas/A"}}}).as_object().unwrap().clone()
    }

    #[test]
    fn schema_contains_its_referenced_definitions() {
        let complete = Value::Object(Schemas::new(&schemas()).with_definitions(root_schema(), usize::MAX));
        assert_eq!(complete["properties"]["a"]["$ref"], "#/$defs/A");
        assert_eq!(complete["$defs"]["A"]["properties"]["b"]["$ref"], "#/$defs/B");
        assert_eq!(complete["$defs"]["B"]["properties"]["d"], json!({}));
    }

    #[test]
    fn definitions_over_the_size_limit_become_references() {
        let complete = Value::Object(Schemas::new(&schemas()).with_definitions(root_schema(), 60));
        let short = json!({"type": "object",
            "description": "A part. The resource payroll://schemas/B has the complete schema."});
        assert_eq!(complete["$defs"]["B"], short);
    }
}
