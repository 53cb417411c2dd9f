//! The prose in a file: paragraphs, headings, comments and texts of programs, each with its line.

mod markdown;
mod program;

use serde_json::Value;

/// What a passage is, which decides the rules that apply to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Sentences of a page or of a description.
    Paragraph,
    /// A heading of a page.
    Heading,
    /// A comment that documents an item.
    DocComment,
    /// A text that a program shows.
    Shown,
}

/// A piece of prose. Code in it is replaced by [`CODE`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// What it is.
    pub kind: Kind,
    /// The line of the file where it begins, from 1.
    pub line: usize,
    /// Its words.
    pub text: String,
}

/// Stands for code inside a passage: one word, which no rule looks at.
pub(crate) const CODE: &str = "`…`";

/// The passages of a file, by the ending of its name.
#[must_use]
pub fn passages(name: &str, text: &str) -> Vec<Passage> {
    match name.rsplit('.').next() {
        Some("md") => markdown::passages(text, 1),
        Some("rs") => program::rust(text),
        Some("js" | "html") => program::script(text),
        Some("json") => descriptions(text),
        _ => Vec::new(),
    }
}

/// The descriptions and summaries of an OpenAPI document. They are generated, so they have no line.
fn descriptions(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    // A file that is no JSON is found by other tests.
    if let Ok(document) = serde_json::from_str::<Value>(text) {
        descend(&document, &mut passages);
    }
    // The same sentence describes many operations.
    passages.sort_by(|one, other| one.text.cmp(&other.text));
    passages.dedup();
    passages
}

fn descend(value: &Value, passages: &mut Vec<Passage>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" || name == "summary" => {
                        passages.extend(
                            markdown::passages(text, 1).into_iter().map(|it| Passage { line: 1, ..it }),
                        );
                    }
                    _ => descend(member, passages),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|it| descend(it, passages)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The text with each stretch between two backticks replaced by [`CODE`].
fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        // An odd backtick at the end opens nothing.
        if is_code && parts.peek().is_some() {
            out.push_str(CODE);
        } else {
            out.push_str(part);
        }
        is_code = !is_code;
    }
    out
}
