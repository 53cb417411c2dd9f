//! Changes of values in the test data.

use serde_json::Value;

/// Adds a member to the value, or replaces it.
pub(crate) fn with_member(mut value: Value, member: &str, new: impl Into<Value>) -> Value {
    value[member] = new.into();
    value
}
