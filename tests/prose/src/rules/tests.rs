use super::*;
use crate::text::extract_passages;

/// Returns the rules that a file with this text violates, and the lines.
fn violated_rules(name: &str, text: &str) -> Vec<(Rule, usize)> {
    find_violations(name, &extract_passages(name, text)).into_iter().map(|it| (it.rule, it.line)).collect()
}

#[test]
fn words_of_the_list_are_found_in_prose_and_not_in_code() {
    let page =
        "# Retries\n\nThe answer is told to nobody.\n\n```\nanswer\n```\n\nThe field `whole` is wholesome.\n";
    assert_eq!(violated_rules("a.md", page), [(Rule::Word, 3); 3]);
    let program =
        "/// The whole file is read.\nfn f() {}\nlet text = \"the whole file is too large\";\n// whole\n";
    assert_eq!(violated_rules("a.rs", program), [(Rule::Word, 1), (Rule::Word, 3)]);
    assert_eq!(violated_rules("a.js", "show('the request was refused by it');"), [(Rule::Word, 1)]);
    let description =
        r#"{"a": [{"description": "A whole page."}, {"description": "A whole page."}], "b": "whole"}"#;
    assert_eq!(violated_rules("openapi.json", description), [(Rule::Word, 1)]);
}

#[test]
fn a_word_in_another_sense_is_allowed() {
    assert_eq!(violated_rules("a.md", "The limit is a whole number. The server refuses to start.\n"), []);
    assert_eq!(violated_rules("a.md", "The server refuses the file.\n"), [(Rule::Word, 1)]);
    assert_eq!(
        violated_rules("a.md", "A direct deposit becomes REFUSED. POST /deposits/{id}/refuse does it.\n"),
        []
    );
}

#[test]
fn a_heading_is_a_noun_or_a_verb() {
    assert_eq!(
        violated_rules("a.md", "# What doctor says\n\n## How it works\n"),
        [(Rule::Heading, 1), (Rule::Heading, 3)]
    );
    assert_eq!(violated_rules("a.md", "# Diagnostics\n\n## Delete a hook\n\n### How to delete a hook\n"), []);
}

#[test]
fn a_page_has_short_sentences_and_few_semicolons() {
    let long = format!("{} end. ", "word ".repeat(MAX_SENTENCE_WORDS));
    assert_eq!(violated_rules("a.md", &long.repeat(MIN_SENTENCES)), [(Rule::Sentence, 1)]);
    let short = "Each sentence of this page has some words. ".repeat(40);
    assert_eq!(violated_rules("a.md", &short), []);
    assert_eq!(violated_rules("a.md", &format!("{short} a; b.")), []);
    assert_eq!(violated_rules("a.md", &format!("{short} a; b; c.")), [(Rule::Semicolon, 1)]);
    assert_eq!(
        violated_rules("a.rs", &format!("//! {}", long.repeat(MIN_SENTENCES))),
        [],
        "comments are no page"
    );
}

#[test]
fn a_doc_comment_has_enough_words() {
    assert_eq!(violated_rules("a.rs", "/// For all.\nfn f() {}\n"), [(Rule::Comment, 1)]);
    assert_eq!(violated_rules("a.rs", "/// Seconds since 1970, in UTC.\nfn f() {}\n"), []);
    assert_eq!(violated_rules("a.rs", "/// GET …/hooks/{hookId}/deliveries.\nfn f() {}\n"), []);
    assert_eq!(violated_rules("a.rs", "/// GET it.\nfn f() {}\n"), [(Rule::Comment, 1)]);
}

#[test]
fn sentences_end_only_at_punctuation_marks() {
    let text = "See api.md for it. Then: run 1.5 tests!";
    assert_eq!(
        split_sentences(text).map(str::trim).collect::<Vec<_>>(),
        ["See api.md for it.", "Then:", "run 1.5 tests!"]
    );
}
