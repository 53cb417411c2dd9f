//! The values of the fields of trace spans.

/// The value of a field of a trace span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AttributeValue {
    Text(String),
    Number(i64),
    Truth(bool),
}
