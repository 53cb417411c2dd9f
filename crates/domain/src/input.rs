//! The caller's document as a tree. The tree contains details that rules need and that usual parsers discard:
//! the order of members, duplicate members, and the literal text of numbers.
//!
//! Parsers that fill structs stop at the first fault. With a tree, every fault can be reported. This module
//! only knows JSON and not the meaning of the members.

#[cfg(all(test, feature = "server"))]
mod complexity;
mod document;
mod members;
mod parser;
mod path;
#[cfg(feature = "server")]
mod split;
pub(crate) mod values;

use std::borrow::Cow;

pub use document::{MAX_DEPTH, MalformedJson, Node, TextPosition, Value};
pub(crate) use members::{Context, Field, Members};
pub(crate) use path::Path;
#[cfg(feature = "server")]
pub(crate) use split::{ElementRange, split_list};

/// Parses a JSON document.
///
/// # Errors
/// Returns [`MalformedJson`] if the text is not JSON. The error never repeats text of the document.
///
/// ```
/// use payroll_domain::input::{MalformedJson, Value, parse};
/// let document = parse(br#"{"payHours": 8.50, "payHours": "8"}"#)?;
/// let Value::Object(members) = document.value else { unreachable!() };
/// assert_eq!(members.len(), 2);
/// assert_eq!(members[0].1.value, Value::Number("8.50".into()));
/// # Ok::<(), MalformedJson>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Node<'_>, MalformedJson> {
    let text = std::str::from_utf8(bytes).map_err(|_| MalformedJson::NotUtf8)?;
    parser::parse(text)
}

/// Returns the approximate maximum number of bytes that [`parse`] needs for a document. The estimate does not
/// parse the document, so that a document that needs too much memory can be rejected before it is parsed.
///
/// For example, a document of tiny arrays needs twenty times the memory of its text.
#[must_use]
pub fn estimate_tree_bytes(document: &[u8]) -> usize {
    // A comma, `[` or `{` precedes every value except the first. The count also includes these characters
    // within strings, which can only increase the estimate.
    let values = document.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    let nodes = values.saturating_add(1).saturating_mul(size_of::<(Cow<'_, str>, Node<'_>)>());
    // A string with escapes is copied into the tree. The copies together are at most as long as the document.
    nodes.saturating_add(document.len())
}
