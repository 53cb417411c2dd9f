//! Parses JSON text into a [`Node`] tree, in one pass and exactly as RFC 8259 defines it.
//!
//! This crate has its own parser because the tree contains details that general parsers discard. Parsers that
//! keep raw text would have to parse the text of nested values again at each level. A small but deeply nested
//! body could then cause much work. A property test compares this parser with `serde_json`.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::{MAX_DEPTH, MalformedJson, Node, TextPosition, Value};
use crate::steps;

/// Parses a complete document of one value.
pub(super) fn parse(text: &str) -> Result<Node<'_>, MalformedJson> {
    parse_document(text, |parser| parser.parse_node(0))
}

/// Parses a complete document. The function `read` parses its single value.
pub(super) fn parse_document<'a>(
    text: &'a str,
    read: impl FnOnce(&mut Parser<'a>) -> Result<Node<'a>, MalformedJson>,
) -> Result<Node<'a>, MalformedJson> {
    if text.starts_with('\u{feff}') {
        return Err(MalformedJson::ByteOrderMark);
    }
    let mut parser = Parser::new(text, 0);
    parser.skip_white_space();
    if parser.peek().is_none() {
        return Err(MalformedJson::Empty);
    }
    let document = read(&mut parser)?;
    parser.skip_white_space();
    match parser.peek() {
        None => Ok(document),
        Some(_) => Err(parser.syntax_error()),
    }
}

/// The state of parsing a text.
pub(super) struct Parser<'a> {
    text: &'a str,
    /// The byte position in the text at which parsing continues. The position is at the start of a character
    /// whenever text is sliced.
    pub(super) position: usize,
    /// The number of the next value that is parsed, in reading order.
    pub(super) next_node_number: u32,
}

impl<'a> Parser<'a> {
    /// Creates a parser at the beginning of a text. `next_number` is the number of its first value.
    pub(super) const fn new(text: &'a str, next_number: u32) -> Self {
        Self { text, position: 0, next_node_number: next_number }
    }

    /// Parses a value that is inside `depth` arrays and objects.
    pub(super) fn parse_node(&mut self, depth: usize) -> Result<Node<'a>, MalformedJson> {
        self.parse_numbered(|parser| match parser.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => {
                Err(MalformedJson::TooDeep(parser.text_position(parser.position)))
            }
            Some(b'{') => parser.parse_object(|parser, _| parser.parse_node(depth + 1)),
            Some(b'[') => parser.parse_list(depth),
            Some(b'"') => Ok(Value::Text(parser.parse_string()?)),
            Some(b'-' | b'0'..=b'9') => Ok(Value::Number(parser.parse_number()?.into())),
            Some(b't') => parser.parse_literal("true", Value::Bool(true)),
            Some(b'f') => parser.parse_literal("false", Value::Bool(false)),
            Some(b'n') => parser.parse_literal("null", Value::Null),
            _ => Err(parser.syntax_error()),
        })
    }

    /// Assigns the next number to the value that `read` parses.
    pub(super) fn parse_numbered(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Value<'a>, MalformedJson>,
    ) -> Result<Node<'a>, MalformedJson> {
        let at = self.next_node_number;
        self.next_node_number = at.saturating_add(1);
        let value = read(self)?;
        Ok(Node { at, end: self.next_node_number.saturating_sub(1), value })
    }

    /// Parses an object. The function `read` parses the value of each member.
    pub(super) fn parse_object(
        &mut self,
        mut read: impl FnMut(&mut Self, &str) -> Result<Node<'a>, MalformedJson>,
    ) -> Result<Value<'a>, MalformedJson> {
        let mut members = Vec::new();
        self.position += 1;
        self.skip_white_space();
        if self.consume_if(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_white_space();
            if self.peek() != Some(b'"') {
                return Err(self.syntax_error());
            }
            let name = self.parse_string()?;
            self.skip_white_space();
            self.expect(b':')?;
            self.skip_white_space();
            let value = read(self, &name)?;
            members.push((name, value));
            self.skip_white_space();
            if self.consume_if(b'}') {
                shrink_capacity(&mut members);
                return Ok(Value::Object(members));
            }
            self.expect(b',')?;
        }
    }

    fn parse_list(&mut self, depth: usize) -> Result<Value<'a>, MalformedJson> {
        let mut elements = Vec::new();
        self.parse_array(|parser| {
            elements.push(parser.parse_node(depth + 1)?);
            Ok(())
        })?;
        shrink_capacity(&mut elements);
        Ok(Value::Array(elements))
    }

    /// Parses an array. The function `read` parses each element.
    pub(super) fn parse_array(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<(), MalformedJson>,
    ) -> Result<(), MalformedJson> {
        self.position += 1;
        self.skip_white_space();
        if self.consume_if(b']') {
            return Ok(());
        }
        loop {
            self.skip_white_space();
            read(self)?;
            self.skip_white_space();
            if self.consume_if(b']') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Parses a string. The text is only copied if it contains an escape.
    fn parse_string(&mut self) -> Result<Cow<'a, str>, MalformedJson> {
        self.position += 1;
        let plain = self.parse_plain_text();
        if self.consume_if(b'"') {
            return Ok(Cow::Borrowed(plain));
        }
        let mut text = plain.to_owned();
        loop {
            if self.consume_if(b'"') {
                return Ok(Cow::Owned(text));
            }
            self.expect(b'\\')?;
            text.push(self.parse_escape()?);
            text.push_str(self.parse_plain_text());
        }
    }

    /// Consumes and returns the text up to a quote, an escape, a control character or the end.
    fn parse_plain_text(&mut self) -> &'a str {
        let rest = self.text.get(self.position..).unwrap_or_default();
        let stops = |byte: u8| matches!(byte, b'"' | b'\\' | 0..0x20);
        let length = rest.bytes().position(stops).unwrap_or(rest.len());
        steps::record_steps(length);
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Parses the characters of an escape that follow its backslash.
    fn parse_escape(&mut self) -> Result<char, MalformedJson> {
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.parse_unicode_escape(),
            _ => return Err(self.syntax_error()),
        };
        self.position += 1;
        Ok(character)
    }

    /// Parses `uXXXX`, or two such escapes for a character beyond the Basic Multilingual Plane.
    fn parse_unicode_escape(&mut self) -> Result<char, MalformedJson> {
        let start = self.position;
        let high = self.parse_code_unit()?;
        let low = match high {
            0xd800..0xdc00 if self.consume_if(b'\\') => {
                if self.peek() != Some(b'u') {
                    return Err(self.lone_surrogate_error(start));
                }
                Some(self.parse_code_unit()?)
            }
            _ => None,
        };
        let mut characters = char::decode_utf16(std::iter::once(high).chain(low));
        match (characters.next(), characters.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(self.lone_surrogate_error(start)),
        }
    }

    fn parse_code_unit(&mut self) -> Result<u16, MalformedJson> {
        self.expect(b'u')?;
        let digits = self.text.get(self.position..self.position + 4);
        let hexadecimal = digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = hexadecimal.and_then(|text| u16::from_str_radix(text, 16).ok());
        let unit = unit.ok_or_else(|| self.syntax_error())?;
        self.position += 4;
        Ok(unit)
    }

    /// Parses a number and returns its literal text.
    fn parse_number(&mut self) -> Result<&'a str, MalformedJson> {
        let start = self.position;
        self.consume_if(b'-');
        if !self.consume_if(b'0') {
            self.skip_digits()?;
        }
        if self.consume_if(b'.') {
            self.skip_digits()?;
        }
        if self.consume_if(b'e') || self.consume_if(b'E') {
            if !self.consume_if(b'+') {
                self.consume_if(b'-');
            }
            self.skip_digits()?;
        }
        Ok(self.text.get(start..self.position).unwrap_or_default())
    }

    fn skip_digits(&mut self) -> Result<(), MalformedJson> {
        let start = self.position;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.position += 1;
        }
        if self.position == start { Err(self.syntax_error()) } else { Ok(()) }
    }

    fn parse_literal(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, MalformedJson> {
        if !self.text.get(self.position..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.syntax_error());
        }
        self.position += word.len();
        Ok(value)
    }

    fn skip_white_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        steps::record_steps(1);
        self.text.as_bytes().get(self.position).copied()
    }

    /// Consumes the next byte if it equals `byte`. Returns whether the byte was consumed.
    fn consume_if(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.position += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<(), MalformedJson> {
        if self.consume_if(byte) { Ok(()) } else { Err(self.syntax_error()) }
    }

    fn syntax_error(&self) -> MalformedJson {
        MalformedJson::Syntax(self.text_position(self.position))
    }

    fn lone_surrogate_error(&self, start: usize) -> MalformedJson {
        MalformedJson::LoneSurrogate(self.text_position(start))
    }

    /// Returns the line and column of a byte. This function scans all text before the byte, so it is only
    /// called for the error that ends the parsing.
    fn text_position(&self, position: usize) -> TextPosition {
        let read = self.text.get(..position).unwrap_or(self.text);
        steps::record_steps(read.len());
        let last_line = read.rsplit('\n').next().unwrap_or_default();
        let line = read.bytes().filter(|byte| *byte == b'\n').count() + 1;
        TextPosition { line, column: last_line.chars().count() + 1 }
    }
}

/// Frees capacity of a vector if more than half of it is unused. Otherwise a body of a hundred thousand tiny
/// arrays would need four times the memory.
fn shrink_capacity<T>(values: &mut Vec<T>) {
    if values.len() < values.capacity() / 2 {
        values.shrink_to_fit();
    }
}
