//! What an import came to, and what is reported of a rejected line.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use payroll_domain::id::CompanyId;
use payroll_ports::import::ImportCounts;
use serde_json::json;

use crate::commands::output::Output;
use crate::failure::Outcome;

/// What an import came to.
#[derive(Debug, Default)]
pub(in crate::commands) struct Summary {
    pub(in crate::commands) stored: u64,
    pub(in crate::commands) refused: u64,
    pub(in crate::commands) counts: ImportCounts,
    /// In which line each company was named.
    pub(super) named: HashMap<CompanyId, u64>,
    /// The companies that are right, of a dry run.
    pub(super) right: HashSet<CompanyId>,
    /// Nothing was stored: it was only validated.
    pub(super) dry_run: bool,
}

impl Summary {
    /// One line for people, or one document.
    pub(super) fn show(&self, output: &mut Output<'_>) -> Outcome {
        if !output.is_json() {
            return output.say(self);
        }
        let ImportCounts { created, changed, unchanged } = self.counts;
        let objects = json!({"created": created, "changed": changed, "unchanged": unchanged});
        let document = json!({self.right_ones(): self.stored, "refused": self.refused, "objects": objects});
        output.document(document.to_string().as_bytes())
    }
}

impl Summary {
    /// What becomes of the companies in which nothing is wrong.
    const fn right_ones(&self) -> &'static str {
        if self.dry_run { "valid" } else { "stored" }
    }

    pub(super) fn add(&mut self, counts: ImportCounts) {
        self.stored += 1;
        self.counts.created += counts.created;
        self.counts.changed += counts.changed;
        self.counts.unchanged += counts.unchanged;
    }

    /// Notes that the line names the company; the line that named it before, if one did. Whether
    /// that was stored is all one: which of the two is meant is unknown.
    pub(super) fn name(&mut self, company_id: CompanyId, number: u64) -> Result<(), u64> {
        match self.named.entry(company_id) {
            Entry::Occupied(before) => Err(*before.get()),
            Entry::Vacant(free) => {
                free.insert(number);
                Ok(())
            }
        }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ImportCounts { created, changed, unchanged } = self.counts;
        if self.dry_run {
            f.write_str("Nothing is stored. ")?;
        }
        write!(
            f,
            "Companies: {} {}, {} refused. Objects in them: {created} created, {changed} changed, {unchanged} \
             unchanged.",
            self.stored,
            self.right_ones(),
            self.refused
        )
    }
}

/// Says on `errors` why a line is rejected.
pub(super) fn tell(errors: &mut dyn Write, number: u64, faults: &[String]) -> io::Result<()> {
    faults.iter().try_for_each(|fault| writeln!(errors, "line {number}: {fault}"))
}
