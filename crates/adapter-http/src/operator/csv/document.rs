//! Converts the rows of a CSV file to a document of the operator API, and converts the faults of the document
//! back to faults of the file.

use std::collections::{HashMap, HashSet};

use payroll_domain::code::Reason;
use serde_json::{Map, Value, json};

use super::columns::{ColumnGroup, ColumnType, CsvColumn, RowKind, SECTION_COLUMN};
use super::faults::{CsvFault, FileFaults};
use super::header::CsvHeader;
use super::text::{CsvRecord, MAX_ROWS};

/// The rows of a CSV file, without its header row.
pub struct CsvRows<'t> {
    kind: RowKind,
    header: CsvHeader,
    rows: Vec<CsvRecord<'t>>,
    /// The fields in which the parser already found a fault, as row and column index.
    faulty_fields: HashSet<(usize, usize)>,
    /// The origin of each object in the document, by the JSON Pointer of the object.
    origins: HashMap<String, RowOrigin>,
}

/// The row of the file, and the group of columns, from which an object of the document was built.
#[derive(Debug, Clone, Copy)]
struct RowOrigin {
    row: usize,
    group: Option<&'static ColumnGroup>,
}

/// A check of the document, with its lines by section.
#[derive(Default)]
struct CsvCheck {
    members: Map<String, Value>,
    lines: HashMap<&'static str, Vec<Value>>,
}

impl<'t> CsvRows<'t> {
    /// Stores the rows that have the right number of fields, and adds a fault for every row with another
    /// number.
    pub(super) fn new(
        kind: RowKind,
        header: CsvHeader,
        rows: Vec<CsvRecord<'t>>,
        faults: &mut FileFaults,
    ) -> Self {
        let rows: Vec<_> = rows.into_iter().filter(|row| !row.is_empty()).collect();
        let count = rows.len();
        let mut valid_rows = Vec::with_capacity(count);
        if count > MAX_ROWS {
            faults.add_file_fault(
                Reason::InvalidParameter,
                format!("the file has more than {MAX_ROWS} rows; split it"),
            );
        }
        for row in rows.into_iter().take(MAX_ROWS) {
            if header.has_same_fields(&row) {
                faults.add_line_fault(
                    Reason::InvalidParameter,
                    row.line,
                    None,
                    format!("the line repeats the header of line {}", header.line),
                );
            } else if row.count != header.names.len() {
                let (has, wants) = (row.count, header.names.len());
                let hint = "put a value that contains a comma in quotes, and use a point in decimals";
                let fault = format!("the row has {has} fields, and the header has {wants}; {hint}");
                faults.add_line_fault(Reason::InvalidParameter, row.line, None, fault);
            } else {
                valid_rows.push(row);
            }
        }
        if count == 0 {
            faults.add_line_fault(
                Reason::FieldMissing,
                header.line,
                None,
                "there is no row below the header",
            );
        }
        Self { kind, header, rows: valid_rows, faulty_fields: HashSet::new(), origins: HashMap::new() }
    }

    /// Converts the rows to a document. `period` is the pay period of the lines of checks.
    pub fn build_document(&mut self, period: &str, faults: &mut FileFaults) -> Value {
        let rows = std::mem::take(&mut self.rows);
        let document = match self.kind {
            RowKind::Workers | RowKind::Rates => self.read_bulk_change(&rows, faults),
            RowKind::Checks => self.read_check_rows(&rows, period, faults),
        };
        self.rows = rows;
        document
    }

    /// Groups the lines with the same worker and check name into checks.
    fn read_check_rows(&mut self, rows: &[CsvRecord<'_>], period: &str, faults: &mut FileFaults) -> Value {
        let (mut checks, mut known) = (Vec::<CsvCheck>::new(), HashMap::new());
        for (row, record) in rows.iter().enumerate() {
            let mut line = self.build_objects(row, record, faults).own_members;
            let mut take = |name: &str| {
                line.remove(name).and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
            };
            let (worker, check, section) =
                (take("workerId"), take("checkCorrelationId"), take(SECTION_COLUMN));
            let section = match section.as_str() {
                "" | "earnings" => "earnings",
                "deductions" => "deductions",
                "informational" => "informational",
                _ => {
                    let mut columns = self.header.used_columns();
                    let column = columns.find(|(_, _, column)| column.name == SECTION_COLUMN);
                    faults.add_line_fault(
                        Reason::FieldInvalid,
                        record.line,
                        column.map(|(at, name, _)| (at, name)),
                        "section must be earnings or informational",
                    );
                    continue;
                }
            };
            let next = checks.len();
            let at = *known.entry((worker.clone(), check.clone())).or_insert(next);
            if at == next {
                self.origins.insert(format!("/{at}"), RowOrigin { row, group: None });
                let id = if check.is_empty() { worker.clone() } else { format!("{worker} {check}") };
                let members =
                    [("workerId", worker), ("payPeriodId", period.to_owned()), ("checkCorrelationId", id)];
                let members =
                    members.into_iter().map(|(name, text)| (name.to_owned(), text.into())).collect();
                checks.push(CsvCheck { members, lines: HashMap::new() });
            }
            if let Some(check) = checks.get_mut(at) {
                let lines = check.lines.entry(section).or_default();
                self.origins
                    .insert(format!("/{at}/{section}/{}", lines.len()), RowOrigin { row, group: None });
                lines.push(line.into());
            }
        }
        let whole = checks.into_iter().map(|CsvCheck { mut members, lines }| {
            members.extend(lines.into_iter().map(|(section, lines)| (section.to_owned(), lines.into())));
            Value::Object(members)
        });
        whole.collect()
    }

    /// Converts rows of workers or of pay rates to a bulk change.
    fn read_bulk_change(&mut self, rows: &[CsvRecord<'_>], faults: &mut FileFaults) -> Value {
        let mut lists: HashMap<&'static str, Vec<Value>> = HashMap::new();
        let mut met = HashMap::new();
        for (row, record) in rows.iter().enumerate() {
            let objects = self.build_objects(row, record, faults);
            if let Some(key) = self.object_key(&objects.own_members)
                && let Some(first) = met.insert(key, record.line)
            {
                let what = if self.kind == RowKind::Rates { "the rate of the worker" } else { "the worker" };
                faults.add_line_fault(
                    Reason::FieldAmbiguous,
                    record.line,
                    None,
                    format!("{what} is already in line {first}"),
                );
                continue;
            }
            for (list, group, object) in objects.into_lists(self.kind) {
                let elements = lists.entry(list).or_default();
                self.origins.insert(format!("/{list}/{}", elements.len()), RowOrigin { row, group });
                elements.push(object);
            }
        }
        lists
            .into_iter()
            .map(|(list, elements)| (list.to_owned(), elements.into()))
            .collect::<Map<_, _>>()
            .into()
    }

    /// Returns the text that must be unique among the rows. For a worker, this is the worker id. For a pay
    /// rate, it is the worker id with the id or number of the rate. `None` means that the row contains no
    /// such id or number.
    fn object_key(&self, own: &Map<String, Value>) -> Option<String> {
        let text = |member: &str| own.get(member).and_then(Value::as_str);
        let worker = text("workerId")?;
        if self.kind == RowKind::Workers {
            return Some(worker.to_owned());
        }
        text("rateId").or_else(|| text("rateNumber")).map(|rate| format!("{worker} {rate}"))
    }

    /// Builds JSON objects from the fields of a row.
    fn build_objects(&mut self, row: usize, record: &CsvRecord<'_>, faults: &mut FileFaults) -> RowObjects {
        let mut objects = RowObjects::default();
        for (at, name, column) in self.header.used_columns() {
            let Some(field) = record.fields.get(at).filter(|field| !field.text.is_empty()) else { continue };
            let value = match (column.column_type, field.text.as_ref()) {
                (ColumnType::Flag, "true" | "TRUE" | "True") => Value::Bool(true),
                (ColumnType::Flag, "false" | "FALSE" | "False") => Value::Bool(false),
                (ColumnType::Decimal, text) if text.contains(',') => {
                    let fault = "the number has a comma, which could separate decimals or thousands; write \
                        it like 1234.50";
                    faults.add_line_fault(Reason::FieldInvalid, field.line, Some((at, name)), fault);
                    self.faulty_fields.insert((row, at));
                    text.into()
                }
                (ColumnType::Flag | ColumnType::Decimal | ColumnType::Text, text) => text.into(),
            };
            objects.insert_value(column, value);
        }
        objects
    }

    /// Converts faults of the document to faults of the file.
    pub fn translate_faults<'a>(
        &self,
        validated: impl IntoIterator<Item = CsvFault<'a>>,
        faults: &mut FileFaults,
    ) {
        let mut of_period = HashSet::new();
        for CsvFault { reason, pointer, description } in validated {
            // All checks have the same pay period, so a fault of the period is reported once for the file.
            if pointer.is_some_and(|pointer| pointer.ends_with("/payPeriodId")) {
                if of_period.insert(description.clone()) {
                    faults.add_rule_fault(reason, None, description);
                }
                continue;
            }
            let Some((index, way)) = pointer.and_then(|pointer| self.find_row_origin(pointer)) else {
                faults.add_rule_fault(reason, None, description);
                continue;
            };
            let Some(record) = self.rows.get(index.row) else { continue };
            if reason.code() == Reason::DuplicateCorrelationId.code() {
                let rule =
                    "the worker already has that check in the pay period; was the file imported before?";
                faults.add_rule_fault(reason, Some((record.line, None)), rule);
                continue;
            }
            let fits = |column: &CsvColumn| {
                column.group == index.group && column.member_path.iter().copied().eq(way.split('/'))
            };
            match self.header.used_columns().find(|(_, _, column)| fits(column)) {
                Some((at, _, _)) if self.faulty_fields.contains(&(index.row, at)) => {}
                Some((at, name, _)) => {
                    let line = record.fields.get(at).map_or(record.line, |field| field.line);
                    faults.add_rule_fault(reason, Some((line, Some((at, name)))), description);
                }
                None => {
                    let column = self.kind.columns().into_iter().find(fits);
                    let absent = column.map(|column| format!("; the file has no column {}", column.name));
                    let description = format!("{description}{}", absent.unwrap_or_default());
                    faults.add_rule_fault(reason, Some((record.line, None)), description);
                }
            }
        }
    }

    /// Returns the origin of the object that a pointer refers to, and the rest of the pointer.
    fn find_row_origin<'p>(&self, pointer: &'p str) -> Option<(RowOrigin, &'p str)> {
        let mut whole = pointer;
        loop {
            if let Some(index) = self.origins.get(whole) {
                let way = pointer.strip_prefix(whole).unwrap_or_default();
                return Some((*index, way.strip_prefix('/').unwrap_or(way)));
            }
            whole = whole.rsplit_once('/')?.0;
        }
    }
}

/// The JSON objects that were built from the fields of a row.
#[derive(Debug, Default)]
struct RowObjects {
    own_members: Map<String, Value>,
    groups: Vec<(&'static ColumnGroup, Map<String, Value>)>,
}

impl RowObjects {
    fn insert_value(&mut self, column: &CsvColumn, value: Value) {
        let mut object = match column.group {
            None => &mut self.own_members,
            Some(group) => self.group_object(group),
        };
        let Some((last, above)) = column.member_path.split_last() else { return };
        for name in above {
            let inside = object.entry(*name).or_insert_with(|| json!({}));
            // This branch is unreachable. It would require two columns such as `name` and `name.givenName`.
            // Only members with a single value have columns.
            let Value::Object(members) = inside else { return };
            object = members;
        }
        object.insert((*last).to_owned(), value);
    }

    fn group_object(&mut self, group: &'static ColumnGroup) -> &mut Map<String, Value> {
        let index = self.groups.iter().position(|(other, _)| *other == group);
        let index = index.unwrap_or_else(|| {
            let members = [("type", group.kind), ("usageType", group.usage)];
            let members = members.into_iter().map(|(name, value)| (name.to_owned(), value.into()));
            self.groups.push((group, members.collect()));
            self.groups.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the place was found, or made, a line above")]
        &mut self.groups[index].1
    }

    /// Returns the objects. Each object comes with the name of its list. An object that was built from a
    /// group of columns also comes with this group.
    fn into_lists(self, kind: RowKind) -> Vec<(&'static str, Option<&'static ColumnGroup>, Value)> {
        let worker_id = self.own_members.get("workerId").cloned().unwrap_or_default();
        let list = if kind == RowKind::Rates { "payRates" } else { "workers" };
        let mut all = vec![(list, None, Value::Object(self.own_members))];
        all.extend(self.groups.into_iter().map(|(group, mut members)| {
            members.insert("workerId".to_owned(), worker_id.clone());
            ("communications", Some(group), members.into())
        }));
        all
    }
}
