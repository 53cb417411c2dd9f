//! Keeps the exact text of the documents in tool calls.
//!
//! The MCP library parses numbers as floating-point numbers. If several members have the same name, the
//! library uses the last member. This module therefore replaces each document in the arguments of a tool
//! call before the library reads the call. The replacement is a JSON string with the text of the document.
//! The API then validates exactly what the client sent.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The names of the tool arguments whose values are documents.
pub(crate) const BODY_ARGUMENT: &str = "body";
pub(crate) const CHECKS_ARGUMENT: &str = "checks";

/// The method whose parameters contain documents.
const CALL_METHOD: &str = "tools/call";

/// The error for a member that occurs more than once in one object. The error contains the name of the
/// member, for example `execute`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DuplicateMember(pub(crate) String);

/// Returns the message with each document in the arguments of a tool call as a JSON string. Returns `None` if
/// there is nothing to replace. Other faults of the message are detected when the message is parsed.
///
/// # Errors
/// The name of a member that occurs more than once in the message, in its parameters or in its arguments.
pub(crate) fn documents_to_strings(text: &str) -> Result<Option<String>, DuplicateMember> {
    let Some(message) = Members::read(text)? else { return Ok(None) };
    if message.text("method").as_deref() != Some(CALL_METHOD) {
        return Ok(None);
    }
    let Some(params) = message.object("params")? else { return Ok(None) };
    let Some(arguments) = params.object("arguments")? else { return Ok(None) };
    let quoted = arguments.write(|name, value| match name {
        BODY_ARGUMENT | CHECKS_ARGUMENT => Value::from(value).to_string(),
        _ => value.to_owned(),
    });
    let params = params.write(|name, value| if name == "arguments" { &quoted } else { value }.to_owned());
    Ok(Some(message.write(|name, value| if name == "params" { &params } else { value }.to_owned())))
}

/// Returns the text of a document that [`documents_to_strings`] has replaced.
pub(crate) fn document_text(argument: &Value) -> &str {
    argument.as_str().unwrap_or_default()
}

/// Parses a document that the API has accepted. Each number becomes a string with its exact digits.
pub(crate) fn parse_with_exact_numbers(text: &str) -> Value {
    let text = text.trim();
    match text.bytes().next() {
        Some(b'{') => {
            let members = serde_json::from_str::<Members<'_>>(text).map(|it| it.0).unwrap_or_default();
            members
                .into_iter()
                .map(|(name, value)| (name, parse_with_exact_numbers(value.get())))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            elements.into_iter().map(|it| parse_with_exact_numbers(it.get())).collect::<Vec<_>>().into()
        }
        Some(b'-' | b'0'..=b'9') => text.into(),
        _ => serde_json::from_str(text).unwrap_or_default(),
    }
}

/// The members of an object in the order of the document. Each member has a name and the text of the value.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Members<'t> {
    /// Reads the members of an object. `None` if the text is not an object.
    fn read(text: &'t str) -> Result<Option<Self>, DuplicateMember> {
        let Ok(members) = serde_json::from_str::<Self>(text) else { return Ok(None) };
        let mut seen = HashSet::new();
        match members.0.iter().find(|(name, _)| !seen.insert(name.as_str())) {
            Some((name, _)) => Err(DuplicateMember(name.clone())),
            None => Ok(Some(members)),
        }
    }

    fn value(&self, name: &str) -> Option<&'t str> {
        self.0.iter().find(|(member, _)| member == name).map(|(_, value)| value.get())
    }

    fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.value(name)?).ok()
    }

    fn object(&self, name: &str) -> Result<Option<Self>, DuplicateMember> {
        self.value(name).map_or(Ok(None), Self::read)
    }

    /// Writes the object. `new_value` receives the name and the text of each value, and returns the text to
    /// write.
    fn write(&self, new_value: impl Fn(&str, &str) -> String) -> String {
        let mut text = String::from("{");
        for (name, value) in &self.0 {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&Value::from(name.as_str()).to_string());
            text.push(':');
            text.push_str(&new_value(name, value.get()));
        }
        text.push('}');
        text
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool_call_text(arguments: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{{"name":"x","arguments":{arguments}}}}}"#
        )
    }

    #[test]
    fn documents_keep_their_text_and_duplicate_members() {
        for document in [
            r#"[{"payAmount":99999999999999.99}]"#,
            r#"{"a":1e2,"a":8.00009999999999999999, "b" : "\ud800"}"#,
            "null",
            r#""text""#,
        ] {
            for name in [BODY_ARGUMENT, CHECKS_ARGUMENT] {
                let quoted =
                    documents_to_strings(&tool_call_text(&format!(r#"{{"limit":7,"{name}":{document}}}"#)));
                let quoted: Value = serde_json::from_str(&quoted.unwrap().unwrap()).unwrap();
                let arguments = &quoted["params"]["arguments"];
                assert_eq!((&arguments["limit"], document_text(&arguments[name])), (&json!(7), document));
                assert_eq!((&quoted["id"], &quoted["params"]["name"]), (&json!(1), &json!("x")));
            }
        }
    }

    #[test]
    fn duplicate_members_outside_documents_are_rejected() {
        let execute = tool_call_text(r#"{"execute":false,"execute":true}"#);
        assert_eq!(documents_to_strings(&execute), Err(DuplicateMember("execute".to_owned())));
        // Escapes in names are decoded before names are compared, so `company\u0049d` equals `companyId`.
        let escaped = tool_call_text(r#"{"companyId":"A","company\u0049d":"B"}"#);
        assert_eq!(documents_to_strings(&escaped), Err(DuplicateMember("companyId".to_owned())));
        let method = r#"{"jsonrpc":"2.0","method":"ping","id":1,"method":"tools/list"}"#;
        assert_eq!(documents_to_strings(method), Err(DuplicateMember("method".to_owned())));
        let arguments = r#"{"method":"tools/call","params":{"name":"x","arguments":{},"arguments":{}}}"#;
        assert_eq!(documents_to_strings(arguments), Err(DuplicateMember("arguments".to_owned())));
    }

    #[test]
    fn other_messages_are_left_to_the_parser() {
        for text in ["{", "[]", "7", r#"{"method":"ping","id":1}"#, r#"{"method":7,"id":1}"#] {
            assert_eq!(documents_to_strings(text), Ok(None), "{text}");
        }
        assert_eq!(documents_to_strings(&tool_call_text("7")), Ok(None));
    }

    #[test]
    fn numbers_become_strings_with_their_digits() {
        let parsed = parse_with_exact_numbers(r#" [{"a": 99999999999999.99, "b": ["x", true, null, -1]}]"#);
        assert_eq!(parsed, json!([{"a": "99999999999999.99", "b": ["x", true, null, "-1"]}]));
    }
}
