//! The compiled schemas of a description: JSON Schema 2020-12, as in OpenAPI 3.1, with validation of formats.
//!
//! The compiled schemas reject members that are not described. In the description itself, such members are
//! allowed, so that generated clients accept members that are added later.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Registry, ValidationError, Validator};
use serde_json::{Value, json};

/// The URI by which a compiled schema refers to the description.
const DESCRIPTION_URI: &str = "urn:description";

/// Compiles the schemas of an OpenAPI description. Equal schemas are compiled only once.
pub(super) struct SchemaCompiler<'a> {
    description: Registry<'a>,
    /// The compiled schemas. The key is the JSON text of a schema.
    compiled: BTreeMap<String, Arc<Validator>>,
}

impl<'a> SchemaCompiler<'a> {
    /// Creates a compiler for a description. The compiled schemas reject members that are not described.
    pub(super) fn new(description: &'a Value) -> Self {
        let registry = Registry::new().add(DESCRIPTION_URI, description).expect("a name");
        Self { description: registry.prepare().expect("a description"), compiled: BTreeMap::new() }
    }

    /// Compiles a schema of the description.
    pub(super) fn compile_once(&mut self, schema: &Value) -> Arc<Validator> {
        let text = schema.to_string();
        if let Some(known) = self.compiled.get(&text) {
            return Arc::clone(known);
        }
        let new = Arc::new(self.compile(&text));
        self.compiled.insert(text, Arc::clone(&new));
        new
    }

    fn compile(&self, text: &str) -> Validator {
        // The schema is compiled separately from the description, so its references must be absolute.
        let absolute = text.replace(r##""$ref":"#"##, &format!(r##""$ref":"{DESCRIPTION_URI}#"##));
        let schema: Value = serde_json::from_str(&absolute).expect("it was JSON");
        let options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_registry(&self.description)
            .should_validate_formats(true)
            .should_ignore_unknown_formats(false);
        options.build(&schema).unwrap_or_else(|fault| panic!("{fault} in the schema {text}"))
    }
}

/// Returns the reasons why a value does not match a schema, each with a JSON Pointer.
pub(super) fn faults(schema: &Validator, value: &Value) -> Vec<String> {
    schema.iter_errors(value).flat_map(|error| schema_errors(&error)).collect()
}

/// Returns a violation as text. If a value matches none of several alternative schemas, the text contains the
/// violations of the closest schema.
fn schema_errors(error: &ValidationError<'_>) -> Vec<String> {
    let nearest = match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.iter().min_by_key(|branch| branch.len())
        }
        _ => None,
    };
    match nearest {
        Some(branch) => branch.iter().flat_map(schema_errors).collect(),
        None if error.instance_path().as_str().is_empty() => vec![format!(": {error}")],
        None => vec![format!(" {}: {error}", error.instance_path())],
    }
}

/// Forbids additional members in each object that lists its members.
pub(super) fn forbid_other_members(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(forbid_other_members),
        Value::Object(members) => {
            assert!(!members.contains_key("allOf"), "a part of `allOf` must not be closed by itself");
            if members.contains_key("properties") {
                members.entry("additionalProperties").or_insert_with(|| json!(false));
            }
            members.values_mut().for_each(forbid_other_members);
        }
        _ => {}
    }
}
