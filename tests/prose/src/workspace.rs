//! Finds the files that the rules apply to.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns the root folder of the workspace.
#[must_use]
pub fn workspace_root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Folders and files that contain prose.
const PROSE_PATHS: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "crates",
    "docs",
    "tests",
];

/// Folders with texts of other authors or without sentences.
const SKIPPED_FOLDERS: &[&str] = &["target", "node_modules", "vendor", "swagger", "fixtures"];

/// The extensions of the files to read.
const EXTENSIONS: &[&str] = &["md", "rs", "js", "html", "json"];

/// Returns the text of every file with prose, in the order of their paths in the workspace.
///
/// # Errors
/// Fails if a file or folder cannot be read.
pub fn read_prose_files(root: &Path) -> io::Result<Vec<(String, String)>> {
    let mut paths = Vec::new();
    for place in PROSE_PATHS {
        collect_paths(&root.join(place), &mut paths)?;
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        // Only the OpenAPI files are read, because other JSON files contain data.
        if !name.ends_with(".json") || name.ends_with("openapi.json") {
            files.push((name, fs::read_to_string(&path)?));
        }
    }
    Ok(files)
}

fn collect_paths(path: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    if SKIPPED_FOLDERS.contains(&name.as_str()) || name.contains(".min.") {
        return Ok(());
    }
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect_paths(&entry?.path(), paths)?;
        }
    } else if path.extension().is_some_and(|it| EXTENSIONS.iter().any(|known| it == *known)) {
        paths.push(path.to_owned());
    }
    Ok(())
}
