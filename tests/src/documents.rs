//! Tests of the documentation files: links lead to existing files, and cited sections of the specification
//! exist. Generated pages are tested next to their code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that contain no files of this project and are skipped.
const IGNORED_FOLDERS: &[&str] = &[".git", "node_modules", "target"];

#[test]
fn every_link_in_a_document_leads_to_a_file() {
    let mut dead = Vec::new();
    for page in files_with_extension("md") {
        let text = read_file(&page);
        let folder = page.parent().expect("a file is in a folder");
        for link in find_links(&text) {
            let file = link.split('#').next().unwrap_or(link);
            if !file.is_empty() && !folder.join(file).exists() {
                dead.push(format!("{} -> {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn every_cited_section_exists() {
    let specification = specification();
    let sections: BTreeSet<&str> = split_sections(&specification).collect();
    let mut unknown = Vec::new();
    for file in files_with_extension("rs").into_iter().chain(files_with_extension("md")) {
        for cited in find_citations(&read_file(&file)) {
            if !sections.contains(cited.as_str()) {
                unknown.push(format!("{}: §{cited}", file.display()));
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn section_numbers_are_unique() {
    let specification = specification();
    let mut seen = BTreeSet::new();
    let twice: Vec<_> = split_sections(&specification).filter(|section| !seen.insert(*section)).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

/// Returns the chapters of the specification in one text.
fn specification() -> String {
    let chapters = fs::read_dir(repository_root().join("docs/specification")).expect("a folder can be read");
    chapters.flatten().map(|chapter| read_file(&chapter.path())).collect::<Vec<_>>().join("\n")
}

/// Returns the number of each section, which is the first word of its heading.
fn split_sections(specification: &str) -> impl Iterator<Item = &str> {
    let headings = specification.lines().filter(|line| line.starts_with('#'));
    headings.filter_map(|line| line.split(' ').nth(1))
}

/// Returns the targets of Markdown links to files of this repository.
fn find_links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|link| !link.contains("://"))
}

/// Returns the section numbers that follow a `§`. Sections of RFCs are omitted.
fn find_citations(text: &str) -> Vec<String> {
    let of_rfc =
        |before: &str| before.trim_end().rsplit(' ').nth(1).is_some_and(|word| word.ends_with("RFC"));
    let number = |rest: &str| -> String {
        rest.chars().skip(1).take_while(|c| c.is_ascii_digit() || *c == '.').collect()
    };
    let cited =
        text.match_indices('§').map(|(at, _)| text.split_at(at)).filter(|(before, _)| !of_rfc(before));
    let numbers = cited.map(|(_, rest)| number(rest).trim_end_matches('.').to_owned());
    numbers.filter(|number| !number.is_empty()).collect()
}

/// Returns all files of the repository with this ending. Symbolic links are followed.
fn files_with_extension(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![repository_root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder can be read").flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            let path = entry.path();
            let foreign = IGNORED_FOLDERS.iter().any(|name| path.ends_with(name));
            if path.is_dir() && !foreign {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                found.push(path);
            }
        }
    }
    found
}

fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read_file(path: &Path) -> String {
    fs::read_to_string(path).expect("a file of the repository is text")
}
