//! What each file of schemas gives.

use serde_json::Value;

/// Schemas by their names.
pub(in crate::openapi) type Named = Vec<(&'static str, Value)>;
