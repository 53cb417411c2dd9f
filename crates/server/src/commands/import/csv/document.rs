//! The rows of a CSV file as a document of the operator API, and its faults as faults of the file.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::columns::{Column, CsvKind, Group, Holds};
use super::faults::Faults;
use super::header::Header;
use super::text::{MAX_ROWS, Record};
use crate::operator::Fault;

/// The rows of a file below its header.
pub(super) struct Rows<'t> {
    kind: CsvKind,
    header: Header,
    rows: Vec<Record<'t>>,
    /// Fields with faults that were found here: row and place.
    faulty: HashSet<(usize, usize)>,
    /// Which row each element of each list of the document is from.
    places: HashMap<&'static str, Vec<Place>>,
}

/// What an element of the document is made of.
#[derive(Debug, Clone, Copy)]
struct Place {
    row: usize,
    group: Option<&'static Group>,
}

impl<'t> Rows<'t> {
    /// Takes the rows that can be read; what is wrong with others is noted.
    pub(super) fn new(kind: CsvKind, header: Header, rows: Vec<Record<'t>>, faults: &mut Faults) -> Self {
        let count = rows.len();
        let mut kept = Vec::with_capacity(count);
        if count > MAX_ROWS {
            faults.add_of_file(format!("the file has more than {MAX_ROWS} rows; split it"));
        }
        for row in rows.into_iter().filter(|row| !row.is_empty()).take(MAX_ROWS) {
            if header.is_repeated_by(&row) {
                faults.add(
                    row.line,
                    None,
                    format!("the header of line {} stands here once more", header.line),
                );
            } else if row.count != header.names.len() {
                let (has, wants) = (row.count, header.names.len());
                let hint = "a value with a comma has quotes around it, and a decimal has a point";
                let fault = format!("the row has {has} fields, and the header {wants}; {hint}");
                faults.add(row.line, None, fault);
            } else {
                kept.push(row);
            }
        }
        if count == 0 {
            faults.add(header.line, None, "there is no row below the header");
        }
        Self { kind, header, rows: kept, faulty: HashSet::new(), places: HashMap::new() }
    }

    /// The document that the rows are.
    pub(super) fn document(&mut self, faults: &mut Faults) -> Value {
        let mut lists: HashMap<&'static str, Vec<Value>> = HashMap::new();
        let mut met = HashMap::new();
        let rows = std::mem::take(&mut self.rows);
        for (row, record) in rows.iter().enumerate() {
            let objects = self.objects(row, record, faults);
            if let Some(key) = self.key(&objects.own)
                && let Some(first) = met.insert(key, record.line)
            {
                let what = match self.kind {
                    CsvKind::Workers => "the worker",
                    CsvKind::Rates => "the rate of the worker",
                };
                faults.add(record.line, None, format!("{what} is in line {first} already"));
                continue;
            }
            for (list, group, object) in objects.in_lists(self.kind) {
                self.places.entry(list).or_default().push(Place { row, group });
                lists.entry(list).or_default().push(object);
            }
        }
        self.rows = rows;
        lists
            .into_iter()
            .map(|(list, elements)| (list.to_owned(), elements.into()))
            .collect::<Map<_, _>>()
            .into()
    }

    /// What tells rows apart, where a row says it.
    fn key(&self, own: &Map<String, Value>) -> Option<String> {
        let text = |member: &str| own.get(member).and_then(Value::as_str);
        let worker = text("workerId")?;
        match self.kind {
            CsvKind::Workers => Some(worker.to_owned()),
            CsvKind::Rates => {
                text("rateId").or_else(|| text("rateNumber")).map(|rate| format!("{worker} {rate}"))
            }
        }
    }

    /// The objects of a row.
    fn objects(&mut self, row: usize, record: &Record<'_>, faults: &mut Faults) -> Objects {
        let mut objects = Objects::default();
        for (at, name, column) in self.header.used() {
            let Some(field) = record.fields.get(at).filter(|field| !field.text.is_empty()) else { continue };
            let value = match (column.holds, field.text.as_ref()) {
                (Holds::Flag, "true" | "TRUE" | "True") => Value::Bool(true),
                (Holds::Flag, "false" | "FALSE" | "False") => Value::Bool(false),
                (Holds::Decimal, text) if text.contains(',') => {
                    let fault = "the number has a comma: whether it stands before decimals or thousands would be a guess; write 1234.50";
                    faults.add(field.line, Some((at, name)), fault);
                    self.faulty.insert((row, at));
                    text.into()
                }
                (Holds::Flag | Holds::Decimal | Holds::Text, text) => text.into(),
            };
            objects.put(column, value);
        }
        objects
    }

    /// Notes what the operator API says of the document as faults of the file.
    pub(super) fn translate(&self, said: &[Fault], faults: &mut Faults) {
        for fault in said {
            let Some((place, way)) = fault.pointer().and_then(|pointer| self.place(pointer)) else {
                faults.add_of_file(fault.sentence());
                continue;
            };
            let Some(record) = self.rows.get(place.row) else { continue };
            let fits = |column: &Column| {
                column.group == place.group && column.way.iter().copied().eq(way.split('/'))
            };
            match self.header.used().find(|(_, _, column)| fits(column)) {
                Some((at, _, _)) if self.faulty.contains(&(place.row, at)) => {}
                Some((at, name, _)) => {
                    let line = record.fields.get(at).map_or(record.line, |field| field.line);
                    faults.add(line, Some((at, name)), fault.sentence());
                }
                None => {
                    let column = self.kind.columns().into_iter().find(fits);
                    let absent = column.map(|column| format!("; the file has no column {}", column.name));
                    faults.add(
                        record.line,
                        None,
                        format!("{}{}", fault.sentence(), absent.unwrap_or_default()),
                    );
                }
            }
        }
    }

    /// The row that a pointer leads to, and the way on from there.
    fn place<'p>(&self, pointer: &'p str) -> Option<(Place, &'p str)> {
        let (list, rest) = pointer.strip_prefix('/')?.split_once('/')?;
        let (index, way) = rest.split_once('/').unwrap_or((rest, ""));
        let place = self.places.get(list)?.get(index.parse::<usize>().ok()?)?;
        Some((*place, way))
    }
}

/// The objects that a row is made into.
#[derive(Debug, Default)]
struct Objects {
    own: Map<String, Value>,
    groups: Vec<(&'static Group, Map<String, Value>)>,
}

impl Objects {
    fn put(&mut self, column: &Column, value: Value) {
        let mut object = match column.group {
            None => &mut self.own,
            Some(group) => self.group(group),
        };
        let Some((last, above)) = column.way.split_last() else { return };
        for name in above {
            let inside = object.entry(*name).or_insert_with(|| json!({}));
            // Columns never lead through a value of another column.
            let Value::Object(members) = inside else { return };
            object = members;
        }
        object.insert((*last).to_owned(), value);
    }

    fn group(&mut self, group: &'static Group) -> &mut Map<String, Value> {
        let place = self.groups.iter().position(|(other, _)| *other == group);
        let place = place.unwrap_or_else(|| {
            let members = [("type", group.kind), ("usageType", group.usage)];
            let members = members.into_iter().map(|(name, value)| (name.to_owned(), value.into()));
            self.groups.push((group, members.collect()));
            self.groups.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the place was found, or made, a line above")]
        &mut self.groups[place].1
    }

    /// The objects, each with the list that it stands in.
    fn in_lists(self, kind: CsvKind) -> Vec<(&'static str, Option<&'static Group>, Value)> {
        let worker_id = self.own.get("workerId").cloned().unwrap_or_default();
        let list = match kind {
            CsvKind::Workers => "workers",
            CsvKind::Rates => "payRates",
        };
        let mut all = vec![(list, None, Value::Object(self.own))];
        all.extend(self.groups.into_iter().map(|(group, mut members)| {
            members.insert("workerId".to_owned(), worker_id.clone());
            ("communications", Some(group), members.into())
        }));
        all
    }
}
