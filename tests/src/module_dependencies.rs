//! Tests the dependencies between the files of each crate: there are no cycles, and each part of the
//! HTTP adapter depends only on the parts that ARCHITECTURE.md allows.
//!
//! File A depends on file B if A imports an item that B declares. The same applies if A names the item by a
//! module path (`crate::`, `super::`, `self::`, or a module of A). Declaring a module is not a dependency.
//! Re-exporting an item of a submodule with `pub use` is a dependency only if the file also uses the item.
//! Code for tests is ignored.

mod graph;
mod source;

use std::fs;
use std::path::Path;

use graph::ModuleGraph;

/// The parts of the HTTP adapter. Each part is followed by the parts on which it may depend. Files outside
/// these parts may depend on any part.
const ALLOWED_USES: &[(&str, &[&str])] = &[
    ("transport", &[]),
    ("shared", &["transport"]),
    ("partner", &["transport", "shared"]),
    ("operator", &["transport", "shared"]),
    ("openapi", &["transport", "shared", "partner", "operator"]),
];

#[test]
fn files_of_a_crate_have_no_circular_dependencies() {
    let roots = crate_roots();
    assert!(roots.len() >= 8, "{roots:?}");
    let cycles: Vec<String> = roots
        .iter()
        .filter_map(|root| workspace_graph(root).shortest_cycle())
        .map(|it| it.join(" -> "))
        .collect();
    assert!(cycles.is_empty(), "files that need each other:\n{}", cycles.join("\n"));
}

#[test]
fn the_parts_of_the_http_adapter_depend_only_on_allowed_parts() {
    let graph = workspace_graph("crates/adapter-http/src/lib.rs");
    for (part, _) in ALLOWED_USES {
        assert!(graph.edges.keys().any(|file| find_part(file) == Some(part)), "there is no part {part}");
    }
    let in_none = graph.edges.keys().filter(|file| find_part(file).is_none());
    let in_none: Vec<_> = in_none.filter_map(|file| file.strip_prefix("crates/adapter-http/src/")).collect();
    assert_eq!(in_none, ["lib.rs", "serve.rs", "service.rs"], "what is in no part puts them together");
    let violations = find_violations(&graph);
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// Returns the forbidden dependencies between files of different parts.
fn find_violations(graph: &ModuleGraph) -> Vec<String> {
    let mut violations = Vec::new();
    for (file, named) in &graph.edges {
        let Some((part, below)) = ALLOWED_USES.iter().find(|(part, _)| find_part(file) == Some(part)) else {
            continue;
        };
        for (other, path) in named {
            let fits = find_part(other).is_some_and(|other| other == *part || below.contains(&other));
            if !fits {
                violations.push(format!("{file} ({part}) must not name {path} ({other})"));
            }
        }
    }
    violations
}

/// Returns the part of the HTTP adapter to which a file belongs. The part has the name of the file's folder
/// or of the file itself.
fn find_part(file: &str) -> Option<&'static str> {
    let (_, inside) = file.split_once("src/")?;
    let name = inside.split('/').next()?.trim_end_matches(".rs");
    ALLOWED_USES.iter().map(|(part, _)| *part).find(|part| *part == name)
}

/// Returns the root files of the workspace's crates.
fn crate_roots() -> Vec<String> {
    let crates = fs::read_dir(workspace_folder().join("crates")).expect("the folder of crates");
    let crates = crates.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"));
    let of_tests = ["tests/src/lib.rs", "tests/durability/src/lib.rs", "tests/load/src/main.rs"];
    let mut roots: Vec<_> = of_tests.map(str::to_owned).into();
    for name in crates {
        roots.extend(["lib.rs", "main.rs"].map(|root| format!("crates/{name}/src/{root}")));
    }
    roots.retain(|root| workspace_folder().join(root).exists());
    roots
}

fn workspace_folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn workspace_graph(root: &str) -> ModuleGraph {
    ModuleGraph::from_root(root, &|file| fs::read_to_string(workspace_folder().join(file)).ok())
}

/// Returns the dependency graph of files. Each element of `files` is the name and the content of a file.
fn graph_from_texts(files: &[(&str, &str)]) -> ModuleGraph {
    let text = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned());
    ModuleGraph::from_root(files[0].0, &text)
}

/// Returns the names of the files on which a file depends, without the folder `src`.
fn files_needed_by(graph: &ModuleGraph, file: &str) -> Vec<String> {
    graph.edges[file].keys().map(|file| file.trim_start_matches("src/").to_owned()).collect()
}

#[test]
fn a_cycle_is_found_with_its_files_in_order() {
    let graph = graph_from_texts(&[
        ("src/lib.rs", "mod a;\nmod b;\nmod c;"),
        ("src/a.rs", "use crate::{b::{self, B}, c::C as Other};"),
        ("src/b.rs", "pub struct B;\nfn f() { for _ in super::c::g::<u8>() {} }"),
        ("src/c.rs", "pub struct C;\npub fn g<T>() -> crate::a::A { todo!() }"),
    ]);
    assert_eq!(graph.shortest_cycle().unwrap(), ["src/a.rs", "src/c.rs", "src/a.rs"]);
}

#[test]
fn a_parent_and_a_child_that_use_each_other_are_a_cycle() {
    let graph = |parent: &str| {
        graph_from_texts(&[
            ("src/lib.rs", "mod a;"),
            ("src/a.rs", parent),
            ("src/a/child.rs", "use super::Item;\npub fn f(_: Item) {}\npub struct X;"),
        ])
    };
    let hands_on = "mod child;\npub use child::{f, X};\npub struct Item;";
    assert_eq!(graph(hands_on).shortest_cycle(), None);
    for needs in
        ["fn g() { child::f(Item) }", "fn g(_: X) {}", "use child::f as h;", "use self::child::X as Y;"]
    {
        let cycle = graph(&format!("{hands_on}\n{needs}")).shortest_cycle();
        assert_eq!(cycle.map_or(0, |cycle| cycle.len()), 3, "{needs}");
    }
}

#[test]
fn a_reexported_item_is_a_dependency_on_its_declaring_file() {
    let graph = graph_from_texts(&[
        ("src/lib.rs", "mod a;\nmod b;"),
        ("src/a.rs", "mod inner;\nuse std::fmt;\npub(crate) use inner::Deep;"),
        ("src/a/inner.rs", "pub struct Deep;\npub use std::fmt::Debug;"),
        ("src/b.rs", "use crate::a::Deep;\nuse std::collections::HashMap;\nuse crate::a::fmt::Write;"),
    ]);
    assert_eq!(files_needed_by(&graph, "src/b.rs"), ["a.rs", "a/inner.rs"]);
    assert!(files_needed_by(&graph, "src/a.rs").is_empty());
}

#[test]
fn tests_comments_texts_and_inner_modules_are_no_imports() {
    let text = r##"
        // use crate::b::B; 'a
        /* crate::b::B */
        const TEXT: (&str, &str, char) = ("crate::b \" crate::b", r#"crate::b "crate::b"#, '"');
        fn f<'a>(it: &'a str) -> char { '\'' }
        mod within { use super::f; pub(in crate::a) fn g() { super::f("") } mod more { use super::g; } }
        #[cfg(test)]
        use crate::b::{B, C};
        #[cfg(test)]
        mod tests { use crate::b::B; fn h() { crate::b::g() } }
        #[cfg(test)]
        mod proofs;
        mod outside { use super::super::c::C; }
    "##;
    let (lib, empty) = ("mod a;\nmod b;\nmod c;", "");
    let files = [("src/lib.rs", lib), ("src/a.rs", text), ("src/b.rs", empty), ("src/c.rs", empty)];
    assert_eq!(files_needed_by(&graph_from_texts(&files), "src/a.rs"), ["c.rs"]);
}

#[test]
fn a_module_mounted_twice_is_one_file() {
    let graph = graph_from_texts(&[
        ("src/lib.rs", "mod a;\nmod b;"),
        ("src/a.rs", "#[path = \"both/mod.rs\"]\nmod both;\nmod own;\nuse both::f;"),
        ("src/b.rs", "#[path = \"both/mod.rs\"]\nmod both;\nmod own;"),
        ("src/both/mod.rs", "pub fn f() { super::own::g() }"),
        ("src/a/own.rs", ""),
        ("src/b/own/mod.rs", ""),
    ]);
    assert_eq!(files_needed_by(&graph, "src/both/mod.rs"), ["a/own.rs", "b/own/mod.rs"]);
    assert_eq!(files_needed_by(&graph, "src/a.rs"), ["both/mod.rs"]);
}

#[test]
fn a_forbidden_dependency_is_reported_with_file_and_path() {
    let graph = graph_from_texts(&[
        ("src/lib.rs", "mod shared;\nmod partner;\nmod serve;"),
        ("src/shared.rs", "pub mod answer;"),
        ("src/shared/answer.rs", "pub fn f() { crate::partner::call::g() }\nuse crate::serve::run;"),
        ("src/partner.rs", "pub mod call;"),
        ("src/partner/call.rs", "use crate::shared::answer::f;"),
        ("src/serve.rs", "use crate::partner::call::g;\nuse crate::shared::answer::f;"),
    ]);
    let reported = [
        "src/shared/answer.rs (shared) must not name crate::partner::call::g (src/partner/call.rs)",
        "src/shared/answer.rs (shared) must not name crate::serve::run (src/serve.rs)",
    ];
    assert_eq!(find_violations(&graph), reported);
}
