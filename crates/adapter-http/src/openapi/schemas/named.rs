//! The result type of each file of schemas.

use serde_json::Value;

/// Schemas with their names.
pub(in crate::openapi) type NamedSchemas = Vec<(&'static str, Value)>;
