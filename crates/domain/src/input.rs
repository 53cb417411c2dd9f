//! The caller's document as a tree. The tree keeps details that rules need and usual parsers lose: the order
//! of members, duplicate members, and the literal text of numbers.
//!
//! Parsers that fill structs stop at the first fault. With a tree, every fault can be reported. This module
//! does not know the meaning of a document.

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

pub use document::{MAX_DEPTH, Malformed, Node, Position, Value};
pub(crate) use members::{Context, Field, Members};
pub(crate) use path::Path;
#[cfg(feature = "server")]
pub(crate) use split::{Element, split};

/// Parses a JSON document.
///
/// # Errors
/// [`Malformed`] if the text is not JSON. It never repeats text of the document.
///
/// ```
/// use payroll_domain::input::{Malformed, Value, parse};
/// let document = parse(br#"{"payHours": 8.50, "payHours": "8"}"#)?;
/// let Value::Object(members) = document.value else { unreachable!() };
/// assert_eq!(members.len(), 2);
/// assert_eq!(members[0].1.value, Value::Number("8.50".into()));
/// # Ok::<(), Malformed>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Node<'_>, Malformed> {
    let text = std::str::from_utf8(bytes).map_err(|_| Malformed::NotUtf8)?;
    parser::parse(text)
}

/// The approximate maximum of bytes that [`parse`] needs for a document. It is computed without parsing, so
/// that a document can be rejected before.
///
/// A document of tiny arrays needs twenty times the memory of its text.
#[must_use]
pub fn tree_bytes(document: &[u8]) -> usize {
    // Each value except the first follows one of these characters. Characters within strings are counted too.
    let values = document.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    let nodes = values.saturating_add(1).saturating_mul(size_of::<(Cow<'_, str>, Node<'_>)>());
    // Strings with escapes are copied, so the length of the document is added.
    nodes.saturating_add(document.len())
}
