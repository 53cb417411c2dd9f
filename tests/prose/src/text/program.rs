//! The passages of source files: doc comments, and texts that programs show.

use super::{Passage, PassageKind, markdown, without_code};

/// The minimum number of words for a literal to count as a sentence.
const MIN_WORDS: usize = 4;

/// Returns the doc comments of Rust code, and the string literals that are sentences.
pub(super) fn extract_rust_passages(text: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut comment: Option<(usize, String)> = None;
    for (at, row) in text.lines().enumerate() {
        let (line, trimmed) = (at.saturating_add(1), row.trim_start());
        let doc = trimmed.strip_prefix("///").or_else(|| trimmed.strip_prefix("//!"));
        if let Some(doc) = doc {
            let (_, lines) = comment.get_or_insert_with(|| (line, String::new()));
            lines.push_str(doc.strip_prefix(' ').unwrap_or(doc));
            lines.push('\n');
            continue;
        }
        passages.extend(comment.take().into_iter().flat_map(extract_doc_passages));
        if !trimmed.starts_with("//") {
            passages.extend(extract_literals(row, &['"']).map(|text| Passage {
                kind: PassageKind::Shown,
                line,
                text,
            }));
        }
    }
    passages.extend(comment.into_iter().flat_map(extract_doc_passages));
    passages
}

/// Returns the literals of JavaScript and the texts of HTML that are sentences.
pub(super) fn extract_script_passages(text: &str) -> Vec<Passage> {
    let rows = text.lines().enumerate().filter(|(_, row)| !row.trim_start().starts_with("//"));
    rows.flat_map(|(at, row)| {
        let line = at.saturating_add(1);
        extract_literals(row, &['"', '\'', '`']).map(move |text| Passage {
            kind: PassageKind::Shown,
            line,
            text,
        })
    })
    .collect()
}

fn extract_doc_passages((first, lines): (usize, String)) -> Vec<Passage> {
    let passages = markdown::extract_passages(&lines, first);
    let comments = passages.into_iter().map(|it| match it.kind {
        PassageKind::Heading => it,
        PassageKind::Paragraph | PassageKind::DocComment | PassageKind::Shown => {
            Passage { kind: PassageKind::DocComment, ..it }
        }
    });
    comments.collect()
}

/// Returns the string literals of a source line that have enough words for a sentence.
fn extract_literals<'r>(row: &'r str, quotes: &'r [char]) -> impl Iterator<Item = String> + 'r {
    let mut found = Vec::new();
    let mut rest = row;
    while let Some(start) = rest.find(quotes) {
        let Some(quote) = rest.get(start..).and_then(|it| it.chars().next()) else { break };
        let inside = rest.get(start.saturating_add(1)..).unwrap_or_default();
        let Some(end) = inside.find(quote) else { break };
        found.push(inside.get(..end).unwrap_or_default());
        rest = inside.get(end.saturating_add(1)..).unwrap_or_default();
    }
    found.into_iter().filter(|it| is_sentence(it)).map(without_code)
}

/// Returns whether a literal is a sentence. SQL, documents and names are not sentences.
fn is_sentence(literal: &str) -> bool {
    let is_word = |word: &&str| word.chars().filter(|it| it.is_alphabetic()).count() > 1;
    let is_code = literal.contains(['{', '<', '=', '$', '\\']) && !literal.contains("{}");
    let is_sql = ["SELECT", "INSERT", "UPDATE ", "CREATE", "DELETE FROM", "PRAGMA", "WHERE"];
    literal.split_whitespace().filter(is_word).count() >= MIN_WORDS
        && !is_code
        && !is_sql.iter().any(|it| literal.contains(it))
}
