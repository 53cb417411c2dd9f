//! The caller's document as a tree that keeps what rules need and usual readers lose: the order of members,
//! members that are there twice, and the literal text of numbers.
//!
//! Readers that fill structs stop at the first fault; a tree lets every fault be found. Nothing
//! here knows what a document means.

mod document;
#[cfg(all(test, feature = "server"))]
mod linear;
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

/// Reads a JSON document.
///
/// # Errors
/// [`Malformed`] says why it is none; it never repeats what the document says.
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

/// Bytes of memory that [`parse`] takes for a document at most, about: known without reading it, so that it
/// can be rejected before.
///
/// A document of tiny arrays takes twenty times the memory of its text.
#[must_use]
pub fn tree_bytes(document: &[u8]) -> usize {
    // Each value follows one of these, but for the first. Those in strings count too.
    let values = document.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    let nodes = values.saturating_add(1).saturating_mul(size_of::<(Cow<'_, str>, Node<'_>)>());
    // Strings with escapes are copied.
    nodes.saturating_add(document.len())
}
