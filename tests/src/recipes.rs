//! Tests that the recipes in CONTRIBUTING.md are correct. Each code block must occur in the file that it
//! names, and the stated sizes must be right. The paths on the pages for contributors must exist.

mod walk;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages for contributors.
const PAGES_WITH_QUOTATIONS: &[&str] = &["CONTRIBUTING.md", "ARCHITECTURE.md", INDEX_PAGE];
/// The index of the code. Its paths are relative to `crates`.
const INDEX_PAGE: &str = "docs/code-index.md";
/// The folders with which a path in the repository can begin.
const CODE_FOLDERS: &[&str] = &["crates/", "docs/", "migrations/", "tests/"];

fn repository_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn read_file(path: &str) -> String {
    fs::read_to_string(repository_path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A code block of a page, and the path of the file from which the block is quoted.
struct Quotation {
    section: String,
    path: String,
    lines: Vec<String>,
}

/// Returns the code blocks of a page that name a file, each with the heading above it.
fn read_quotations(page: &str) -> Vec<Quotation> {
    let (mut section, mut quotations, mut inside) = (String::new(), Vec::new(), None);
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            heading.clone_into(&mut section);
        }
        let line = line.trim();
        match (line.strip_prefix("```"), &mut inside) {
            (Some(_), Some(_)) => quotations.extend(inside.take()),
            (Some(language), None) => {
                let path = language.split_whitespace().nth(1).filter(|path| is_path(path));
                inside = path.map(|path| Quotation {
                    section: section.clone(),
                    path: path.to_owned(),
                    lines: Vec::new(),
                });
            }
            (None, Some(quotation)) => quotation.lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    quotations
}

fn is_path(text: &str) -> bool {
    CODE_FOLDERS.iter().any(|folder| text.starts_with(folder))
}

/// Returns whether the file contains these lines one after another, with any indentation.
fn contains_lines(file: &str, lines: &[String]) -> bool {
    let file: Vec<_> = file.lines().map(str::trim).collect();
    !lines.is_empty() && file.windows(lines.len()).any(|window| window == lines)
}

#[test]
fn every_quotation_equals_its_code() {
    let quotations = read_quotations(&read_file("CONTRIBUTING.md"));
    assert!(quotations.len() > 20, "{} blocks name a file", quotations.len());
    let outdated = quotations.iter().filter(|it| !contains_lines(&read_file(&it.path), &it.lines));
    let outdated: Vec<_> = outdated.map(|it| format!("{}: {}", it.path, it.lines.join("\n"))).collect();
    assert!(outdated.is_empty(), "not in the file:\n{}", outdated.join("\n\n"));
}

#[test]
fn the_recipes_page_states_the_sizes_of_its_examples() {
    let page = read_file("CONTRIBUTING.md");
    let quotations = read_quotations(&page);
    for section in ["Add a list to a company", "Add a part of a worker"] {
        let own: Vec<_> = quotations.iter().filter(|it| it.section == section).collect();
        let lines: usize = own.iter().map(|it| it.lines.len()).sum();
        let files: BTreeSet<_> = own.iter().map(|it| it.path.as_str()).collect();
        let sentence = format!("{lines} lines in {} files", files.len());
        let (_, text) = page.split_once(&format!("### {section}\n")).expect("the section");
        let text = text.split("\n### ").next().expect("a text");
        assert!(text.contains(&sentence), "{section}: the quoted code has {sentence}");
    }
}

/// The abbreviations of folders in the index of the code. The full paths are relative to `crates`.
const PATH_ABBREVIATIONS: &[(&str, &str)] = &[("http/", "adapter-http/src/"), ("db/", "adapter-db/src/")];

/// Returns the path in the repository to which a code text on a page refers. Returns `None` if the text is
/// not a path.
fn path_in_repository(page: &str, code: &str) -> Option<String> {
    if is_path(code) {
        return Some(code.to_owned());
    }
    let (first, rest) = code.split_once('/').filter(|_| page == INDEX_PAGE)?;
    let short = PATH_ABBREVIATIONS.iter().find(|(short, _)| short.trim_end_matches('/') == first);
    let folder = short.map_or_else(|| format!("crates/{first}/"), |(_, full)| format!("crates/{full}"));
    repository_path(&folder).is_dir().then(|| format!("{folder}{rest}"))
}

#[test]
fn the_paths_on_the_pages_for_contributors_exist() {
    let (mut missing, mut count) = (Vec::new(), 0);
    for page in PAGES_WITH_QUOTATIONS {
        // Splitting the page at backticks gives text and code alternately, starting with text.
        for code in read_file(page).split('`').skip(1).step_by(2).filter(|code| !code.contains('\n')) {
            let Some(all) = path_in_repository(page, code) else { continue };
            // For a pattern such as `operations/*.rs` or `{a,b}.rs`, the test only verifies that the folder
            // exists.
            let path = all.split(['*', '{', '#', ' ']).next().unwrap_or(&all);
            let folder = path.rfind('/').map_or(path, |at| if path == all { path } else { &path[..at] });
            count += 1;
            if !repository_path(folder).exists() {
                missing.push(format!("{page}: {code}"));
            }
        }
    }
    assert!(missing.is_empty(), "no such path:\n{}", missing.join("\n"));
    assert!(count > 80, "the pages name {count} paths");
}

#[test]
fn the_names_on_the_pages_for_contributors_exist_in_their_files() {
    let (mut missing, mut count) = (Vec::new(), 0);
    for page in PAGES_WITH_QUOTATIONS {
        let text = read_file(page);
        let pieces: Vec<_> = text.split('`').collect();
        for window in pieces.windows(3).skip(1).step_by(2) {
            let &[name, " in ", code] = window else { continue };
            let path = path_in_repository(page, code).filter(|path| repository_path(path).is_file());
            let Some(path) = path else { continue };
            count += 1;
            let name = name.split(['(', '!', '<']).next().unwrap_or(name);
            if !read_file(&path).contains(name.rsplit("::").next().unwrap_or(name)) {
                missing.push(format!("{page}: {name} in {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "no such name:\n{}", missing.join("\n"));
    assert!(count > 10, "the pages name {count} items with their files");
}

#[test]
fn a_changed_quotation_is_detected() {
    let page =
        "### R\n1. Step:\n   ```rust crates/a.rs\n   fn a() {\n       b();\n   ```\n   ```sh\n   c\n   ```\n";
    let quotations = read_quotations(page);
    let [quotation] = quotations.as_slice() else { panic!("one block names a file") };
    assert_eq!((quotation.section.as_str(), quotation.path.as_str()), ("R", "crates/a.rs"));
    assert!(contains_lines("mod x;\nfn a() {\n    b();\n}\n", &quotation.lines));
    assert!(!contains_lines("fn a() {\n    c();\n    b();\n", &quotation.lines));
}
