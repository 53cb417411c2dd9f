//! The faults of a file. Each fault has a line and, if it concerns one field, a column.

use std::borrow::Cow;
use std::collections::HashMap;

use payroll_domain::code::Reason;
use payroll_domain::violation::{DocumentPosition, Violation, Violations};

/// The maximum number of reported faults. A person corrects a few faults and then tries again, so a longer
/// report would not help.
pub(super) const MAX_FAULTS: usize = 200;

/// The position that sorts a fault after all other faults.
const LAST_POSITION: DocumentPosition = DocumentPosition { at: u32::MAX, rank: 0 };

/// A fault in the document that was created from a file.
#[derive(Debug, Clone)]
pub struct CsvFault<'a> {
    /// The reason of the fault.
    pub reason: Reason,
    /// The position in the document; `None` if the fault concerns the complete document.
    pub pointer: Option<&'a str>,
    /// The description of the fault.
    pub description: Cow<'a, str>,
}

/// The faults of a file.
#[derive(Debug, Default)]
pub struct FileFaults {
    listed: Vec<FileFault>,
    omitted: u64,
}

/// A fault of a file.
#[derive(Debug)]
pub struct FileFault {
    /// The line, from 1; `None` if the fault concerns the complete file.
    pub line: Option<u64>,
    /// The column: its index and its name in the header.
    pub column: Option<(usize, String)>,
    reason: Reason,
    /// Whether the rules of the API found the fault in the document. All other faults come from the parser of
    /// the file.
    is_rule_fault: bool,
    description: String,
}

impl FileFaults {
    /// Adds a fault of a line or field.
    pub(super) fn add_line_fault(
        &mut self,
        reason: Reason,
        line: u64,
        column: Option<(usize, &str)>,
        description: impl Into<String>,
    ) {
        self.push(FileFault::new(reason, Some((line, column)), description));
    }

    /// Adds a fault of the complete file.
    pub(super) fn add_file_fault(&mut self, reason: Reason, description: impl Into<String>) {
        self.push(FileFault::new(reason, None, description));
    }

    /// Adds a fault that the rules of the API found in the document.
    pub(super) fn add_rule_fault(
        &mut self,
        reason: Reason,
        location: Option<(u64, Option<(usize, &str)>)>,
        description: impl Into<String>,
    ) {
        self.push(FileFault { is_rule_fault: true, ..FileFault::new(reason, location, description) });
    }

    fn push(&mut self, fault: FileFault) {
        if self.listed.len() < MAX_FAULTS {
            self.listed.push(fault);
        } else {
            self.omitted += 1;
        }
    }

    /// Returns the number of faults, including those that are not stored.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.omitted.saturating_add(u64::try_from(self.listed.len()).unwrap_or(u64::MAX))
    }

    /// Whether the file has no faults.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Returns the number of faults that are not stored.
    #[must_use]
    pub const fn omitted_count(&self) -> u64 {
        self.omitted
    }

    /// Returns the stored faults in the order of their lines.
    #[must_use]
    pub fn sorted_faults(&self) -> Vec<&FileFault> {
        let mut sorted: Vec<&FileFault> = self.listed.iter().collect();
        sorted
            .sort_by_key(|fault| (fault.line.unwrap_or(u64::MAX), fault.column.as_ref().map(|(at, _)| *at)));
        sorted
    }

    /// Converts the faults to faults of the API; `None` if there are none. A pointer consists of the line and
    /// the column name, such as `/3/payAmount`.
    #[must_use]
    pub fn violations(&self) -> Option<Violations> {
        let mut found: Vec<Violation> = Vec::new();
        let mut seen = HashMap::new();
        for (at, fault) in (0..).zip(self.sorted_faults()) {
            let violation = fault.to_violation(at);
            let location = (violation.reason.code(), violation.pointer.clone());
            // The API reports each code only once for a position. Further descriptions are therefore appended
            // to the first.
            match seen.get(&location).and_then(|known: &usize| found.get_mut(*known)) {
                Some(known) if known.description.contains(&violation.description) => {}
                Some(known) => {
                    known.description = format!("{}; {}", known.description, violation.description)
                }
                None => {
                    seen.insert(location, found.len());
                    found.push(violation);
                }
            }
        }
        if self.omitted > 0 {
            let rest = format!("there are {} more faults", self.omitted);
            let mut last = Violation::new(Reason::InvalidParameter, rest);
            last.position = LAST_POSITION;
            found.push(last);
        }
        Violations::from_faults(found)
    }
}

impl FileFault {
    fn new(
        reason: Reason,
        location: Option<(u64, Option<(usize, &str)>)>,
        description: impl Into<String>,
    ) -> Self {
        let column = location.and_then(|(_, column)| column);
        Self {
            line: location.map(|(line, _)| line),
            column: column.map(|(at, name)| (at, name.to_owned())),
            reason,
            is_rule_fault: false,
            description: description.into(),
        }
    }

    /// Returns the description of the fault. If the rules of the API found the fault, its code comes first.
    #[must_use]
    pub fn description(&self) -> String {
        match self.is_rule_fault {
            true => format!("{} {}", self.reason.code(), self.description),
            false => self.description.clone(),
        }
    }

    fn to_violation(&self, at: u32) -> Violation {
        let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
        let pointer = match (self.line, &self.column) {
            (Some(line), Some((_, column))) => format!("/{line}/{}", escaped(column)),
            (Some(line), None) => format!("/{line}"),
            (None, _) => String::new(),
        };
        Violation::new(self.reason, self.description.clone())
            .at_position(pointer, DocumentPosition { at, rank: 0 })
    }
}

/// Writes the position and the description.
impl std::fmt::Display for FileFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, &self.column) {
            (Some(line), Some((_, column))) => write!(f, "line {line}, column {column}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            (None, _) => {}
        }
        f.write_str(&self.description())
    }
}
