//! The layers of the workspace, checked against its manifests: which of our crates may name
//! which, and what the pure crates may name at all.
//!
//! Which crate may name which foreign library is pinned in `deny.toml`; this is the part that
//! `cargo deny` cannot say: it sees crates of the registry, not an adapter that names another.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Every package of the workspace and the packages of the workspace that it may name.
const LAYERS: &[(&str, &[&str])] = &[
    ("payroll-domain", &[]),
    ("payroll-ports", &["payroll-domain"]),
    // Files that browsers load: it knows nobody.
    ("payroll-console", &[]),
    // Pages of docs: it reads files only.
    ("payroll-documentation", &[]),
    (
        "payroll-adapter-http",
        &["payroll-console", "payroll-documentation", "payroll-domain", "payroll-ports"],
    ),
    ("payroll-adapter-db", &["payroll-domain", "payroll-ports"]),
    ("payroll-adapter-webhook", &["payroll-domain", "payroll-ports"]),
    (
        "payroll-server",
        &[
            "payroll-adapter-db",
            "payroll-adapter-http",
            "payroll-adapter-webhook",
            "payroll-domain",
            "payroll-ports",
        ],
    ),
    ("acceptance", &["payroll-domain", "payroll-ports", "payroll-server"]),
    ("durability", &["payroll-domain", "payroll-ports", "payroll-server"]),
    ("load", &["payroll-domain", "payroll-server"]),
    // It reads files only.
    ("prose", &[]),
];

/// All that the domain may name outside its tests, with every feature: values and text, no runtime
/// and no I/O.
const DOMAIN_LIBRARIES: &[&str] =
    &["caseless", "rust_decimal", "serde", "time", "ulid", "unicode-properties", "unicode-security", "url"];

/// What the domain names without its features.
const LIBRARIES_OF_THE_RULES: &[&str] = &["rust_decimal", "time"];

/// Crates that get into a program for the rules alone, theirs included.
const MOST_CRATES_FOR_THE_RULES: usize = 15;

/// All that the ports may name outside their tests: the domain, the shapes of async traits, the hash
/// that derives keys and hides secrets, and the letters in which random bits are shown.
const PORTS_LIBRARIES: &[&str] = &["async-trait", "base64", "futures-util", "payroll-domain", "sha2"];

#[test]
fn every_package_names_only_the_layers_below_it() {
    let workspace = workspace();
    let members: BTreeSet<&str> = workspace.keys().map(String::as_str).collect();
    let layers: BTreeMap<_, _> = LAYERS.iter().copied().collect();
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
fn the_pure_crates_name_no_runtime_and_no_adapter_library() {
    let workspace = workspace();
    let pure = [("payroll-domain", DOMAIN_LIBRARIES), ("payroll-ports", PORTS_LIBRARIES)];
    for (package, libraries) in pure {
        for dependency in &workspace[package].shipped {
            assert!(libraries.contains(&dependency.as_str()), "{package} must not name {dependency}");
        }
    }
}

#[test]
fn the_rules_alone_bring_few_crates_into_a_program() {
    let always = &workspace()["payroll-domain"].always;
    assert!(always.iter().map(String::as_str).eq(LIBRARIES_OF_THE_RULES.iter().copied()), "{always:?}");

    // Of what no build has needed so far, cargo fetches what is missing to say so.
    let tree = cargo(&["tree", "--package=payroll-domain", "--edges=normal", "--prefix=none", "--locked"]);
    let tree = String::from_utf8(tree).expect("cargo prints text");
    let crates: BTreeSet<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("payroll-domain"), "{tree}");
    assert!(crates.len() <= MOST_CRATES_FOR_THE_RULES, "{crates:?}");
}

/// What a package names: with its tests and build scripts, without, and without its features too.
#[derive(Default)]
struct Dependencies {
    all: BTreeSet<String>,
    shipped: BTreeSet<String>,
    always: BTreeSet<String>,
}

/// The packages of this workspace, from `cargo metadata`; the network is not needed.
fn workspace() -> BTreeMap<String, Dependencies> {
    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let metadata: Value = serde_json::from_slice(&metadata).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("an array of packages");
    packages.iter().map(|package| (text(&package["name"]), dependencies(package))).collect()
}

/// What a command of cargo prints.
fn cargo(arguments: &[&str]) -> Vec<u8> {
    let here = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(here).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn dependencies(package: &Value) -> Dependencies {
    let mut found = Dependencies::default();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let name = text(&dependency["name"]);
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

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
