//! The schemas of a description, compiled: JSON Schema 2020-12, as OpenAPI 3.1 has it, with its
//! formats asserted.
//!
//! Objects are closed here. The description leaves them open, because clients that were made from it
//! have to go on working when a member comes; but a member that comes has to be described.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Registry, ValidationError, Validator};
use serde_json::{Value, json};

/// What the description is called among the schemas that refer to it.
const DESCRIPTION: &str = "urn:description";

/// Compiles the schemas of a description, each once.
pub(super) struct Compiler<'a> {
    description: Registry<'a>,
    /// The compiled schemas by their text.
    compiled: BTreeMap<String, Arc<Validator>>,
}

impl<'a> Compiler<'a> {
    /// Of a description whose objects are closed.
    pub(super) fn new(description: &'a Value) -> Self {
        let registry = Registry::new().add(DESCRIPTION, description).expect("a name");
        Self { description: registry.prepare().expect("a description"), compiled: BTreeMap::new() }
    }

    /// A schema as in the description.
    pub(super) fn compiled(&mut self, schema: &Value) -> Arc<Validator> {
        let text = schema.to_string();
        if let Some(known) = self.compiled.get(&text) {
            return Arc::clone(known);
        }
        let new = Arc::new(self.compile(&text));
        self.compiled.insert(text, Arc::clone(&new));
        new
    }

    fn compile(&self, text: &str) -> Validator {
        // By itself it has to say where its references lead.
        let absolute = text.replace(r##""$ref":"#"##, &format!(r##""$ref":"{DESCRIPTION}#"##));
        let schema: Value = serde_json::from_str(&absolute).expect("it was JSON");
        let options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_registry(&self.description)
            .should_validate_formats(true)
            .should_ignore_unknown_formats(false);
        options.build(&schema).unwrap_or_else(|fault| panic!("{fault} in the schema {text}"))
    }
}

/// What of a value a schema does not allow, each with a JSON Pointer to its place.
pub(super) fn faults(schema: &Validator, value: &Value) -> Vec<String> {
    schema.iter_errors(value).flat_map(|error| reported(&error)).collect()
}

/// One fault; of several schemas that could have fitted, those of the one that came nearest.
fn reported(error: &ValidationError<'_>) -> Vec<String> {
    let nearest = match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.iter().min_by_key(|branch| branch.len())
        }
        _ => None,
    };
    match nearest {
        Some(branch) => branch.iter().flat_map(reported).collect(),
        None if error.instance_path().as_str().is_empty() => vec![format!(": {error}")],
        None => vec![format!(" {}: {error}", error.instance_path())],
    }
}

/// Says of each object that names members that it has no other ones.
pub(super) fn close(value: &mut Value) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(close),
        Value::Object(members) => {
            assert!(!members.contains_key("allOf"), "a part of `allOf` must not be closed by itself");
            if members.contains_key("properties") {
                members.entry("additionalProperties").or_insert_with(|| json!(false));
            }
            members.values_mut().for_each(close);
        }
        _ => {}
    }
}
