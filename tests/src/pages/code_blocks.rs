//! Pages of the documentation and their code blocks.

use std::fs;
use std::path::{Path, PathBuf};

/// A page of the documentation.
pub(super) struct Page {
    pub(super) blocks: Vec<CodeBlock>,
}

/// A code block of a page.
#[derive(Debug)]
pub(super) struct CodeBlock {
    /// The heading above the block.
    pub(super) heading: String,
    pub(super) language: String,
    /// The text after the language of the block, which states the expected result.
    expected: String,
    pub(super) text: String,
}

impl Page {
    /// Reads the page with this path below the repository's root.
    pub(super) fn read(path: &str) -> Self {
        let text = fs::read_to_string(repository_root().join(path)).expect("a page");
        let (mut blocks, mut heading) = (Vec::new(), String::new());
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(words) = line.trim_start().strip_prefix("```") {
                let (language, expected) = words.split_once(' ').unwrap_or((words, ""));
                let text: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "```").collect();
                blocks.push(CodeBlock {
                    heading: heading.clone(),
                    language: language.to_owned(),
                    expected: expected.to_owned(),
                    text: text.join("\n"),
                });
            } else if line.starts_with('#') {
                heading = line.trim_start_matches('#').trim().to_owned();
            }
        }
        Self { blocks }
    }

    /// Returns the shell code blocks that a test runs.
    pub(super) fn shell_blocks(&self) -> impl Iterator<Item = &CodeBlock> {
        self.blocks.iter().filter(|block| block.language == "sh" && !block.has_skip_reason())
    }
}

impl CodeBlock {
    pub(super) fn is_refused(&self) -> bool {
        self.expected == "refused"
    }

    pub(super) fn has_skip_reason(&self) -> bool {
        self.expected.starts_with("not-run: ")
    }

    /// Returns the lines that a test can run. Lines with dots in place of a secret are omitted, because a
    /// reader completes them from the demo's output.
    pub(super) fn without_demo_secrets(&self) -> String {
        let own = |line: &&str| !line.contains("_…") && !line.starts_with("cargo run -- demo");
        self.text.lines().filter(own).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the pages for readers: those in `docs` and its folders, and the README.
pub(super) fn page_paths() -> Vec<String> {
    let mut found = vec!["README.md".to_owned()];
    let mut folders = vec![repository_root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder can be read").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let below = path.strip_prefix(repository_root()).expect("below the root");
                found.push(below.to_string_lossy().into_owned());
            }
        }
    }
    found
}

fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
