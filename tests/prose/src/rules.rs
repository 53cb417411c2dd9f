//! The rules for prose, and the search for violations of these rules.

mod words;

use crate::text::{CODE_PLACEHOLDER, Passage, PassageKind};

/// The maximum number of words in nine of ten sentences of a page.
const MAX_SENTENCE_WORDS: usize = 28;
/// The number of semicolons that a page may have per 1,000 words.
const MAX_SEMICOLONS: usize = 3;
/// The minimum number of words for the semicolon rule. On a shorter page, one semicolon would be too many.
const MIN_WORDS_FOR_SEMICOLONS: usize = 200;
/// The minimum number of sentences on a page for the sentence length rule.
const MIN_SENTENCES: usize = 10;
/// The minimum number of words in a doc comment.
const MIN_COMMENT_WORDS: usize = 4;

/// A rule for prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A word or phrase for which a better term exists.
    Word,
    /// A heading that is a clause, such as "What it does".
    Heading,
    /// A page whose sentences are too long.
    Sentence,
    /// A page with too many semicolons.
    Semicolon,
    /// A doc comment of fewer than four words.
    Comment,
}

impl Rule {
    /// The list of all rules.
    pub const ALL: [Self; 5] = [Self::Word, Self::Heading, Self::Sentence, Self::Semicolon, Self::Comment];

    /// Returns the name of the rule in the report and in the baseline.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Heading => "heading",
            Self::Sentence => "sentence",
            Self::Semicolon => "semicolon",
            Self::Comment => "comment",
        }
    }
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule that is violated.
    pub rule: Rule,
    /// The line in the file, counted from 1.
    pub line: usize,
    /// The words that violate the rule, and a better term if the rule has one.
    pub text: String,
}

/// Returns the violations in a file in the order of its lines.
#[must_use]
pub fn find_violations(name: &str, passages: &[Passage]) -> Vec<Violation> {
    let mut found = Vec::new();
    for passage in passages {
        let mut add = |rule, text| found.push(Violation { rule, line: passage.line, text });
        words::find_forbidden_words(&passage.text).for_each(|text| add(Rule::Word, text));
        if passage.kind == PassageKind::Heading && is_relative_clause(&passage.text) {
            add(Rule::Heading, passage.text.trim().to_owned());
        }
    }
    found.extend(find_short_comments(passages));
    // The rules about pages do not apply to the comments and literals of a source file.
    if name.ends_with(".md") {
        found.extend(find_page_violations(passages));
    }
    found.sort_by_key(|it| (it.line, it.rule));
    found
}

/// Returns whether a heading begins like a free relative clause or a question.
fn is_relative_clause(heading: &str) -> bool {
    let first = heading.split_whitespace().next().unwrap_or_default().to_lowercase();
    let how_it =
        ["how it", "how that", "how they"].iter().any(|it| heading.trim().to_lowercase().starts_with(it));
    ["what", "who", "whom", "whose", "that"].contains(&first.as_str()) || how_it
}

/// Finds doc comments that are too short. Two kinds of comments are exempt: comments with several paragraphs,
/// and names of operations such as `GET /companies`.
fn find_short_comments(passages: &[Passage]) -> impl Iterator<Item = Violation> + '_ {
    let comments = passages.iter().filter(|it| it.kind == PassageKind::DocComment && !is_operation(&it.text));
    let few =
        comments.filter(|it| split_words(&it.text).count() < MIN_COMMENT_WORDS && it.text.ends_with('.'));
    few.map(|it| Violation { rule: Rule::Comment, line: it.line, text: it.text.clone() })
}

/// Returns whether a text is the method and the path of an operation.
fn is_operation(text: &str) -> bool {
    let (method, path) = text.split_once(' ').unwrap_or_default();
    ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method) && path.contains('/')
}

/// Finds the violations of the rules that measure a complete page.
fn find_page_violations(passages: &[Passage]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut lengths: Vec<usize> = passages
        .iter()
        .filter(|it| it.kind == PassageKind::Paragraph)
        .flat_map(|it| split_sentences(&it.text))
        .map(|it| split_words(it).count())
        .filter(|count| *count > 0)
        .collect();
    lengths.sort_unstable();
    let ninth = lengths.get(lengths.len().saturating_mul(9) / 10).copied().unwrap_or_default();
    if lengths.len() >= MIN_SENTENCES && ninth > MAX_SENTENCE_WORDS {
        let text = format!("one of ten sentences has {ninth} words or more; at most {MAX_SENTENCE_WORDS}");
        found.push(Violation { rule: Rule::Sentence, line: 1, text });
    }
    let all: usize = passages.iter().map(|it| split_words(&it.text).count()).sum();
    let semicolons: usize = passages.iter().map(|it| it.text.matches(';').count()).sum();
    let allowed = all.saturating_mul(MAX_SEMICOLONS).div_ceil(1_000);
    if all >= MIN_WORDS_FOR_SEMICOLONS && semicolons > allowed {
        let text = format!("{semicolons} semicolons in {all} words; at most {allowed}");
        found.push(Violation { rule: Rule::Semicolon, line: 1, text });
    }
    found
}

/// Splits a text into sentences. A dot inside a word, as in a file name, does not end a sentence.
fn split_sentences(text: &str) -> impl Iterator<Item = &str> {
    let ends = |pair: &str| [". ", "? ", "! ", ": "].contains(&pair);
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.trim().is_empty() {
            return None;
        }
        let places = rest.char_indices().map(|(at, _)| at);
        let end = places.into_iter().find(|at| rest.get(*at..at.saturating_add(2)).is_some_and(ends));
        let (sentence, after) = end.map_or((rest, ""), |end| rest.split_at(end.saturating_add(1)));
        rest = after;
        Some(sentence)
    })
}

fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|it| *it == CODE_PLACEHOLDER || it.chars().any(char::is_alphanumeric))
}

#[cfg(test)]
mod tests;
