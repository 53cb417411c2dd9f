//! The values of span fields.

/// The value of a span field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Number(i64),
    Truth(bool),
}
