//! The type that lists OpenAPI schemas with their names.

use serde_json::Value;

/// Schemas with their names.
pub(in crate::openapi) type NamedSchemas = Vec<(&'static str, Value)>;
