//! Follows the recipes of CONTRIBUTING.md and compiles the result. The test invents a list of a company and a
//! part of a worker for this purpose.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Quotation, read_file, read_quotations, repository_path};

/// A recipe, and an invented object that this test adds as the recipe describes.
struct Recipe {
    section: &'static str,
    /// The type of the recipe's example, and the type of the invented object.
    types: (&'static str, &'static str),
    /// The other names of the recipe's example, each with the name of the invented object. The names are
    /// replaced in this order.
    names: &'static [(&'static str, &'static str)],
    /// Lines of the example that the recipe does not quote, with their files. The recipe only mentions these
    /// lines, or the compiler reports them as errors.
    others: &'static [(&'static str, &'static [&'static str])],
}

/// The recipe for a list of a company.
const LIST_RECIPE: Recipe = Recipe {
    section: "Add a list to a company",
    types: ("DocumentCategory", "ParkingPermit"),
    names: &[
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
    ],
    others: &[("crates/domain/src/document/references.rs", &["| LookupKind::DocumentCategory"])],
};

/// The recipe for a part of a worker. The invented part uses general functions instead of its own list
/// handler and list rule.
const PART_RECIPE: Recipe = Recipe {
    section: "Add a part of a worker",
    types: ("PayRate", "ShiftPremium"),
    names: &[
        ("worker_parts::list_pay_rates", "worker_parts::list_elements_without_links::<ShiftPremium>"),
        ("as PayRateListKind,", "as SeparateTable,"),
        ("PayRate", "ShiftPremium"),
        ("payRate", "shiftPremium"),
        ("pay_rate", "shift_premium"),
        ("payrate", "shiftpremium"),
        ("pay rate", "shift premium"),
        ("rateId", "premiumId"),
        ("rate_id", "premium_id"),
    ],
    others: &[
        ("crates/adapter-http/src/partner/routes/worker_parts.rs", &["mod pay_rates;"]),
        (
            "crates/adapter-http/src/shared/media_type.rs",
            &[
                "/// The media type of a worker's pay rates.",
                "pub(crate) pay_rates: String,",
                "/// The media type of one pay rate of a worker.",
                "pub(crate) pay_rate: String,",
            ],
        ),
        (
            "crates/adapter-http/src/shared/media_type.rs",
            &[
                r#"pay_rates: named("payroll.compensation.payrates"),"#,
                r#"pay_rate: named("payroll.compensation.payrate"),"#,
            ],
        ),
        (
            "crates/adapter-http/src/openapi/operator/schemas.rs",
            &[r#"resource_schemas::<PayRate>(["PayRate", "PayRateInput", "PayRatePatch"], none),"#],
        ),
    ],
};

/// Copies all files that are tracked in the repository to a folder.
fn copy_repository(to: &Path) {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(repository_path("")).output();
    let listed = String::from_utf8(listed.expect("git").stdout).expect("paths");
    for path in listed.split('\0').filter(|path| repository_path(path).is_file()) {
        let copy = to.join(path);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
        fs::copy(repository_path(path), copy).expect("a copy");
    }
}

/// Changes the version of the packages. Cargo identifies a package by its version and its path in the
/// workspace. With an unchanged version, the build results would overwrite those of the repository or of
/// another recipe.
fn set_version(copy: &Path, version: &str) {
    let manifest = copy.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    let changed = text.replace(&format!("{:?}", env!("CARGO_PKG_VERSION")), &format!("{version:?}"));
    assert_ne!(text, changed, "the manifest has the version");
    fs::write(manifest, changed).expect("written");
}

impl Recipe {
    fn replace_with_invented_names(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (example, invented)| text.replace(example, invented))
    }

    /// In the imports of a file, adds the type of the invented object after the type of the example.
    fn insert_imports(&self, file: &str) -> String {
        let (example, invented) = self.types;
        let mut is_import = false;
        let lines = file.split_inclusive('\n').map(|line| {
            is_import |= line.starts_with("use ") || line.starts_with("pub use ");
            let is_changed = is_import && !line.contains(invented);
            is_import &= !line.trim_end().ends_with(';');
            let names = line.split_inclusive(|letter: char| !letter.is_alphanumeric());
            let names = names.map(|name| match name.strip_prefix(example) {
                Some(end @ ("," | "}")) if is_changed => format!("{example}, {invented}{end}"),
                _ => name.to_owned(),
            });
            names.collect::<String>()
        });
        lines.collect()
    }

    /// Returns the content of a file in which the lines of the example are repeated with the names of the
    /// invented object.
    fn insert_invented_lines(&self, file: &str, lines: &[String]) -> String {
        let (before, example, rest) = split_at_lines(file, lines);
        let added = self.replace_with_invented_names(&example);
        self.insert_imports(&[before, example, added, rest].concat())
    }

    fn apply_recipe_step(&self, copy: &Path, step: &Quotation) {
        let target = copy.join(self.replace_with_invented_names(&step.path));
        if self.replace_with_invented_names(&step.path) == step.path {
            let file = fs::read_to_string(&target).expect("a file");
            return fs::write(target, self.insert_invented_lines(&file, &step.lines)).expect("written");
        }
        let folder = target.parent().expect("a folder");
        fs::create_dir_all(folder).expect("a folder");
        let (head, example, _) = split_at_lines(&read_file(&step.path), &step.lines);
        let is_open = example.matches('{').count() > example.matches('}').count();
        let end = if is_open { "}\n" } else { "" };
        fs::write(&target, self.replace_with_invented_names(&[&head, &example, end].concat()))
            .expect("written");
        if step.path.ends_with(".sql") {
            fs::write(folder.join("down.sql"), "DROP TABLE parking_permits;\n").expect("written");
        }
    }

    /// Follows the recipe in a copy of the repository, and compiles the copy.
    fn apply_recipe_and_compile(&self) {
        let copy = tempfile::tempdir().expect("a folder");
        copy_repository(copy.path());
        set_version(copy.path(), &format!("0.0.0-{}", self.types.1));
        let page = read_file("CONTRIBUTING.md");
        let steps: Vec<_> =
            read_quotations(&page).into_iter().filter(|it| it.section == self.section).collect();
        assert!(steps.len() > 6, "the recipe has {} steps", steps.len());
        for step in &steps {
            self.apply_recipe_step(copy.path(), step);
        }
        for (path, lines) in self.others {
            assert!(page.contains(path), "the recipe names {path}");
            let lines = lines.iter().map(|line| (*line).to_owned()).collect();
            self.apply_recipe_step(
                copy.path(),
                &Quotation { section: String::new(), path: (*path).to_owned(), lines },
            );
        }
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
}

/// Finds these lines in a file, with any indentation. Returns the text before them, the lines as they are in
/// the file, and the text after them.
fn split_at_lines(file: &str, lines: &[String]) -> (String, String, String) {
    let all: Vec<_> = file.lines().collect();
    let is_example =
        |window: &[&str]| window.iter().map(|line| line.trim()).eq(lines.iter().map(String::as_str));
    let start = all.windows(lines.len()).position(is_example).expect("the lines of the example");
    let text = |lines: &[&str]| lines.iter().flat_map(|line| [*line, "\n"]).collect::<String>();
    let (before, rest) = all.split_at(start);
    let (example, after) = rest.split_at(lines.len());
    (text(before), text(example), text(after))
}

#[test]
#[ignore = "compiles the workspace once more; .ci/run runs it"]
fn a_lookup_list_that_follows_the_recipe_compiles() {
    LIST_RECIPE.apply_recipe_and_compile();
}

#[test]
#[ignore = "compiles the workspace once more; .ci/run runs it"]
fn a_worker_part_that_follows_the_recipe_compiles() {
    PART_RECIPE.apply_recipe_and_compile();
}
