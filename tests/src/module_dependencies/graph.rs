//! The files of a crate and their dependencies.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::source::{SourceFile, read_source};

/// A module path from the root of the crate.
type ModulePath = Vec<String>;

/// The dependencies between files.
#[derive(Debug, Default)]
pub(super) struct ModuleGraph {
    /// For each file, the files on which it depends. Each dependency has a path in the code that causes it.
    pub(super) edges: BTreeMap<String, BTreeMap<String, String>>,
}

struct CrateSource {
    files: BTreeMap<ModulePath, String>,
    sources: HashMap<String, SourceFile>,
}

impl ModuleGraph {
    /// Reads the file `root`, such as `src/lib.rs`, and the files of all its modules. `text` returns the
    /// content of a file, or `None` if the file does not exist.
    pub(super) fn from_root(root: &str, text: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut found = CrateSource { files: BTreeMap::new(), sources: HashMap::new() };
        found.add_module(Vec::new(), root.to_owned(), text);
        let mut graph = Self::default();
        for (module, file) in &found.files {
            let edges = graph.edges.entry(file.clone()).or_default();
            for (target, path) in found.modules_named_in(module) {
                let target = found.files[&target].clone();
                if target != *file {
                    edges.entry(target).or_insert(path);
                }
            }
        }
        graph
    }

    /// Returns the shortest cycle of dependencies between files.
    pub(super) fn shortest_cycle(&self) -> Option<Vec<String>> {
        self.edges.keys().filter_map(|file| self.find_cycle_through(file)).min_by_key(Vec::len)
    }

    fn find_cycle_through(&self, start: &str) -> Option<Vec<String>> {
        let (mut before, mut queue) = (BTreeMap::new(), VecDeque::from([start]));
        while let Some(file) = queue.pop_front() {
            for next in self.edges.get(file).into_iter().flatten().map(|(next, _)| next.as_str()) {
                if before.contains_key(next) {
                    continue;
                }
                before.insert(next, file);
                queue.push_back(next);
            }
        }
        let mut cycle = vec![start.to_owned()];
        let mut at = *before.get(start)?;
        while at != start {
            cycle.push(at.to_owned());
            at = before[at];
        }
        cycle.push(start.to_owned());
        cycle.reverse();
        Some(cycle)
    }
}

impl CrateSource {
    /// Adds a file and the files of the modules that it declares.
    fn add_module(&mut self, module: ModulePath, file: String, text: &dyn Fn(&str) -> Option<String>) {
        let source = read_source(&text(&file).unwrap_or_else(|| panic!("{file} cannot be read")));
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", &file));
        let below = match name {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            name => format!("{folder}/{}", name.trim_end_matches(".rs")),
        };
        for (child, reported) in &source.children {
            let candidates = match reported {
                Some(reported) => vec![format!("{folder}/{reported}")],
                None => vec![format!("{below}/{child}.rs"), format!("{below}/{child}/mod.rs")],
            };
            let candidate = candidates.into_iter().find(|candidate| text(candidate).is_some());
            let candidate = candidate.unwrap_or_else(|| panic!("{file} declares {child}, which has no file"));
            self.add_module([module.clone(), vec![child.clone()]].concat(), candidate, text);
        }
        self.files.insert(module, file.clone());
        self.sources.insert(file, source);
    }

    fn source(&self, module: &ModulePath) -> &SourceFile {
        &self.sources[&self.files[module]]
    }

    /// Returns the modules on which a module depends. Each dependency has the path in the code that causes
    /// it.
    fn modules_named_in(&self, module: &ModulePath) -> BTreeSet<(ModulePath, String)> {
        let source = self.source(module);
        let imports = source.imports.iter().filter_map(|import| {
            let target = self.resolve_path(module, &import.path, 0)?;
            // A module that only re-exports an item of its submodule does not depend on the submodule.
            let hands_on =
                import.public && target.starts_with(module) && !source.words.contains(&import.name);
            (!hands_on).then(|| (target, import.path.join("::")))
        });
        let paths = source
            .paths
            .iter()
            .filter_map(|path| self.resolve_path(module, path, 0).map(|target| (target, path.join("::"))));
        imports.chain(paths).collect()
    }

    /// Returns the module that declares the item at a path. Returns `None` for items of other crates.
    fn resolve_path(&self, module: &ModulePath, path: &[String], hops: usize) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        let mut at = module.clone();
        let mut rest = match first.as_str() {
            "crate" => {
                at.clear();
                rest
            }
            "self" => rest,
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                at.truncate(at.len().checked_sub(ups)?);
                &path[ups..]
            }
            _ if self.files.contains_key(&[module.clone(), vec![first.clone()]].concat()) => path,
            _ => return None,
        };
        while let Some((next, remaining)) = rest.split_first() {
            let child = [at.clone(), vec![next.clone()]].concat();
            if !self.files.contains_key(&child) {
                break;
            }
            (at, rest) = (child, remaining);
        }
        // The module may only import the item, so the search continues in the module that the import names.
        let imported = rest.first().and_then(|name| {
            let import = self.source(&at).imports.iter().find(|import| import.name == *name)?;
            let path = [&import.path[..], &rest[1..]].concat();
            (hops < 8).then(|| self.resolve_path(&at, &path, hops + 1)).flatten()
        });
        Some(imported.unwrap_or(at))
    }
}
