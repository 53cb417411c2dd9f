//! JSON text into a [`Node`] tree, in one pass and to the letter of RFC 8259.
//!
//! Written here because the tree keeps what general readers drop, and because a reader that
//! keeps raw text reads each level of a nested document again, which lets a small body cost
//! much. A property test holds it against `serde_json`.

use std::borrow::Cow;

use super::{MAX_DEPTH, Malformed, Node, Position, Value};
use crate::steps;

/// Reads a whole document.
pub(super) fn parse(text: &str) -> Result<Node<'_>, Malformed> {
    document(text, |parser| parser.node(0))
}

/// Reads a whole document, its one value by that function.
pub(super) fn document<'a>(
    text: &'a str,
    read: impl FnOnce(&mut Parser<'a>) -> Result<Node<'a>, Malformed>,
) -> Result<Node<'a>, Malformed> {
    if text.starts_with('\u{feff}') {
        return Err(Malformed::ByteOrderMark);
    }
    let mut parser = Parser::new(text, 0);
    parser.skip_white_space();
    if parser.peek().is_none() {
        return Err(Malformed::Empty);
    }
    let document = read(&mut parser)?;
    parser.skip_white_space();
    match parser.peek() {
        None => Ok(document),
        Some(_) => Err(parser.syntax()),
    }
}

/// A text being read.
pub(super) struct Parser<'a> {
    text: &'a str,
    /// The next byte to read. It stands on a character's first byte whenever text is cut there.
    pub(super) position: usize,
    /// The number of the next value.
    pub(super) next_number: u32,
}

impl<'a> Parser<'a> {
    /// Stands at the beginning of a text, whose first value has that number.
    pub(super) const fn new(text: &'a str, next_number: u32) -> Self {
        Self { text, position: 0, next_number }
    }

    /// Reads a value that `depth` arrays and objects enclose.
    pub(super) fn node(&mut self, depth: usize) -> Result<Node<'a>, Malformed> {
        self.numbered(|parser| match parser.peek() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => Err(Malformed::TooDeep(parser.place(parser.position))),
            Some(b'{') => parser.object(|parser, _| parser.node(depth + 1)),
            Some(b'[') => parser.list(depth),
            Some(b'"') => Ok(Value::Text(parser.string()?)),
            Some(b'-' | b'0'..=b'9') => Ok(Value::Number(parser.number()?)),
            Some(b't') => parser.word("true", Value::Bool(true)),
            Some(b'f') => parser.word("false", Value::Bool(false)),
            Some(b'n') => parser.word("null", Value::Null),
            _ => Err(parser.syntax()),
        })
    }

    /// Numbers the value that the function reads.
    pub(super) fn numbered(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Value<'a>, Malformed>,
    ) -> Result<Node<'a>, Malformed> {
        let at = self.next_number;
        self.next_number = at.saturating_add(1);
        let value = read(self)?;
        Ok(Node { at, end: self.next_number.saturating_sub(1), value })
    }

    /// Reads an object, the value of each member by that function.
    pub(super) fn object(
        &mut self,
        mut read: impl FnMut(&mut Self, &str) -> Result<Node<'a>, Malformed>,
    ) -> Result<Value<'a>, Malformed> {
        let mut members = Vec::new();
        self.position += 1;
        self.skip_white_space();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_white_space();
            if self.peek() != Some(b'"') {
                return Err(self.syntax());
            }
            let name = self.string()?;
            self.skip_white_space();
            self.expect(b':')?;
            self.skip_white_space();
            let value = read(self, &name)?;
            members.push((name, value));
            self.skip_white_space();
            if self.take(b'}') {
                give_back(&mut members);
                return Ok(Value::Object(members));
            }
            self.expect(b',')?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value<'a>, Malformed> {
        let mut elements = Vec::new();
        self.array(|parser| {
            elements.push(parser.node(depth + 1)?);
            Ok(())
        })?;
        give_back(&mut elements);
        Ok(Value::Array(elements))
    }

    /// Steps through an array; the function reads each element.
    pub(super) fn array(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.position += 1;
        self.skip_white_space();
        if self.take(b']') {
            return Ok(());
        }
        loop {
            self.skip_white_space();
            read(self)?;
            self.skip_white_space();
            if self.take(b']') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Reads a string; it is copied only when it holds an escape.
    fn string(&mut self) -> Result<Cow<'a, str>, Malformed> {
        self.position += 1;
        let plain = self.plain_text();
        if self.take(b'"') {
            return Ok(Cow::Borrowed(plain));
        }
        let mut text = plain.to_owned();
        loop {
            if self.take(b'"') {
                return Ok(Cow::Owned(text));
            }
            self.expect(b'\\')?;
            text.push(self.escape()?);
            text.push_str(self.plain_text());
        }
    }

    /// Takes the text up to a quote, an escape, a control character or the end.
    fn plain_text(&mut self) -> &'a str {
        let rest = self.text.get(self.position..).unwrap_or_default();
        let stops = |byte: u8| matches!(byte, b'"' | b'\\' | 0..0x20);
        let length = rest.bytes().position(stops).unwrap_or(rest.len());
        steps::count(length);
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<char, Malformed> {
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.syntax()),
        };
        self.position += 1;
        Ok(character)
    }

    /// Reads `uXXXX`, or two of them for a character beyond the basic plane.
    fn unicode_escape(&mut self) -> Result<char, Malformed> {
        let start = self.position;
        let high = self.code_unit()?;
        let low = match high {
            0xd800..0xdc00 if self.take(b'\\') => {
                if self.peek() != Some(b'u') {
                    return Err(self.lone_surrogate(start));
                }
                Some(self.code_unit()?)
            }
            _ => None,
        };
        let mut characters = char::decode_utf16(std::iter::once(high).chain(low));
        match (characters.next(), characters.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(self.lone_surrogate(start)),
        }
    }

    fn code_unit(&mut self) -> Result<u16, Malformed> {
        self.expect(b'u')?;
        let digits = self.text.get(self.position..self.position + 4);
        let hexadecimal = digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = hexadecimal.and_then(|text| u16::from_str_radix(text, 16).ok());
        let unit = unit.ok_or_else(|| self.syntax())?;
        self.position += 4;
        Ok(unit)
    }

    /// Takes the literal text of a number.
    fn number(&mut self) -> Result<&'a str, Malformed> {
        let start = self.position;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        Ok(self.text.get(start..self.position).unwrap_or_default())
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.position;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.position += 1;
        }
        if self.position == start { Err(self.syntax()) } else { Ok(()) }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Malformed> {
        if !self.text.get(self.position..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(self.syntax());
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
        steps::count(1);
        self.text.as_bytes().get(self.position).copied()
    }

    /// Steps over the byte if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.position += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.take(byte) { Ok(()) } else { Err(self.syntax()) }
    }

    fn syntax(&self) -> Malformed {
        Malformed::Syntax(self.place(self.position))
    }

    fn lone_surrogate(&self, start: usize) -> Malformed {
        Malformed::LoneSurrogate(self.place(start))
    }

    /// Where a byte stands, for people. It looks at everything before, so only the one fault that ends
    /// the reading asks.
    fn place(&self, position: usize) -> Position {
        let read = self.text.get(..position).unwrap_or(self.text);
        steps::count(read.len());
        let last_line = read.rsplit('\n').next().unwrap_or_default();
        let line = read.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Position { line, column: last_line.chars().count() + 1 }
    }
}

/// Gives back room that is mostly unused: a body of a hundred thousand tiny arrays would else
/// hold four times the memory that it needs.
fn give_back<T>(values: &mut Vec<T>) {
    if values.len() < values.capacity() / 2 {
        values.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::input::parse as parse_bytes;

    #[test]
    fn order_duplicates_and_number_text_are_kept() {
        let document = parse("{\"b\": 1.50, \"a\": [null, true], \"b\": \"\\u00e9\\n\"}").unwrap();
        let Value::Object(members) = &document.value else { panic!("an object") };
        let names: Vec<_> = members.iter().map(|(name, node)| (name.as_ref(), node.at, node.end)).collect();
        assert_eq!(names, [("b", 1, 1), ("a", 2, 4), ("b", 5, 5)]);
        assert_eq!(members[0].1.value, Value::Number("1.50"));
        assert_eq!(members[2].1.value, Value::Text("é\n".into()));
        assert_eq!((document.at, document.end), (0, 5));
    }

    #[test]
    fn what_is_no_document_is_refused_with_its_cause() {
        let at = |line, column| Position { line, column };
        let cases: &[(&[u8], Malformed)] = &[
            (b"", Malformed::Empty),
            (b" \r\n\t", Malformed::Empty),
            (b"\xef\xbb\xbf[]", Malformed::ByteOrderMark),
            (b"\"\xff\"", Malformed::NotUtf8),
            (br#"["\ud800"]"#, Malformed::LoneSurrogate(at(1, 4))),
            (br#"["\udc00\ud800"]"#, Malformed::LoneSurrogate(at(1, 4))),
            (br#"["\ud800\n"]"#, Malformed::LoneSurrogate(at(1, 4))),
            ("[\n \"é\", ]".as_bytes(), Malformed::Syntax(at(2, 7))),
            (b"[1", Malformed::Syntax(at(1, 3))),
            (b"[] []", Malformed::Syntax(at(1, 4))),
            (b"\"a\x00b\"", Malformed::Syntax(at(1, 3))),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_bytes(text), Err(*expected), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn sixty_four_levels_are_read_and_one_more_is_not() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert!(matches!(parse(&nested(MAX_DEPTH + 1)), Err(Malformed::TooDeep(_))));
        assert!(matches!(parse(&"[".repeat(1_000_000)), Err(Malformed::TooDeep(_))));
    }

    #[test]
    fn a_number_that_no_float_holds_stays_the_text_it_was() {
        assert_eq!(parse("1e501").unwrap().value, Value::Number("1e501"));
        let refused = serde_json::from_str::<serde_json::Value>("1e501").unwrap_err();
        assert!(refused.to_string().starts_with("number out of range"), "{refused}");
    }

    #[test]
    fn a_document_built_by_hand_is_numbered_as_one_that_was_read() {
        let read = parse("[{\"a\": [1, 2]}, null]").unwrap();
        assert_eq!(Node::from(read.value.clone()), read);
    }

    /// Pieces of JSON in any order: now and then a document, mostly nearly one.
    fn nearly_json() -> impl Strategy<Value = String> {
        let pieces = [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            " ",
            "\n",
            "\"",
            "\"a\"",
            "\"\\u00e9\"",
            "\"\\ud83d\\ude00\"",
            "\\",
            "\\u12",
            "null",
            "true",
            "false",
            "nul",
            "0",
            "-",
            "1",
            "01",
            "1.5",
            ".",
            "1e5",
            "E+",
            "\u{1}",
            "é",
        ];
        proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..12)
            .prop_map(|pieces| pieces.concat())
    }

    fn json_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            any::<String>().prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                proptest::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    /// The tree as `serde_json` would have read it; the last of two equal members wins.
    fn as_serde(node: &Node<'_>) -> serde_json::Value {
        match &node.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(flag) => (*flag).into(),
            Value::Number(text) => serde_json::from_str(text).unwrap(),
            Value::Text(text) => text.as_ref().into(),
            Value::Array(elements) => elements.iter().map(as_serde).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, node)| (name.to_string(), as_serde(node))).collect()
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Err(malformed) = parse_bytes(&bytes) {
                prop_assert!(malformed.to_string().starts_with("the body"));
            }
        }

        #[test]
        fn what_serde_json_writes_is_read_as_it_was(value in json_value()) {
            prop_assert_eq!(as_serde(&parse(&value.to_string()).unwrap()), value.clone());
            prop_assert_eq!(as_serde(&parse(&serde_json::to_string_pretty(&value).unwrap()).unwrap()), value);
        }

        #[test]
        fn serde_json_and_this_parser_accept_the_same_texts(text in nearly_json()) {
            let read = serde_json::from_str::<serde_json::Value>(&text);
            // `serde_json` makes floats of numbers and refuses what no float holds; here they stay text.
            let beyond_floats = read.as_ref().is_err_and(|error| error.to_string().starts_with("number out of range"));
            prop_assume!(!beyond_floats);
            let theirs = read.is_ok() && serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            prop_assert_eq!(parse(&text).is_ok(), theirs, "{}", text);
        }
    }
}
