//! The rules, and what violates them.

mod words;

use crate::text::{CODE, Kind, Passage};

/// Words of a sentence that 9 of 10 sentences of a page do not exceed.
const SENTENCE_WORDS: usize = 28;
/// Semicolons that 1,000 words of a page may have.
const SEMICOLONS: usize = 3;
/// Words of a page from which its semicolons are counted: of fewer, one would be too many.
const COUNTED_WORDS: usize = 200;
/// Sentences of a page from which their length is measured.
const COUNTED_SENTENCES: usize = 10;
/// Words that a doc comment has at least.
const COMMENT_WORDS: usize = 4;

/// What a passage is checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A word or phrase for which the field has a better one.
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
    /// Every rule.
    pub const ALL: [Self; 5] = [Self::Word, Self::Heading, Self::Sentence, Self::Semicolon, Self::Comment];

    /// Its name in the report and in the baseline.
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

/// A passage that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The line of the file, from 1.
    pub line: usize,
    /// The words that break it, and what to write if the rule knows.
    pub text: String,
}

/// The violations in a file, in the order of its lines.
#[must_use]
pub fn violations(name: &str, passages: &[Passage]) -> Vec<Violation> {
    let mut found = Vec::new();
    for passage in passages {
        let mut add = |rule, text| found.push(Violation { rule, line: passage.line, text });
        words::found(&passage.text).for_each(|text| add(Rule::Word, text));
        if passage.kind == Kind::Heading && is_clause(&passage.text) {
            add(Rule::Heading, passage.text.trim().to_owned());
        }
    }
    found.extend(short_comments(passages));
    // Comments and literals of a source file are no page.
    if name.ends_with(".md") {
        found.extend(of_page(passages));
    }
    found.sort_by_key(|it| (it.line, it.rule));
    found
}

/// Whether a heading begins as a free relative clause or a question does.
fn is_clause(heading: &str) -> bool {
    let first = heading.split_whitespace().next().unwrap_or_default().to_lowercase();
    let how_it =
        ["how it", "how that", "how they"].iter().any(|it| heading.trim().to_lowercase().starts_with(it));
    ["what", "who", "whom", "whose", "that"].contains(&first.as_str()) || how_it
}

/// Doc comments that say too little. A comment with several paragraphs says more than its first one, and an
/// operation such as `GET /companies` says everything about its handler.
fn short_comments(passages: &[Passage]) -> impl Iterator<Item = Violation> + '_ {
    let comments = passages.iter().filter(|it| it.kind == Kind::DocComment && !is_operation(&it.text));
    let few = comments.filter(|it| words(&it.text).count() < COMMENT_WORDS && it.text.ends_with('.'));
    few.map(|it| Violation { rule: Rule::Comment, line: it.line, text: it.text.clone() })
}

/// Whether a text is the method and the path of an operation.
fn is_operation(text: &str) -> bool {
    let (method, path) = text.split_once(' ').unwrap_or_default();
    ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method) && path.contains('/')
}

/// The violations of the rules that measure all of a page.
fn of_page(passages: &[Passage]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut lengths: Vec<usize> = passages
        .iter()
        .filter(|it| it.kind == Kind::Paragraph)
        .flat_map(|it| sentences(&it.text))
        .map(|it| words(it).count())
        .filter(|count| *count > 0)
        .collect();
    lengths.sort_unstable();
    let ninth = lengths.get(lengths.len().saturating_mul(9) / 10).copied().unwrap_or_default();
    if lengths.len() >= COUNTED_SENTENCES && ninth > SENTENCE_WORDS {
        let text = format!("one of ten sentences has {ninth} words or more; at most {SENTENCE_WORDS}");
        found.push(Violation { rule: Rule::Sentence, line: 1, text });
    }
    let all: usize = passages.iter().map(|it| words(&it.text).count()).sum();
    let semicolons: usize = passages.iter().map(|it| it.text.matches(';').count()).sum();
    let allowed = all.saturating_mul(SEMICOLONS).div_ceil(1_000);
    if all >= COUNTED_WORDS && semicolons > allowed {
        let text = format!("{semicolons} semicolons in {all} words; at most {allowed}");
        found.push(Violation { rule: Rule::Semicolon, line: 1, text });
    }
    found
}

/// The sentences of a text. A dot inside a word, as in a file name, ends none.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
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

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|it| *it == CODE || it.chars().any(char::is_alphanumeric))
}

#[cfg(test)]
mod tests;
