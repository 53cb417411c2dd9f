//! A document as it was sent, and why one cannot be read.

use std::borrow::Cow;
use std::fmt;

use crate::code::Reason;
use crate::steps;
use crate::violation::{Violation, Violations};

/// Levels of arrays and objects inside each other: far more than any resource has, few enough
/// that no document can exhaust the stack.
pub const MAX_DEPTH: usize = 64;

/// A value of a document, with its place in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node<'a> {
    /// The number of the value in reading order, from 0; a parent comes before what it holds.
    pub at: u32,
    /// The number of the last value inside it; its own when it holds none.
    pub end: u32,
    /// The value.
    pub value: Value<'a>,
}

/// What a [`Node`] is; it borrows from the document where the text is there unescaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// The literal text of a number: `12.50` stays `12.50`.
    Number(Cow<'a, str>),
    /// A string, its escapes resolved.
    Text(Cow<'a, str>),
    /// An array.
    Array(Vec<Node<'a>>),
    /// An object: its members in the caller's order, those that are there twice included.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

/// Where a document stops being JSON; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// Why a document cannot be read at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Malformed {
    /// Nothing, or only white space.
    Empty,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// A byte order mark precedes the document.
    ByteOrderMark,
    /// An escape names one half of a surrogate pair, which is no character.
    LoneSurrogate(Position),
    /// More than [`MAX_DEPTH`] levels.
    TooDeep(Position),
    /// Anything else that JSON does not allow.
    Syntax(Position),
}

/// Builds a document without JSON: numbers the values in reading order.
///
/// ```
/// use payroll_domain::input::{Node, Value, parse};
/// let member = |name: &'static str, value: Value<'static>| (name.into(), Node::from(value));
/// let line = vec![member("componentId", Value::Text("C1".into())), member("payHours", Value::Number("8".into()))];
/// let built = Node::from(Value::Array(vec![Value::Object(line).into()]));
/// assert_eq!(built, parse(br#"[{"componentId": "C1", "payHours": 8}]"#)?);
/// # Ok::<(), payroll_domain::input::Malformed>(())
/// ```
impl<'a> From<Value<'a>> for Node<'a> {
    fn from(value: Value<'a>) -> Self {
        let mut node = Self { at: 0, end: 0, value };
        node.number_from(0);
        node
    }
}

impl<'a> Node<'a> {
    /// The first member of that name; `None` where there is none, or the value is no object.
    ///
    /// ```
    /// use payroll_domain::input::parse;
    /// let line = parse(br#"{"componentId": "C1"}"#)?;
    /// assert_eq!(line.member("componentId").and_then(|id| id.as_text()), Some("C1"));
    /// assert_eq!(line.member("payHours"), None);
    /// # Ok::<(), payroll_domain::input::Malformed>(())
    /// ```
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        let Value::Object(members) = &self.value else { return None };
        steps::count(members.len());
        members.iter().find(|(member, _)| member == name).map(|(_, node)| node)
    }

    /// The text, where the value is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// Numbers this value and all inside it, and returns the number of the last.
    fn number_from(&mut self, first: u32) -> u32 {
        steps::count(1);
        self.at = first;
        let next = |last: u32, node: &mut Self| node.number_from(last.saturating_add(1));
        self.end = match &mut self.value {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => first,
            Value::Array(elements) => elements.iter_mut().fold(first, next),
            Value::Object(members) => members.iter_mut().map(|(_, node)| node).fold(first, next),
        };
        self.end
    }
}

impl Value<'_> {
    /// Whether it counts as absent.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            Self::Bool(_) | Self::Number(_) | Self::Array(_) | Self::Object(_) => false,
        }
    }
}

impl Malformed {
    /// The reason in the response to the caller.
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

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the body is empty"),
            Self::NotUtf8 => f.write_str("the body is not UTF-8"),
            Self::ByteOrderMark => f.write_str("the body begins with a byte order mark"),
            Self::LoneSurrogate(position) => write!(f, "the body escapes half a character at {position}"),
            Self::TooDeep(position) => {
                write!(f, "the body has more than {MAX_DEPTH} levels at {position}")
            }
            Self::Syntax(position) => write!(f, "the body is not JSON at {position}"),
        }
    }
}

impl std::error::Error for Malformed {}

impl From<Malformed> for Violation {
    fn from(malformed: Malformed) -> Self {
        Self::new(malformed.reason(), malformed.to_string())
    }
}

impl From<Malformed> for Violations {
    fn from(malformed: Malformed) -> Self {
        Violation::from(malformed).into()
    }
}
