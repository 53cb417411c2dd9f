//! The type that lists OpenAPI schemas with their names.

use serde_json::Value;

/// A list of OpenAPI schemas, each with its name.
pub(in crate::openapi) type NamedSchemas = Vec<(&'static str, Value)>;
