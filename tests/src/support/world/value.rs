//! Values of the world, changed.

use serde_json::Value;

/// The value with one member more, or with another one in its place.
pub(crate) fn with(mut value: Value, member: &str, new: impl Into<Value>) -> Value {
    value[member] = new.into();
    value
}
