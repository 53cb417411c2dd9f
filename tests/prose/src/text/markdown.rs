//! The passages of Markdown files.

use super::{Passage, PassageKind, without_code};

/// Returns the paragraphs, headings, list items and table cells, without code blocks.
pub(super) fn extract_passages(text: &str, first_line: usize) -> Vec<Passage> {
    let mut reader = MarkdownReader::default();
    for (line, row) in text.lines().enumerate() {
        reader.read_row(first_line.saturating_add(line), row);
    }
    reader.end_paragraph();
    reader.passages
}

#[derive(Default)]
struct MarkdownReader {
    passages: Vec<Passage>,
    in_code: bool,
    /// The text of the current paragraph and its first line.
    paragraph: Option<(usize, String)>,
}

impl MarkdownReader {
    fn read_row(&mut self, line: usize, row: &str) {
        let trimmed = row.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.end_paragraph();
            self.in_code = !self.in_code;
        } else if self.in_code {
        } else if trimmed.is_empty() {
            self.end_paragraph();
        } else if trimmed.starts_with('#') {
            self.end_paragraph();
            self.add_passage(PassageKind::Heading, line, trimmed.trim_start_matches('#'));
        } else if trimmed.starts_with('|') {
            self.end_paragraph();
            for cell in trimmed.trim_matches('|').split('|') {
                self.add_passage(PassageKind::Paragraph, line, cell);
            }
        } else if let Some(item) = list_item_text(trimmed) {
            self.end_paragraph();
            self.paragraph = Some((line, item.to_owned()));
        } else if let Some((_, paragraph)) = &mut self.paragraph {
            paragraph.push(' ');
            paragraph.push_str(trimmed);
        } else {
            self.paragraph = Some((line, trimmed.to_owned()));
        }
    }

    fn end_paragraph(&mut self) {
        if let Some((line, text)) = self.paragraph.take() {
            self.add_passage(PassageKind::Paragraph, line, &text);
        }
    }

    fn add_passage(&mut self, kind: PassageKind, line: usize, text: &str) {
        let text = without_links(&without_code(text.trim()));
        if text.chars().any(char::is_alphabetic) {
            self.passages.push(Passage { kind, line, text });
        }
    }
}

/// Returns the text of a list item without its marker.
fn list_item_text(row: &str) -> Option<&str> {
    let marked = ["* ", "- ", "+ "].iter().find_map(|mark| row.strip_prefix(mark));
    marked.or_else(|| {
        let (number, rest) = row.split_once(". ")?;
        number.chars().all(|it| it.is_ascii_digit()).then_some(rest)
    })
}

/// Replaces each Markdown link in a text with the link's text.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    out.replace(['[', ']', '*'], "")
}
