//! A document as the caller sent it, and the errors for a document that cannot be read.

use std::borrow::Cow;
use std::fmt;

use crate::code::Reason;
use crate::steps;
use crate::violation::{Violation, Violations};

/// The maximum nesting depth of arrays and objects. No resource of the API is nested this deeply. The limit
/// prevents a stack overflow of the recursive parser.
pub const MAX_DEPTH: usize = 64;

/// A value of a document, with its position in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node<'a> {
    /// The number of the value in reading order, from 0. A parent comes before its children.
    pub at: u32,
    /// The number of the last value inside this value. For a value without children, it is the value's own
    /// number.
    pub end: u32,
    /// The content of the value.
    pub value: Value<'a>,
}

/// The content of a [`Node`]. The content borrows text from the document if the text has no escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// The literal `null` of JSON.
    Null,
    /// The JSON value `true` or `false`.
    Bool(bool),
    /// The literal text of a number: `12.50` remains `12.50`.
    Number(Cow<'a, str>),
    /// A string with resolved escapes.
    Text(Cow<'a, str>),
    /// An array of values.
    Array(Vec<Node<'a>>),
    /// An object: its members in the caller's order, including duplicates.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

/// The position of the character at which a document is no longer valid JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    /// The number of the line, starting at 1.
    pub line: usize,
    /// The column in characters, starting at 1.
    pub column: usize,
}

/// The reason why a document cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedJson {
    /// The document is empty or contains only white space.
    Empty,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// A byte order mark precedes the document.
    ByteOrderMark,
    /// An escape contains one half of a surrogate pair, which is not a character.
    LoneSurrogate(TextPosition),
    /// The document has more than [`MAX_DEPTH`] levels.
    TooDeep(TextPosition),
    /// The document breaks another rule of JSON.
    Syntax(TextPosition),
}

/// Creates the node of a document without JSON text, and numbers the values in reading order.
///
/// ```
/// use payroll_domain::input::{Node, Value, parse};
/// let member = |name: &'static str, value: Value<'static>| (name.into(), Node::from(value));
/// let line = vec![member("componentId", Value::Text("C1".into())), member("payHours", Value::Number("8".into()))];
/// let built = Node::from(Value::Array(vec![Value::Object(line).into()]));
/// assert_eq!(built, parse(br#"[{"componentId": "C1", "payHours": 8}]"#)?);
/// # Ok::<(), payroll_domain::input::MalformedJson>(())
/// ```
impl<'a> From<Value<'a>> for Node<'a> {
    fn from(value: Value<'a>) -> Self {
        let mut node = Self { at: 0, end: 0, value };
        node.number_nodes_from(0);
        node
    }
}

impl<'a> Node<'a> {
    /// Returns the first member of the given name. `None` if there is none, or if the value is not an object.
    ///
    /// ```
    /// use payroll_domain::input::parse;
    /// let line = parse(br#"{"componentId": "C1"}"#)?;
    /// assert_eq!(line.member("componentId").and_then(|id| id.as_text()), Some("C1"));
    /// assert_eq!(line.member("payHours"), None);
    /// # Ok::<(), payroll_domain::input::MalformedJson>(())
    /// ```
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        let Value::Object(members) = &self.value else { return None };
        steps::record_steps(members.len());
        members.iter().find(|(member, _)| member == name).map(|(_, node)| node)
    }

    /// Returns the text if the value is a string.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// Numbers this value and all values inside it, starting with `first`. Returns the last number.
    fn number_nodes_from(&mut self, first: u32) -> u32 {
        steps::record_steps(1);
        self.at = first;
        let next = |last: u32, node: &mut Self| node.number_nodes_from(last.saturating_add(1));
        self.end = match &mut self.value {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => first,
            Value::Array(elements) => elements.iter_mut().fold(first, next),
            Value::Object(members) => members.iter_mut().map(|(_, node)| node).fold(first, next),
        };
        self.end
    }
}

impl Value<'_> {
    /// Returns whether the value counts as absent: `null` or an empty string.
    #[must_use]
    pub fn is_null_or_empty_text(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            Self::Bool(_) | Self::Number(_) | Self::Array(_) | Self::Object(_) => false,
        }
    }
}

impl MalformedJson {
    /// Returns the reason code for the response to the caller.
    #[must_use]
    pub const fn reason(self) -> Reason {
        match self {
            Self::Empty => Reason::EmptyRequest,
            Self::NotUtf8
            | Self::ByteOrderMark
            | Self::LoneSurrogate(_)
            | Self::TooDeep(_)
            | Self::Syntax(_) => Reason::InvalidParameter,
        }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}

impl fmt::Display for MalformedJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the body is empty"),
            Self::NotUtf8 => f.write_str("the body is not UTF-8"),
            Self::ByteOrderMark => f.write_str("the body begins with a byte order mark"),
            Self::LoneSurrogate(position) => {
                write!(f, "the body has half of a surrogate pair (\\u escape) at {position}")
            }
            Self::TooDeep(position) => {
                write!(f, "the body has more than {MAX_DEPTH} levels at {position}")
            }
            Self::Syntax(position) => write!(f, "the body is not JSON at {position}"),
        }
    }
}

impl std::error::Error for MalformedJson {}

impl From<MalformedJson> for Violation {
    fn from(malformed: MalformedJson) -> Self {
        Self::new(malformed.reason(), malformed.to_string())
    }
}

impl From<MalformedJson> for Violations {
    fn from(malformed: MalformedJson) -> Self {
        Violation::from(malformed).into()
    }
}
