//! Extracts the prose from a file: paragraphs, headings, comments and texts of programs, each with its line.

mod markdown;
mod program;

use serde_json::Value;

/// The kind of a passage, which determines the rules that apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassageKind {
    /// Sentences of a page or of a description.
    Paragraph,
    /// A heading of a page.
    Heading,
    /// A comment that documents an item.
    DocComment,
    /// A text that a program shows.
    Shown,
}

/// A piece of prose. Code in the text is replaced by [`CODE_PLACEHOLDER`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The kind of the passage.
    pub kind: PassageKind,
    /// The line in the file where the passage begins, counted from 1.
    pub line: usize,
    /// The text of the passage.
    pub text: String,
}

/// The replacement for code inside a passage. The replacement counts as one word to which no rule applies.
pub(crate) const CODE_PLACEHOLDER: &str = "`…`";

/// Returns the passages of a file. The extension of its name selects the format.
#[must_use]
pub fn extract_passages(name: &str, text: &str) -> Vec<Passage> {
    match name.rsplit('.').next() {
        Some("md") => markdown::extract_passages(text, 1),
        Some("rs") => program::extract_rust_passages(text),
        Some("js" | "html") => program::extract_script_passages(text),
        Some("json") => extract_descriptions(text),
        _ => Vec::new(),
    }
}

/// Returns the descriptions and summaries of an OpenAPI document. The document is generated, so the line
/// numbers of its texts are not useful.
fn extract_descriptions(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    // An invalid JSON file has no passages, because other tests detect invalid JSON.
    if let Ok(document) = serde_json::from_str::<Value>(text) {
        collect_descriptions(&document, &mut passages);
    }
    // Many operations share the same sentence, so duplicates are removed.
    passages.sort_by(|one, other| one.text.cmp(&other.text));
    passages.dedup();
    passages
}

fn collect_descriptions(value: &Value, passages: &mut Vec<Passage>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" || name == "summary" => {
                        passages.extend(
                            markdown::extract_passages(text, 1)
                                .into_iter()
                                .map(|it| Passage { line: 1, ..it }),
                        );
                    }
                    _ => collect_descriptions(member, passages),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|it| collect_descriptions(it, passages)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Replaces each text between two backticks with [`CODE_PLACEHOLDER`].
fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        // The last backtick of an odd number has no partner, so it does not begin code.
        if is_code && parts.peek().is_some() {
            out.push_str(CODE_PLACEHOLDER);
        } else {
            out.push_str(part);
        }
        is_code = !is_code;
    }
    out
}
