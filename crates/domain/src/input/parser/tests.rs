use proptest::prelude::*;

use super::*;
use crate::input::parse as parse_bytes;

#[test]
fn keeps_order_duplicates_and_number_text() {
    let document = parse("{\"b\": 1.50, \"a\": [null, true], \"b\": \"\\u00e9\\n\"}").unwrap();
    let Value::Object(members) = &document.value else { panic!("an object") };
    let names: Vec<_> = members.iter().map(|(name, node)| (name.as_ref(), node.at, node.end)).collect();
    assert_eq!(names, [("b", 1, 1), ("a", 2, 4), ("b", 5, 5)]);
    assert_eq!(members[0].1.value, Value::Number("1.50".into()));
    assert_eq!(members[2].1.value, Value::Text("é\n".into()));
    assert_eq!((document.at, document.end), (0, 5));
}

#[test]
fn rejects_invalid_documents_with_their_cause() {
    let at = |line, column| TextPosition { line, column };
    let cases: &[(&[u8], MalformedJson)] = &[
        (b"", MalformedJson::Empty),
        (b" \r\n\t", MalformedJson::Empty),
        (b"\xef\xbb\xbf[]", MalformedJson::ByteOrderMark),
        (b"\"\xff\"", MalformedJson::NotUtf8),
        (br#"["\ud800"]"#, MalformedJson::LoneSurrogate(at(1, 4))),
        (br#"["\udc00\ud800"]"#, MalformedJson::LoneSurrogate(at(1, 4))),
        (br#"["\ud800\n"]"#, MalformedJson::LoneSurrogate(at(1, 4))),
        ("[\n \"é\", ]".as_bytes(), MalformedJson::Syntax(at(2, 7))),
        (b"[1", MalformedJson::Syntax(at(1, 3))),
        (b"[] []", MalformedJson::Syntax(at(1, 4))),
        (b"\"a\x00b\"", MalformedJson::Syntax(at(1, 3))),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_bytes(text), Err(*expected), "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn reads_at_most_64_levels() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(&nested(MAX_DEPTH)).is_ok());
    assert!(matches!(parse(&nested(MAX_DEPTH + 1)), Err(MalformedJson::TooDeep(_))));
    assert!(matches!(parse(&"[".repeat(1_000_000)), Err(MalformedJson::TooDeep(_))));
}

#[test]
fn keeps_the_text_of_a_number_beyond_floats() {
    assert_eq!(parse("1e501").unwrap().value, Value::Number("1e501".into()));
    let refused = serde_json::from_str::<serde_json::Value>("1e501").unwrap_err();
    assert!(refused.to_string().starts_with("number out of range"), "{refused}");
}

#[test]
fn a_built_document_gets_the_positions_of_a_parsed_one() {
    let read = parse("[{\"a\": [1, 2]}, null]").unwrap();
    assert_eq!(Node::from(read.value.clone()), read);
}

/// Generates pieces of JSON in any order. The result is rarely a valid document, but usually close to one.
fn any_nearly_json() -> impl Strategy<Value = String> {
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

fn any_json_value() -> impl Strategy<Value = serde_json::Value> {
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

/// Converts the tree to the value that `serde_json` would create. If several members have the same name, the
/// last one is used.
fn to_serde_value(node: &Node<'_>) -> serde_json::Value {
    match &node.value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Number(text) => serde_json::from_str(text).unwrap(),
        Value::Text(text) => text.as_ref().into(),
        Value::Array(elements) => elements.iter().map(to_serde_value).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, node)| (name.to_string(), to_serde_value(node))).collect()
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_parsed_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        if let Err(malformed) = parse_bytes(&bytes) {
            prop_assert!(malformed.to_string().starts_with("the body"));
        }
    }

    #[test]
    fn reads_the_output_of_serde_json(value in any_json_value()) {
        prop_assert_eq!(to_serde_value(&parse(&value.to_string()).unwrap()), value.clone());
        let indented = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(to_serde_value(&parse(&indented).unwrap()), value);
    }

    #[test]
    fn serde_json_and_this_parser_accept_the_same_texts(text in any_nearly_json()) {
        let read = serde_json::from_str::<serde_json::Value>(&text);
        // `serde_json` converts numbers to floats and rejects numbers beyond the range of floats. This parser
        // preserves the text of numbers and accepts numbers of any size.
        let beyond_floats = read.as_ref().is_err_and(|error| error.to_string().starts_with("number out of range"));
        prop_assume!(!beyond_floats);
        let theirs = read.is_ok() && serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
        prop_assert_eq!(parse(&text).is_ok(), theirs, "{}", text);
    }
}
