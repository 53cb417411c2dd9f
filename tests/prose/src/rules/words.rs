//! The words that this project avoids, and their replacements.

use crate::text::CODE_PLACEHOLDER;

/// A word or phrase in lower case, and its replacement.
const WORDS: &[(&str, &str)] = &[
    ("answer", "response, reply"),
    ("answered", "replied, returned"),
    ("answers", "responses, replies"),
    ("are good until", "expire at"),
    ("are had", "an active verb"),
    ("as it was", "before, unchanged"),
    ("be it", "a positive statement"),
    ("beside", "next to, in addition to"),
    ("doubled", "duplicate, twice"),
    ("drop it", "delete it"),
    ("has not gone well", "failing"),
    ("in words", "a noun"),
    ("is asked", "is requested"),
    ("is good until", "expires at"),
    ("judge", "validate, check"),
    ("judged", "validated, checked"),
    ("judges", "validates, checks"),
    ("lies in", "is in"),
    ("look at this", "see"),
    ("looked at", "checked, read"),
    ("looks at", "checks, reads"),
    ("made anew", "created again"),
    ("names no", "is unknown"),
    ("no more than there are", "at most"),
    ("nobody", "no operator, no client"),
    ("of late", "recently"),
    ("owed", "pending, due"),
    ("put in", "add, insert"),
    ("refuse", "reject"),
    ("refused", "rejected"),
    ("refuses", "rejects"),
    ("rests on", "depends on"),
    ("send again", "resend, retry"),
    ("sent again", "resent, retried"),
    ("somebody", "an operator, a client"),
    ("stand in", "are in"),
    ("stands in", "is in"),
    ("take away", "remove"),
    ("tell", "report, say"),
    ("tells", "reports, says"),
    ("think again", "revisit this if"),
    ("told", "reported, notified"),
    ("under way", "in progress"),
    ("what comes back", "response"),
    ("what is asked", "request"),
    ("what waits", "pending"),
    ("whoever", "operator, client, you"),
    ("whole", "full, complete, entire"),
    ("whom it concerns", "the reader"),
];

/// Phrases that contain a word of the list in another sense.
const ALLOWED_PHRASES: &[&str] = &[
    "as it was sent",
    "connection refused",
    "names no scopes",
    "refuse to start",
    "refuses to start",
    "whole number",
];

/// Finds the phrases of the list in a text, each with its replacement.
pub(super) fn find_forbidden_words(text: &str) -> impl Iterator<Item = String> {
    let text: Vec<&str> =
        text.split(' ').map(|word| if is_wire_value(word) { CODE_PLACEHOLDER } else { word }).collect();
    let text = text.join(" ");
    let text = ALLOWED_PHRASES.iter().fold(text.to_lowercase(), |text, allowed| text.replace(allowed, ""));
    WORDS.iter().flat_map(move |(phrase, better)| {
        let count = count_occurrences(&text, phrase);
        std::iter::repeat_n(format!("\"{phrase}\": write {better}"), count)
    })
}

/// Returns whether a word is a value of the API, such as REFUSED. The rules do not apply to such words.
fn is_wire_value(word: &str) -> bool {
    word.chars().filter(char::is_ascii_uppercase).count() > 1 && !word.contains(char::is_lowercase)
}

/// Counts the occurrences of a phrase as separate words.
fn count_occurrences(text: &str, phrase: &str) -> usize {
    // The segment of a path, such as `/refuse`, is not a word of a sentence.
    let is_part = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || "_-/".contains(it));
    text.match_indices(phrase)
        .filter(|(at, _)| {
            let before = text.get(..*at).and_then(|it| it.chars().next_back());
            let after = text.get(at.saturating_add(phrase.len())..).and_then(|it| it.chars().next());
            !is_part(before) && !is_part(after)
        })
        .count()
}
