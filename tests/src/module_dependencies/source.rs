//! Finds the items that a Rust file uses from the crate to which the file belongs. The parser is simple: it
//! handles only formatted code that compiles.

use std::collections::HashSet;

/// The relevant content of one file, without code for tests.
#[derive(Debug, Default)]
pub(super) struct SourceFile {
    /// The modules that the file declares in other files, with the file name if an attribute sets it.
    pub(super) children: Vec<(String, Option<String>)>,
    /// The imports of the file.
    pub(super) imports: Vec<Import>,
    /// The paths in the file's code that have several segments.
    pub(super) paths: Vec<Vec<String>>,
    /// The words in the file's code, except for its imports. Each of these words may be the name of an item.
    pub(super) words: HashSet<String>,
}

/// One name that a `use` declaration imports.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    /// The name of the imported item in this file.
    pub(super) name: String,
    /// Whether the declaration also re-exports the name (`pub use`).
    pub(super) public: bool,
}

pub(super) fn read_source(text: &str) -> SourceFile {
    let tokens = split_tokens(text);
    let mut source = SourceFile::default();
    // For each open inline module, `inline` contains the depth of braces at its start.
    let (mut depth, mut inline, mut at) = (0, Vec::new(), 0);
    while let Some(token) = tokens.get(at) {
        let rest = &tokens[at..];
        let before = at.checked_sub(1).map_or("", |before| tokens[before].as_str());
        match (token.as_str(), rest.get(1).map_or("", String::as_str)) {
            _ if starts_with(rest, &["#", "[", "cfg", "(", "test", ")", "]"]) => {
                at += 7 + item_length(&rest[7..])
            }
            ("mod", name) if starts_with(&rest[2..], &[";"]) => {
                let reported = path_attribute(&tokens[..at]);
                source.children.push((name.to_owned(), reported));
                at += 3;
            }
            ("mod", _) if starts_with(&rest[2..], &["{"]) => {
                inline.push(depth);
                depth += 1;
                at += 3;
            }
            ("use", _) => {
                let end = rest.iter().position(|token| token == ";").unwrap_or(rest.len());
                let mut found = Vec::new();
                collect_paths(&rest[1..end], &[], &mut found);
                let public = before == "pub" || before == ")";
                let leave = |path: Vec<String>| outside_inline_modules(path, inline.len());
                source.imports.extend(
                    found
                        .into_iter()
                        .filter_map(|(path, name)| leave(path).map(|path| Import { path, name, public })),
                );
                at += end + 1;
            }
            ("{", _) => (depth, at) = (depth + 1, at + 1),
            ("}", _) => {
                depth -= 1;
                inline.retain(|opened| *opened < depth);
                at += 1;
            }
            (_, "::")
                if is_word(token) && !is_visibility(&tokens[..at]) && before != "." && before != "::" =>
            {
                let path = parse_path(rest);
                at += path.len() * 2 - 1;
                source.words.extend(path.first().cloned());
                source.paths.extend(outside_inline_modules(path, inline.len()));
            }
            _ => {
                if may_name_item(token, before, rest.get(1).map_or("", String::as_str)) {
                    source.words.insert(token.clone());
                }
                at += 1;
            }
        }
    }
    source
}

/// Converts a path in nested inline modules to a path relative to the module of the file. Returns `None` if
/// the path refers to one of the inline modules.
fn outside_inline_modules(path: Vec<String>, inline: usize) -> Option<Vec<String>> {
    let ups = path.iter().take_while(|part| *part == "super").count();
    match path.first()?.as_str() {
        "super" if ups < inline => None,
        "super" if ups == inline => Some([vec!["self".to_owned()], path[ups..].to_vec()].concat()),
        "super" => Some(path[inline..].to_vec()),
        "crate" => Some(path),
        _ if inline > 0 => None,
        _ => Some(path),
    }
}

/// Returns the segments of the path at the start of the tokens.
fn parse_path(tokens: &[String]) -> Vec<String> {
    let mut path = vec![tokens[0].clone()];
    for pair in tokens[1..].chunks_exact(2) {
        if pair[0] != "::" || !is_word(&pair[1]) {
            break;
        }
        path.push(pair[1].clone());
    }
    path
}

/// Collects the imported paths of a `use` declaration, each with the name that it gets in the file.
fn collect_paths(tokens: &[String], before: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let mut path = before.to_vec();
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "::" => {}
            "{" => {
                return split_at_commas(&tokens[at + 1..tokens.len() - 1])
                    .for_each(|part| collect_paths(part, &path, found));
            }
            "as" => {
                let name = tokens.get(at + 1).cloned().unwrap_or_default();
                return found.push((path, name));
            }
            "self" if !path.is_empty() => {}
            word => path.push(word.to_owned()),
        }
    }
    let name = path.last().cloned().unwrap_or_default();
    found.push((path, name));
}

/// Splits the tokens at the commas that are outside braces.
fn split_at_commas(tokens: &[String]) -> impl Iterator<Item = &[String]> {
    let mut depth = 0;
    let split = tokens.split(move |token| {
        depth += i32::from(token == "{") - i32::from(token == "}");
        depth == 0 && token == ","
    });
    split.filter(|part| !part.is_empty())
}

/// Returns the number of tokens of an item, including the attributes before it.
fn item_length(tokens: &[String]) -> usize {
    let (mut depth, mut braces_end_it) = (0, true);
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "use" | "const" | "static" | "type" if depth == 0 => braces_end_it = false,
            "fn" if depth == 0 => braces_end_it = true,
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 && (token == ";" || token == "}" && braces_end_it) {
            return at + 1;
        }
    }
    tokens.len()
}

/// Returns the file name in a `parse_path` attribute of the module that is declared next.
fn path_attribute(before: &[String]) -> Option<String> {
    let start = before.iter().rposition(|token| token == ";" || token == "}").map_or(0, |at| at + 1);
    let at = before[start..].windows(3).position(|it| it[0] == "[" && it[1] == "path" && it[2] == "=")?;
    Some(before[start + at + 3].trim_matches('"').to_owned())
}

fn starts_with(tokens: &[String], with: &[&str]) -> bool {
    tokens.len() >= with.len() && tokens.iter().zip(with).all(|(is, expected)| is == expected)
}

/// Returns whether the tokens are a visibility such as `pub(in …)`.
fn is_visibility(before: &[String]) -> bool {
    before.len() >= 3 && starts_with(&before[before.len() - 3..], &["pub", "(", "in"])
}

/// Returns whether a word may name an item: a type, a constant, or a called function.
fn may_name_item(word: &str, before: &str, after: &str) -> bool {
    is_word(word) && (word.starts_with(char::is_uppercase) || after == "(" && before != "." && before != "fn")
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Returns the tokens of a text: words, `::`, quoted texts, and all other characters except spaces. Comments
/// are omitted.
fn split_tokens(text: &str) -> Vec<String> {
    let (bytes, mut tokens, mut at) = (text.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let length = match rest.chars().next() {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if rest.starts_with("::") => 2,
            Some('"') => quoted_length(rest),
            Some('\'') => character_length(rest),
            Some('r' | 'b' | 'c') if raw_string_length(rest).is_some() => {
                raw_string_length(rest).unwrap_or(1)
            }
            Some(first) if first.is_alphanumeric() || first == '_' => {
                rest.find(|next: char| !next.is_alphanumeric() && next != '_').unwrap_or(rest.len())
            }
            Some(other) => other.len_utf8(),
            None => break,
        };
        let token = &rest[..length];
        if !token.starts_with("//") && !token.starts_with("/*") && !token.trim().is_empty() {
            tokens.push(token.to_owned());
        }
        at += length;
    }
    tokens
}

/// Returns the length of a quoted text.
fn quoted_length(rest: &str) -> usize {
    let mut escaped = true;
    let end = rest.char_indices().find(|(_, next)| {
        let ends = *next == '"' && !escaped;
        escaped = *next == '\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |(at, _)| at + 1)
}

/// Returns the length of a character literal. For a lifetime, returns the length of its quote.
fn character_length(rest: &str) -> usize {
    let mut after = rest.chars().skip(1);
    match (after.next(), after.next()) {
        (Some('\\'), _) => rest[3..].find('\'').map_or(1, |end| end + 4),
        (Some(only), Some('\'')) => only.len_utf8() + 2,
        _ => 1,
    }
}

/// Returns the length of a raw string.
fn raw_string_length(rest: &str) -> Option<usize> {
    let letters = ["br", "cr", "r"].into_iter().find(|letters| rest.starts_with(letters))?.len();
    let hashes = rest[letters..].len() - rest[letters..].trim_start_matches('#').len();
    let inside = rest[letters + hashes..].strip_prefix('"')?;
    let end = inside.find(&format!("\"{}", "#".repeat(hashes)))?;
    Some(letters + hashes + 1 + end + 1 + hashes)
}
