//! What is wrong with a file, each fault with its line and, where it is in one field, the column.

use std::io::Write;

use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::terminal::plain;

/// Faults of a file that are told: as many as a person mends before trying again.
pub(super) const MAX_FAULTS_TOLD: usize = 200;

/// The faults of a file.
#[derive(Debug, Default)]
pub(super) struct Faults {
    told: Vec<Fault>,
    left_out: u64,
}

#[derive(Debug)]
struct Fault {
    /// `None`: it is of the whole file.
    line: Option<u64>,
    /// The column: its place, and its name in the header.
    column: Option<(usize, String)>,
    sentence: String,
}

impl Faults {
    /// Notes a fault; a sentence of the operator API begins with its code.
    pub(super) fn add(&mut self, line: u64, column: Option<(usize, &str)>, sentence: impl Into<String>) {
        self.push(Fault {
            line: Some(line),
            column: column.map(|(at, name)| (at, name.to_owned())),
            sentence: sentence.into(),
        });
    }

    /// Notes a fault of the whole file.
    pub(super) fn add_of_file(&mut self, sentence: impl Into<String>) {
        self.push(Fault { line: None, column: None, sentence: sentence.into() });
    }

    fn push(&mut self, fault: Fault) {
        if self.told.len() < MAX_FAULTS_TOLD {
            self.told.push(fault);
        } else {
            self.left_out += 1;
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.left_out.saturating_add(u64::try_from(self.told.len()).unwrap_or(u64::MAX))
    }

    pub(super) const fn are_none(&self) -> bool {
        self.told.is_empty()
    }

    /// The faults by their lines, each in one line.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let mut sorted: Vec<&Fault> = self.told.iter().collect();
        sorted
            .sort_by_key(|fault| (fault.line.unwrap_or(u64::MAX), fault.column.as_ref().map(|(at, _)| *at)));
        sorted.into_iter().map(Fault::in_one_line)
    }

    /// Tells them on `errors`; what the command comes to.
    ///
    /// # Errors
    /// There are any: nothing of the file is stored.
    pub(super) fn tell(&self, errors: &mut dyn Write) -> Outcome {
        if self.are_none() {
            return Ok(());
        }
        for line in self.lines() {
            writeln!(errors, "{line}")?;
        }
        if self.left_out > 0 {
            writeln!(errors, "There are {} more faults.", self.left_out)?;
        }
        let count = self.count();
        Err(Failure::refused(format!("nothing is stored; faults: {count}"))
            .with_document(self.document().to_string()))
    }

    fn document(&self) -> Value {
        let faults = self.told.iter().map(|fault| {
            let mut document = json!({"line": fault.line, "description": fault.sentence});
            if let (Some((_, column)), Some(members)) = (&fault.column, document.as_object_mut()) {
                members.insert("column".to_owned(), column.as_str().into());
            }
            document
        });
        json!({"faults": faults.collect::<Vec<_>>(), "faultsLeftOut": self.left_out})
    }
}

impl Fault {
    fn in_one_line(&self) -> String {
        let Self { line, column, sentence } = self;
        plain(&match (line, column) {
            (Some(line), Some((_, column))) => format!("line {line}, column {column}: {sentence}"),
            (Some(line), None) => format!("line {line}: {sentence}"),
            (None, _) => sentence.clone(),
        })
    }
}
