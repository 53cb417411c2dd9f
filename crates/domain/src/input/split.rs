//! Parses one long list of a document element by element. The tree of a list with tens of thousands of
//! objects would need many times the memory of its text.

use super::parser::{Parser, parse_document};
use super::{MalformedJson, Node, Value};

/// An element of the list: the range of its text in the document, and its number in reading order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ElementRange {
    start: usize,
    end: usize,
    at: u32,
}

impl ElementRange {
    /// Parses the element from the text of its document. The parsed values have the same numbers as in the
    /// tree of the complete document. Returns `None` if `document` is not the text that was split.
    pub(crate) fn read(self, document: &str) -> Option<Node<'_>> {
        Parser::new(document.get(self.start..self.end)?, self.at).parse_node(DEPTH_OF_ELEMENTS).ok()
    }
}

/// The nesting depth of an element: it is inside the list, which is inside the root object.
const DEPTH_OF_ELEMENTS: usize = 2;

/// Parses a document like [`parse`](super::parse), except for the elements of one list in the root object. In
/// the returned tree this list is empty, but later values are numbered as if the tree contained the elements.
/// Each element is parsed once to validate it, and its tree is freed immediately. If the list occurs twice,
/// the elements of both lists are returned.
pub(crate) fn split_list<'a>(
    text: &'a str,
    list: &str,
) -> Result<(Node<'a>, Vec<ElementRange>), MalformedJson> {
    let mut elements = Vec::new();
    let rest = parse_document(text, |parser| match parser.peek() {
        Some(b'{') => parser.parse_numbered(|parser| {
            parser.parse_object(|parser, name| match parser.peek() {
                Some(b'[') if name == list => scan_list(parser, &mut elements),
                _ => parser.parse_node(1),
            })
        }),
        _ => parser.parse_node(0),
    })?;
    Ok((rest, elements))
}

fn scan_list<'a>(
    parser: &mut Parser<'a>,
    elements: &mut Vec<ElementRange>,
) -> Result<Node<'a>, MalformedJson> {
    parser.parse_numbered(|parser| {
        parser.parse_array(|parser| {
            let (start, at) = (parser.position, parser.next_node_number);
            parser.parse_node(DEPTH_OF_ELEMENTS)?;
            elements.push(ElementRange { start, end: parser.position, at });
            Ok(())
        })?;
        Ok(Value::Array(Vec::new()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{MAX_DEPTH, parse};

    #[test]
    fn split_elements_have_the_numbers_and_values_of_the_full_tree() {
        let texts = [
            r#"{"a": [1, {"b": 2}], "list": [{"c": [3, "x"]}, 4, null], "list2": [5]}"#,
            r#"{"l\u0069st": [{"\u00e9": 1}], "a": {"list": [1]}}"#,
            r#"{"list": [], "a": 1}"#,
            r#"{"list": {"list": [1]}}"#,
            r#"[{"list": [1]}]"#,
            "17",
        ];
        for text in texts {
            let (whole, (rest, elements)) =
                (parse(text.as_bytes()).unwrap(), split_list(text, "list").unwrap());
            assert_eq!((rest.at, rest.end), (whole.at, whole.end), "{text}");
            let Value::Object(members) = whole.value else {
                assert_eq!((rest, elements.len()), (whole, 0), "{text}");
                continue;
            };
            let list = members.iter().find(|(name, _)| name == "list").map(|(_, node)| &node.value);
            let expected = if let Some(Value::Array(list)) = list { list.as_slice() } else { &[] };
            let read: Vec<_> = elements.into_iter().map(|it| it.read(text).unwrap()).collect();
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn splitting_fails_at_the_same_position_as_parsing() {
        let text =
            r#" {"a": [1.5, {"b": "\ud83d\ude00"}], "list": [{"c": [3, "x\n"]}, -4e1 , null ], "z": true} "#;
        let deep = |levels: usize| format!(r#"{{"list": [{}{}]}}"#, "[".repeat(levels), "]".repeat(levels));
        let mut texts = vec![
            deep(MAX_DEPTH - DEPTH_OF_ELEMENTS),
            deep(MAX_DEPTH - DEPTH_OF_ELEMENTS + 1),
            "\u{feff}{}".to_owned(),
        ];
        for at in 0..=text.len() {
            let (before, after) = text.split_at(at);
            texts.extend([before.to_owned(), format!("{before}\u{1}{after}"), format!("{before}]{after}")]);
        }
        for text in texts {
            let (whole, split) = (parse(text.as_bytes()), split_list(&text, "list"));
            assert_eq!(whole.map(drop), split.map(drop), "{text}");
        }
    }
}
