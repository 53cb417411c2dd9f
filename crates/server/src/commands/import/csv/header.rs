//! The header of a CSV file: which column stands where, by its own names or by a map.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Deserialize;

use super::columns::{Column, CsvKind};
use super::faults::Faults;
use super::text::Record;
use crate::failure::{Failure, Outcome};

/// Bytes of a map: some hundred columns.
const MAX_MAP_BYTES: u64 = 64 * 1024;

/// What the columns of a file are called, and which they are.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnMap {
    /// The column for each name in the header; an empty one is left out.
    columns: HashMap<String, String>,
}

/// The columns of a file in their order; one that is left out is `None`.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) line: u64,
    /// As the file names them.
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Option<Column>>,
}

impl ColumnMap {
    /// Reads a map: a TOML file with a table `columns`.
    ///
    /// # Errors
    /// It cannot be read, is no such map, or leads to what is no column.
    pub(super) fn read(path: &Path, kind: CsvKind) -> Outcome<Self> {
        let shown = path.display();
        let unreadable = |error: std::io::Error| Failure::caused(format!("{shown} cannot be read"), &error);
        if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_MAP_BYTES {
            return Err(Failure::new(format!(
                "{shown} has more than {MAX_MAP_BYTES} bytes, which no map needs"
            )));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let map: Self = toml::from_str(&text).map_err(|error| {
            Failure::new(format!(
                "{shown} is no map of columns, such as [columns] \"Emp No\" = \"employeeId\": {error}"
            ))
        })?;
        let known: HashSet<String> = kind.columns().into_iter().map(|column| column.name).collect();
        let mut wrong: Vec<_> =
            map.columns.iter().filter(|(_, target)| !target.is_empty() && !known.contains(*target)).collect();
        wrong.sort();
        match wrong.first() {
            None => Ok(map),
            Some((name, target)) => Err(Failure::refused(format!(
                "{shown}: \"{name}\" leads to \"{target}\", which is no column of {}. {}",
                kind.as_str(),
                known_columns(kind)
            ))),
        }
    }
}

impl Header {
    /// Reads the header; `None` with faults that have been noted.
    pub(super) fn read(
        record: &Record<'_>,
        kind: CsvKind,
        map: &ColumnMap,
        faults: &mut Faults,
    ) -> Option<Self> {
        let before = faults.count();
        let line = record.line;
        let names: Vec<String> = record.fields.iter().map(|field| field.text.to_string()).collect();
        if let [only] = names.as_slice()
            && let Some(separator) =
                [(';', "semicolons"), ('\t', "tabs")].into_iter().find(|it| only.contains(it.0))
        {
            let fault = format!("the fields are separated by {}; a comma is expected", separator.1);
            faults.add(line, None, fault);
            return None;
        }
        let mut known: HashMap<String, Column> =
            kind.columns().into_iter().map(|column| (column.name.clone(), column)).collect();
        let all: HashSet<String> = known.keys().cloned().collect();
        let (mut columns, mut met, mut is_one_unknown) = (Vec::new(), HashMap::new(), false);
        for (at, name) in (1..).zip(&names) {
            let target = map.columns.get(name).unwrap_or(name);
            if let Some(first) = met.insert(target.clone(), at).filter(|_| !target.is_empty()) {
                faults.add(line, Some((at, name)), format!("columns {first} and {at} are both {target}"));
            }
            match known.remove(target) {
                Some(column) => columns.push(Some(column)),
                None => {
                    let is_left_out = target.is_empty() && map.columns.contains_key(name);
                    if !is_left_out && !all.contains(target) {
                        faults.add(line, Some((at, name)), "the column is not known");
                        is_one_unknown = true;
                    }
                    columns.push(None);
                }
            }
        }
        if is_one_unknown {
            faults.add(line, None, known_columns(kind));
        }
        for required in kind.required().iter().filter(|name| !met.contains_key(**name)) {
            faults.add(line, None, format!("the column {required} is missing"));
        }
        let mut unused: Vec<_> = map.columns.keys().filter(|name| !names.contains(name)).collect();
        unused.sort();
        for name in unused {
            faults.add(
                line,
                None,
                format!("the map names a column \"{name}\" that the header does not have"),
            );
        }
        (faults.count() == before).then_some(Self { line, names, columns })
    }

    /// Whether a row is the header once more.
    pub(super) fn is_repeated_by(&self, record: &Record<'_>) -> bool {
        record.fields.iter().map(|field| field.text.as_ref()).eq(self.names.iter().map(String::as_str))
    }

    /// The columns that are not left out, each with its place and its name in the file.
    pub(super) fn used(&self) -> impl Iterator<Item = (usize, &str, &Column)> {
        let named = self.columns.iter().zip(&self.names).enumerate();
        named.filter_map(|(at, (column, name))| Some((at, name.as_str(), column.as_ref()?)))
    }
}

fn known_columns(kind: CsvKind) -> String {
    let names: Vec<_> = kind.columns().into_iter().map(|column| column.name).collect();
    format!("Columns of {} are {}", kind.as_str(), names.join(", "))
}
