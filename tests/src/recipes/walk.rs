//! Follows the recipe for a list of a company with an invented list, and compiles the result.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Quotation, in_repository, quotations, read};

/// The names of the example in the recipe, and those of the invented list.
const NAMES: &[(&str, &str)] = &[
    ("DocumentCategories", "ParkingPermits"),
    ("DocumentCategory", "ParkingPermit"),
    ("documentCategories", "parkingPermits"),
    ("documentCategory", "parkingPermit"),
    ("document_categories", "parking_permits"),
    ("document_category", "parking_permit"),
    ("documentcategories", "parkingpermits"),
    ("document-category", "parking-permit"),
    ("document categories", "parking permits"),
    ("document category", "parking permit"),
    ("Document category", "Parking permit"),
    ("DOCUMENT CATEGORY", "PARKING PERMIT"),
    ("categoryId", "permitId"),
    ("2026-12-06-000000", "2026-12-31-000000"),
];
/// The line to which a compiler error leads.
const FOUND_BY_THE_COMPILER: (&str, &str) =
    ("crates/domain/src/document/references.rs", "| LookupKind::DocumentCategory");

/// The version of the packages in the copy.
const VERSION: &str = "0.0.0-recipe";

fn invented(text: &str) -> String {
    NAMES.iter().fold(text.to_owned(), |text, (example, invented)| text.replace(example, invented))
}

/// Copies the files of the repository.
fn copy_repository(to: &Path) {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(in_repository("")).output();
    let listed = String::from_utf8(listed.expect("git").stdout).expect("paths");
    for path in listed.split('\0').filter(|path| in_repository(path).is_file()) {
        let copy = to.join(path);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::copy(in_repository(path), copy).expect("a copy");
    }
}

/// Changes the version of the packages. Cargo identifies a package by its version and by its path in the
/// workspace. With the same version, the results would replace those of the repository in the target folder.
fn set_version(copy: &Path) {
    let manifest = copy.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    let changed = text.replace(&format!("{:?}", env!("CARGO_PKG_VERSION")), &format!("{VERSION:?}"));
    assert_ne!(text, changed, "the manifest has the version");
    fs::write(manifest, changed).expect("written");
}

/// The file with the invented lines after those of the example, in the same indentation. The names that a `use`
/// item imports are followed by the invented ones.
fn with_invented_lines(file: &str, lines: &[String]) -> String {
    let all: Vec<_> = file.lines().collect();
    let is_example =
        |window: &[&str]| window.iter().map(|line| line.trim()).eq(lines.iter().map(String::as_str));
    let start = all.windows(lines.len()).position(is_example).expect("the lines of the example");
    let (before, rest) = all.split_at(start + lines.len());
    let added = before.iter().skip(start).map(|line| invented(line));
    let imported = before
        .iter()
        .map(|line| line.replace("    DocumentCategory, ", "    DocumentCategory, ParkingPermit, "));
    let rest = rest.iter().map(|line| (*line).to_owned());
    imported.chain(added).chain(rest).flat_map(|line| [line, "\n".to_owned()]).collect()
}

fn follow(copy: &Path, step: &Quotation) {
    let target = copy.join(invented(&step.path));
    if invented(&step.path) == step.path {
        let file = fs::read_to_string(&target).expect("a file");
        return fs::write(target, with_invented_lines(&file, &step.lines)).expect("written");
    }
    let folder = target.parent().expect("a folder");
    fs::create_dir_all(folder).expect("a folder");
    fs::write(&target, invented(&step.lines.join("\n"))).expect("written");
    fs::write(folder.join("down.sql"), "DROP TABLE parking_permits;\n").expect("written");
}

#[test]
#[ignore = "compiles the workspace once more; .ci/run runs it"]
fn a_list_that_follows_the_recipe_compiles() {
    let copy = tempfile::tempdir().expect("a folder");
    copy_repository(copy.path());
    set_version(copy.path());
    let page = read("CONTRIBUTING.md");
    let steps: Vec<_> =
        quotations(&page).into_iter().filter(|it| it.section == "Add a list to a company").collect();
    assert!(steps.len() > 6, "the recipe has {} steps", steps.len());
    for step in &steps {
        follow(copy.path(), step);
    }
    let (path, line) = FOUND_BY_THE_COMPILER;
    assert!(page.contains(path), "the recipe names {path}");
    let lines = vec![line.to_owned()];
    follow(copy.path(), &Quotation { section: String::new(), path: path.to_owned(), lines });

    let target = std::env::current_exe().expect("a program");
    let target = target.ancestors().nth(3).expect("the target folder");
    let checked = Command::new(env!("CARGO"))
        .args(["check", "--workspace", "--offline", "--quiet"])
        .current_dir(copy.path())
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("cargo");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
