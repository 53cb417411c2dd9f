//! What is wrong with a file, each fault with its line and, where it is in one field, the column.

use std::borrow::Cow;
use std::collections::HashMap;

use payroll_domain::code::Reason;
use payroll_domain::violation::{Place, Violation, Violations};

/// Faults of a file that are reported: as many as a person mends before trying again.
pub(super) const MAX_FAULTS: usize = 200;

/// The place after all others.
const LAST: Place = Place { at: u32::MAX, rank: 0 };

/// What was found wrong with the document that a file was made into.
#[derive(Debug, Clone)]
pub struct Judged<'a> {
    /// The reason of the fault.
    pub reason: Reason,
    /// Where in the document; `None`: of all of it.
    pub pointer: Option<&'a str>,
    /// The description of the fault.
    pub description: Cow<'a, str>,
}

/// The faults of a file.
#[derive(Debug, Default)]
pub struct Faults {
    found: Vec<Fault>,
    left_out: u64,
}

/// A fault of a file.
#[derive(Debug)]
pub struct Fault {
    /// The line, from 1; `None`: it is of the complete file.
    pub line: Option<u64>,
    /// The column: its place, and its name in the header.
    pub column: Option<(usize, String)>,
    reason: Reason,
    /// It was found in the document that the file was made into, by the rules of the API.
    is_judged: bool,
    description: String,
}

impl Faults {
    /// Notes a fault of the file as such.
    pub(super) fn add(
        &mut self,
        reason: Reason,
        line: u64,
        column: Option<(usize, &str)>,
        description: impl Into<String>,
    ) {
        self.push(Fault::new(reason, Some((line, column)), description));
    }

    /// Notes a fault of the complete file.
    pub(super) fn add_of_file(&mut self, reason: Reason, description: impl Into<String>) {
        self.push(Fault::new(reason, None, description));
    }

    /// Notes what was found in the document of the file.
    pub(super) fn add_judged(
        &mut self,
        reason: Reason,
        place: Option<(u64, Option<(usize, &str)>)>,
        description: impl Into<String>,
    ) {
        self.push(Fault { is_judged: true, ..Fault::new(reason, place, description) });
    }

    fn push(&mut self, fault: Fault) {
        if self.found.len() < MAX_FAULTS {
            self.found.push(fault);
        } else {
            self.left_out += 1;
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.left_out.saturating_add(u64::try_from(self.found.len()).unwrap_or(u64::MAX))
    }

    /// Whether there are none.
    #[must_use]
    pub const fn are_none(&self) -> bool {
        self.found.is_empty()
    }

    /// How many there are in addition to those that are stored.
    #[must_use]
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The faults by their lines.
    #[must_use]
    pub fn sorted(&self) -> Vec<&Fault> {
        let mut sorted: Vec<&Fault> = self.found.iter().collect();
        sorted
            .sort_by_key(|fault| (fault.line.unwrap_or(u64::MAX), fault.column.as_ref().map(|(at, _)| *at)));
        sorted
    }

    /// The faults as the API reports them: with a pointer of the line and the name of the column, such as
    /// `/3/payAmount`. `None` without a fault.
    #[must_use]
    pub fn violations(&self) -> Option<Violations> {
        let mut found: Vec<Violation> = Vec::new();
        let mut places = HashMap::new();
        for (at, fault) in (0..).zip(self.sorted()) {
            let violation = fault.violation(at);
            let place = (violation.reason.code(), violation.pointer.clone());
            // One code is reported once at a place, so its other descriptions are added to the same sentence.
            match places.get(&place).and_then(|known: &usize| found.get_mut(*known)) {
                Some(known) if known.description.contains(&violation.description) => {}
                Some(known) => {
                    known.description = format!("{}; {}", known.description, violation.description)
                }
                None => {
                    places.insert(place, found.len());
                    found.push(violation);
                }
            }
        }
        if self.left_out > 0 {
            let rest = format!("there are {} more faults", self.left_out);
            let mut last = Violation::new(Reason::InvalidParameter, rest);
            last.place = LAST;
            found.push(last);
        }
        Violations::collect(found)
    }
}

impl Fault {
    fn new(
        reason: Reason,
        place: Option<(u64, Option<(usize, &str)>)>,
        description: impl Into<String>,
    ) -> Self {
        let column = place.and_then(|(_, column)| column);
        Self {
            line: place.map(|(line, _)| line),
            column: column.map(|(at, name)| (at, name.to_owned())),
            reason,
            is_judged: false,
            description: description.into(),
        }
    }

    /// What is wrong; a sentence about the document begins with its code.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self.is_judged {
            true => format!("{} {}", self.reason.code(), self.description),
            false => self.description.clone(),
        }
    }

    fn violation(&self, at: u32) -> Violation {
        let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
        let pointer = match (self.line, &self.column) {
            (Some(line), Some((_, column))) => format!("/{line}/{}", escaped(column)),
            (Some(line), None) => format!("/{line}"),
            (None, _) => String::new(),
        };
        Violation::new(self.reason, self.description.clone()).at(pointer, Place { at, rank: 0 })
    }
}

/// The place, and what is wrong there.
impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, &self.column) {
            (Some(line), Some((_, column))) => write!(f, "line {line}, column {column}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            (None, _) => {}
        }
        f.write_str(&self.sentence())
    }
}
