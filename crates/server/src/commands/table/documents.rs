//! Reads the document that a command sends: from a file, from members on the command line, or from both.
//!
//! Values, including numbers, are sent exactly as the user wrote them, and duplicate members stay duplicate.
//! The operator API validates the document.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::failure::{Failure, Outcome};

/// The maximum size of a document in bytes. The taxes of some hundred thousand completed checks fit.
const MAX_DOCUMENT_BYTES: u64 = 256 * 1024 * 1024;
/// The maximum number of names in a member path such as `name.givenName`. No document of the operator API is
/// that deep.
const MAX_DEPTH: usize = 16;
/// The first characters of JSON values in `--set`. A value that starts with another character is only JSON if
/// it is true, false or null. Any other value is text.
const JSON_FIRST_CHARACTERS: [char; 3] = ['{', '[', '"'];

/// Returns the arguments `--file` and `--set`.
pub(super) fn document_arguments() -> [Arg; 2] {
    let set = "A member and its value, such as name.givenName=Ann. Can be repeated, and overrides --file. \
        true, false, null and values that begin with {, [ or a quotation mark are JSON. All other values \
        are text";
    [
        file_argument("file").help("The document, JSON; `-` reads standard input"),
        Arg::new("set").long("set").value_name("MEMBER=VALUE").action(ArgAction::Append).help(set),
    ]
}

/// Returns a flag whose value is the name of a file.
pub(super) fn file_argument(name: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("FILE")
        .value_hint(ValueHint::FilePath)
        .value_parser(ValueParser::path_buf())
}

/// Returns the document from `--file` and `--set`.
///
/// # Errors
/// The file cannot be read, `--set` is used with a file that is not a JSON object, or a `--set` is invalid.
pub(super) fn read_document(arguments: &ArgMatches) -> Outcome<Vec<u8>> {
    let file = arguments.get_one::<PathBuf>("file");
    let whole = file.map(|file| read_file(file)).transpose()?.unwrap_or_else(|| b"{}".to_vec());
    let set: Vec<&String> = arguments.get_many("set").into_iter().flatten().collect();
    if set.is_empty() {
        return Ok(whole);
    }
    let no_object = |error| Failure::with_cause("--set requires that --file contains a JSON object", &error);
    let mut object: Object = serde_json::from_slice(&whole).map_err(no_object)?;
    for member in set {
        let (name, value) = member
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| Failure::new(format!("--set {member:?} is not of the form MEMBER=VALUE")))?;
        let way: Vec<&str> = name.split('.').collect();
        if way.len() > MAX_DEPTH {
            return Err(Failure::new(format!(
                "the member name {name:?} of --set has more than {MAX_DEPTH} levels"
            )));
        }
        object.set(&way, to_raw_value(value)?)?;
    }
    serde_json::to_vec(&object).map_err(|error| Failure::with_cause("the document cannot be written", &error))
}

/// Sets a member of a document to true. A missing document counts as an empty object.
///
/// # Errors
/// The document is not a JSON object.
pub(in crate::commands) fn with_true_member(document: Option<Vec<u8>>, member: &str) -> Outcome<Vec<u8>> {
    let no_object = |error| Failure::with_cause("the document is not a JSON object", &error);
    let mut object: Object =
        serde_json::from_slice(&document.unwrap_or_else(|| b"{}".to_vec())).map_err(no_object)?;
    object.set(&[member], to_raw_value("true")?)?;
    serde_json::to_vec(&object).map_err(|error| Failure::with_cause("the document cannot be written", &error))
}

/// Reads the content of a file. `-` is standard input.
///
/// # Errors
/// The file cannot be read, or is too large.
pub(in crate::commands) fn read_file(file: &Path) -> Outcome<Vec<u8>> {
    let unreadable =
        |error: std::io::Error| Failure::with_cause(format!("{} cannot be read", file.display()), &error);
    let mut input = Vec::new();
    let mut bounded: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(std::io::stdin().take(MAX_DOCUMENT_BYTES + 1)),
        false => Box::new(std::fs::File::open(file).map_err(unreadable)?.take(MAX_DOCUMENT_BYTES + 1)),
    };
    bounded.read_to_end(&mut input).map_err(unreadable)?;
    if input.len() as u64 > MAX_DOCUMENT_BYTES {
        return Err(Failure::new(format!("{} has more than {MAX_DOCUMENT_BYTES} bytes", file.display())));
    }
    Ok(input)
}

/// Converts a value of `--set` to JSON. A value that is not JSON becomes a JSON string.
fn to_raw_value(value: &str) -> Outcome<Box<RawValue>> {
    let is_json = ["true", "false", "null"].contains(&value) || value.starts_with(JSON_FIRST_CHARACTERS);
    let text = if is_json { value.to_owned() } else { serde_json::Value::from(value).to_string() };
    RawValue::from_string(text).map_err(|error| {
        Failure::with_cause(format!("the value {value:?} of --set is not valid JSON"), &error)
    })
}

/// The members of a JSON object, each with its original text.
#[derive(Default)]
struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    /// Sets the member at the end of a path of member names.
    fn set(&mut self, member_path: &[&str], value: Box<RawValue>) -> Outcome {
        let Some((name, below)) = member_path.split_first() else { return Ok(()) };
        let value = if below.is_empty() { value } else { self.with_member(name, below, value)? };
        self.0.retain(|(other, _)| other != name);
        self.0.push(((*name).to_owned(), value));
        Ok(())
    }

    /// Returns the JSON of the object in the member `name`, after the member at `member_path` was set in that
    /// object. If there is no such object, a new object with that member is returned.
    fn with_member(&self, name: &str, member_path: &[&str], value: Box<RawValue>) -> Outcome<Box<RawValue>> {
        let wrong = |error| {
            Failure::with_cause(format!("--set sets a member of {name}, which is not a JSON object"), &error)
        };
        let old = self.0.iter().rev().find(|(other, _)| other == name);
        let mut object: Self = match old {
            Some((_, old)) => serde_json::from_str(old.get()).map_err(wrong)?,
            None => Self::default(),
        };
        object.set(member_path, value)?;
        serde_json::value::to_raw_value(&object).map_err(wrong)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;
    use std::io::Write;

    fn build_document(file: Option<&str>, set: &[&str]) -> Outcome<String> {
        let mut document_file = tempfile::NamedTempFile::new().unwrap();
        let mut line = vec!["x".to_owned()];
        if let Some(text) = file {
            document_file.write_all(text.as_bytes()).unwrap();
            line.extend(["--file".to_owned(), document_file.path().to_str().unwrap().to_owned()]);
        }
        line.extend(set.iter().flat_map(|member| ["--set".to_owned(), (*member).to_owned()]));
        let matches = Command::new("x").args(document_arguments()).try_get_matches_from(line).unwrap();
        read_document(&matches).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn document_file_is_sent_unchanged() {
        for text in ["{\"a\": 1.10, \"a\": 2}", "no JSON", ""] {
            assert_eq!(build_document(Some(text), &[]).unwrap(), text);
        }
    }

    #[test]
    fn sets_members_with_their_text_in_addition_to_the_file() {
        let set = ["id=007", "name.givenName=Ann", "open=true", "end=null", "rate=21.50", "list=[1.0]"];
        let expected =
            r#"{"id":"007","name":{"givenName":"Ann"},"open":true,"end":null,"rate":"21.50","list":[1.0]}"#;
        assert_eq!(build_document(None, &set).unwrap(), expected);
        let file = r#"{"amount": 1.10, "name": {"familyName": "Q", "x": 1, "x": 2}}"#;
        let both = build_document(Some(file), &["name.givenName=Ann"]).unwrap();
        assert_eq!(both, r#"{"amount":1.10,"name":{"familyName":"Q","x":1,"x":2,"givenName":"Ann"}}"#);
    }

    #[test]
    fn reports_members_that_cannot_be_set() {
        let deep = ["a"; MAX_DEPTH + 1].join(".") + "=1";
        for (file, set, says) in [
            (None, "name", "MEMBER=VALUE"),
            (None, "=x", "MEMBER=VALUE"),
            (None, "a=[1", "not valid JSON"),
            (None, deep.as_str(), "levels"),
            (Some("[]"), "a=1", "JSON object"),
            (Some(r#"{"a": 1}"#), "a.b=1", "sets a member of a"),
        ] {
            let failure = build_document(file, &[set]).unwrap_err().to_string();
            assert!(failure.contains(says), "{failure}");
        }
    }
}
