//! Tests the layers of the workspace by reading its manifests: on which crates each crate may depend, and on
//! which libraries the crates without I/O may depend.
//!
//! `deny.toml` restricts the use of external libraries. These tests cover dependencies between crates of the
//! workspace, which `cargo deny` does not check.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Each package of the workspace, with the packages of the workspace on which it may depend.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("payroll-domain", &[]),
    ("payroll-ports", &["payroll-domain"]),
    // The crate `payroll-console` contains the files that a browser loads to show the console.
    ("payroll-console", &[]),
    // The crate `payroll-documentation` contains the documentation pages that the server serves.
    ("payroll-documentation", &[]),
    (
        "payroll-adapter-http",
        &["payroll-console", "payroll-documentation", "payroll-domain", "payroll-ports"],
    ),
    ("payroll-adapter-db", &["payroll-domain", "payroll-ports"]),
    ("payroll-adapter-mcp", &["payroll-domain", "payroll-ports"]),
    ("payroll-adapter-oidc", &["payroll-domain", "payroll-ports"]),
    ("payroll-adapter-webhook", &["payroll-domain", "payroll-ports"]),
    // Partners install the crate `payroll-client`, so this crate must not depend on crates of the server.
    ("payroll-client", &[]),
    (
        "payroll-server",
        &[
            "payroll-adapter-db",
            "payroll-adapter-http",
            "payroll-adapter-mcp",
            "payroll-adapter-oidc",
            "payroll-adapter-webhook",
            "payroll-domain",
            "payroll-ports",
        ],
    ),
    ("acceptance", &["payroll-domain", "payroll-ports", "payroll-server"]),
    ("durability", &["payroll-domain", "payroll-ports", "payroll-server"]),
    ("load", &["payroll-domain", "payroll-server"]),
    // The crate `prose` validates texts in the files of the repository, and uses no other crate of the
    // workspace.
    ("prose", &[]),
];

/// The libraries that the domain may use outside its tests, with all features. None of these libraries has a
/// runtime or uses I/O.
const DOMAIN_LIBRARIES: &[&str] =
    &["caseless", "rust_decimal", "serde", "time", "ulid", "unicode-properties", "unicode-security", "url"];

/// The libraries that the domain uses when all its optional features are disabled.
const LIBRARIES_OF_THE_RULES: &[&str] = &["rust_decimal", "time"];

/// The maximum number of crates in the dependency tree of the domain without its features. The domain itself
/// counts.
const MAX_CRATES_FOR_THE_RULES: usize = 15;

/// The libraries that the ports may use outside their tests. These libraries provide the domain, async
/// traits, hashes and signatures, and encodings of random bits.
const PORTS_LIBRARIES: &[&str] = &["async-trait", "base64", "futures-util", "payroll-domain", "ring", "sha2"];

#[test]
fn every_package_depends_only_on_lower_layers() {
    let workspace = workspace_dependencies();
    let members: BTreeSet<&str> = workspace.keys().map(String::as_str).collect();
    let layers: BTreeMap<_, _> = ALLOWED_DEPENDENCIES.iter().copied().collect();
    assert_eq!(members, layers.keys().copied().collect(), "each package has a row in LAYERS");

    for (package, dependencies) in &workspace {
        for dependency in dependencies.all.iter().filter(|it| members.contains(it.as_str())) {
            assert!(
                layers[package.as_str()].contains(&dependency.as_str()),
                "{package} must not name {dependency}"
            );
        }
    }
}

#[test]
fn the_pure_crates_depend_on_no_runtime_and_no_adapter_library() {
    let workspace = workspace_dependencies();
    let pure = [("payroll-domain", DOMAIN_LIBRARIES), ("payroll-ports", PORTS_LIBRARIES)];
    for (package, libraries) in pure {
        for dependency in &workspace[package].shipped {
            assert!(libraries.contains(&dependency.as_str()), "{package} must not name {dependency}");
        }
    }
}

#[test]
fn the_domain_has_few_dependencies() {
    let always = &workspace_dependencies()["payroll-domain"].always;
    assert!(always.iter().map(String::as_str).eq(LIBRARIES_OF_THE_RULES.iter().copied()), "{always:?}");

    // `cargo tree` may download packages that no build has needed so far, so this call has network access.
    let tree =
        run_cargo(&["tree", "--package=payroll-domain", "--edges=normal", "--prefix=none", "--locked"]);
    let tree = String::from_utf8(tree).expect("cargo prints text");
    let crates: BTreeSet<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("payroll-domain"), "{tree}");
    assert!(crates.len() <= MAX_CRATES_FOR_THE_RULES, "{crates:?}");
}

/// Three lists of a package's dependencies: all dependencies, those without tests and build scripts, and
/// those without optional features.
#[derive(Default)]
struct CrateDependencies {
    all: BTreeSet<String>,
    shipped: BTreeSet<String>,
    always: BTreeSet<String>,
}

/// Returns the packages of this workspace, from `cargo metadata` without network access.
fn workspace_dependencies() -> BTreeMap<String, CrateDependencies> {
    let metadata = run_cargo(&["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let metadata: Value = serde_json::from_slice(&metadata).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("an array of packages");
    packages.iter().map(|package| (required_text(&package["name"]), read_dependencies(package))).collect()
}

/// Returns the output of a cargo command.
fn run_cargo(arguments: &[&str]) -> Vec<u8> {
    let here = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(here).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn read_dependencies(package: &Value) -> CrateDependencies {
    let mut found = CrateDependencies::default();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let name = required_text(&dependency["name"]);
        if dependency["kind"].is_null() {
            found.shipped.insert(name.clone());
            if dependency["optional"] == false {
                found.always.insert(name.clone());
            }
        }
        found.all.insert(name);
    }
    found
}

fn required_text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
