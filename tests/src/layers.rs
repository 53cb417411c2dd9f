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
    ("payroll-adapter-http", &["payroll-domain", "payroll-ports"]),
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
    ("load", &["payroll-domain", "payroll-server"]),
];

/// All that the domain may name outside its tests: values and text, no runtime and no I/O.
const DOMAIN_LIBRARIES: &[&str] = &["rust_decimal", "time", "ulid", "url"];

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

/// What a package names: with its tests and build scripts, and without.
#[derive(Default)]
struct Dependencies {
    all: BTreeSet<String>,
    shipped: BTreeSet<String>,
}

/// The packages of this workspace, from `cargo metadata`; the network is not needed.
fn workspace() -> BTreeMap<String, Dependencies> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("an array of packages");
    packages.iter().map(|package| (text(&package["name"]), dependencies(package))).collect()
}

fn dependencies(package: &Value) -> Dependencies {
    let mut found = Dependencies::default();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let name = text(&dependency["name"]);
        if dependency["kind"].is_null() {
            found.shipped.insert(name.clone());
        }
        found.all.insert(name);
    }
    found
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
