//! The files that the rules apply to.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folder of the workspace.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Folders and files with prose.
const PLACES: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "crates",
    "docs",
    "tests",
];

/// Texts that others wrote, or that hold no sentences.
const SKIPPED: &[&str] = &["target", "node_modules", "vendor", "swagger", "fixtures"];

/// Extensions of the files that are read.
const EXTENSIONS: &[&str] = &["md", "rs", "js", "html", "json"];

/// Every file with prose and its text, by its path in the workspace, in order.
///
/// # Errors
/// A file or folder that cannot be read.
pub fn files(root: &Path) -> io::Result<Vec<(String, String)>> {
    let mut paths = Vec::new();
    for place in PLACES {
        collect(&root.join(place), &mut paths)?;
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        // Other JSON files are data.
        if !name.ends_with(".json") || name.ends_with("openapi.json") {
            files.push((name, fs::read_to_string(&path)?));
        }
    }
    Ok(files)
}

fn collect(path: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    if SKIPPED.contains(&name.as_str()) || name.contains(".min.") {
        return Ok(());
    }
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), paths)?;
        }
    } else if path.extension().is_some_and(|it| EXTENSIONS.iter().any(|known| it == *known)) {
        paths.push(path.to_owned());
    }
    Ok(())
}
