//! The header of a CSV file, which determines the order of the columns. Each name in the header is a column
//! name, or a map assigns a column to it.

use std::collections::{HashMap, HashSet};

use payroll_domain::code::Reason;

use super::columns::{CsvColumn, RowKind};
use super::faults::FileFaults;
use super::text::CsvRecord;

/// Maps names in the header to columns.
#[derive(Debug, Clone, Default)]
pub struct ColumnMap {
    columns: HashMap<String, String>,
}

/// The columns of a file in order. An ignored column is `None`.
#[derive(Debug)]
pub(super) struct CsvHeader {
    pub(super) line: u64,
    /// The column names as they are written in the file.
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Option<CsvColumn>>,
}

/// The error for a map that refers to an unknown column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownColumn {
    /// The name in the CSV header.
    pub name: String,
    /// The unknown column to which the map assigns this name.
    pub target: String,
    /// A sentence that lists the known columns.
    pub known_columns: String,
}

impl ColumnMap {
    /// Creates a map from names in the header to columns. A name that maps to the empty text is ignored.
    ///
    /// # Errors
    /// [`UnknownColumn`] if the map refers to a column that this kind of rows does not have.
    pub fn new(columns: HashMap<String, String>, kind: RowKind) -> Result<Self, UnknownColumn> {
        let known_names: HashSet<String> = kind.columns().into_iter().map(|column| column.name).collect();
        let wrong = columns.iter().filter(|(_, target)| !target.is_empty() && !known_names.contains(*target));
        match wrong.min() {
            None => Ok(Self { columns }),
            Some((name, target)) => Err(UnknownColumn {
                name: name.clone(),
                target: target.clone(),
                known_columns: column_names(kind),
            }),
        }
    }
}

impl CsvHeader {
    /// Reads the header; `None` if it has faults, which are added to `faults`.
    pub(super) fn read(
        record: &CsvRecord<'_>,
        kind: RowKind,
        map: &ColumnMap,
        faults: &mut FileFaults,
    ) -> Option<Self> {
        let before = faults.count();
        let line = record.line;
        let names: Vec<String> = record.fields.iter().map(|field| field.text.to_string()).collect();
        if let [only] = names.as_slice()
            && let Some(separator) =
                [(';', "semicolons"), ('\t', "tabs")].into_iter().find(|it| only.contains(it.0))
        {
            let fault = format!("the fields are separated by {}; a comma is expected", separator.1);
            faults.add_line_fault(Reason::InvalidParameter, line, None, fault);
            return None;
        }
        let mut known_columns: HashMap<String, CsvColumn> =
            kind.columns().into_iter().map(|column| (column.name.clone(), column)).collect();
        let all: HashSet<String> = known_columns.keys().cloned().collect();
        let (mut columns, mut met, mut is_one_unknown) = (Vec::new(), HashMap::new(), false);
        for (at, name) in (1..).zip(&names) {
            let target = map.columns.get(name).unwrap_or(name);
            if let Some(first) = met.insert(target.clone(), at).filter(|_| !target.is_empty()) {
                faults.add_line_fault(
                    Reason::FieldAmbiguous,
                    line,
                    Some((at, name)),
                    format!("columns {first} and {at} are both {target}"),
                );
            }
            match known_columns.remove(target) {
                Some(column) => columns.push(Some(column)),
                None => {
                    let is_left_out = target.is_empty() && map.columns.contains_key(name);
                    if !is_left_out && !all.contains(target) {
                        faults.add_line_fault(
                            Reason::FieldInvalid,
                            line,
                            Some((at, name)),
                            "the column is not known",
                        );
                        is_one_unknown = true;
                    }
                    columns.push(None);
                }
            }
        }
        if is_one_unknown {
            faults.add_line_fault(Reason::FieldInvalid, line, None, column_names(kind));
        }
        for required in kind.required_columns().iter().filter(|name| !met.contains_key(**name)) {
            faults.add_line_fault(
                Reason::FieldMissing,
                line,
                None,
                format!("the column {required} is missing"),
            );
        }
        let mut unused: Vec<_> = map.columns.keys().filter(|name| !names.contains(name)).collect();
        unused.sort();
        for name in unused {
            faults.add_line_fault(
                Reason::FieldInvalid,
                line,
                None,
                format!("the map names a column \"{name}\" that the header does not have"),
            );
        }
        (faults.count() == before).then_some(Self { line, names, columns })
    }

    /// Whether a row has the same texts as the header.
    pub(super) fn has_same_fields(&self, record: &CsvRecord<'_>) -> bool {
        record.fields.iter().map(|field| field.text.as_ref()).eq(self.names.iter().map(String::as_str))
    }

    /// Returns the columns that are not ignored, each with its index and its name in the file.
    pub(super) fn used_columns(&self) -> impl Iterator<Item = (usize, &str, &CsvColumn)> {
        let named = self.columns.iter().zip(&self.names).enumerate();
        named.filter_map(|(at, (column, name))| Some((at, name.as_str(), column.as_ref()?)))
    }
}

fn column_names(kind: RowKind) -> String {
    let names: Vec<_> = kind.columns().into_iter().map(|column| column.name).collect();
    format!("Columns of {} are {}", kind.as_str(), names.join(", "))
}
