//! The summary of an import, and the report about a rejected line.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use payroll_domain::id::CompanyId;
use payroll_ports::import::ImportCounts;
use serde_json::json;

use crate::commands::output::Output;
use crate::failure::Outcome;

/// Counts of the stored lines, of the rejected lines, and of the objects in stored companies.
#[derive(Debug, Default)]
pub(in crate::commands) struct ImportSummary {
    pub(in crate::commands) stored: u64,
    pub(in crate::commands) refused: u64,
    pub(in crate::commands) counts: ImportCounts,
    /// For each company, the number of the line that contains it.
    pub(super) line_numbers: HashMap<CompanyId, u64>,
    /// The companies that a dry run has found valid.
    pub(super) valid_companies: HashSet<CompanyId>,
    /// Whether the import was a dry run, which stores nothing.
    pub(super) dry_run: bool,
}

impl ImportSummary {
    /// Prints the summary: one human-readable line, or one JSON document with `--json`.
    pub(super) fn print_summary(&self, output: &mut Output<'_>) -> Outcome {
        if !output.is_json() {
            return output.print_line(self);
        }
        let ImportCounts { created, changed, unchanged } = self.counts;
        let objects = json!({"created": created, "changed": changed, "unchanged": unchanged});
        let document =
            json!({self.verb_for_valid_lines(): self.stored, "refused": self.refused, "objects": objects});
        output.print_document(document.to_string().as_bytes())
    }
}

impl ImportSummary {
    /// Returns the verb for lines without faults, such as stored. A dry run only validates these lines.
    const fn verb_for_valid_lines(&self) -> &'static str {
        if self.dry_run { "valid" } else { "stored" }
    }

    pub(super) fn add_counts(&mut self, counts: ImportCounts) {
        self.stored += 1;
        self.counts.created += counts.created;
        self.counts.changed += counts.changed;
        self.counts.unchanged += counts.unchanged;
    }

    /// Records that the line contains the company.
    ///
    /// # Errors
    /// Returns the number of an earlier line with the same company, even if that line was rejected. The user
    /// must decide which of the two lines is correct.
    pub(super) fn record_company(&mut self, company_id: CompanyId, number: u64) -> Result<(), u64> {
        match self.line_numbers.entry(company_id) {
            Entry::Occupied(before) => Err(*before.get()),
            Entry::Vacant(free) => {
                free.insert(number);
                Ok(())
            }
        }
    }
}

impl std::fmt::Display for ImportSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ImportCounts { created, changed, unchanged } = self.counts;
        if self.dry_run {
            f.write_str("Nothing is stored. ")?;
        }
        write!(
            f,
            "Companies: {} {}, {} rejected. Objects in them: {created} created, {changed} changed, \
             {unchanged} unchanged.",
            self.stored,
            self.verb_for_valid_lines(),
            self.refused
        )
    }
}

/// Prints the faults of a rejected line on `errors`.
pub(super) fn print_faults(errors: &mut dyn Write, number: u64, faults: &[String]) -> io::Result<()> {
    faults.iter().try_for_each(|fault| writeln!(errors, "line {number}: {fault}"))
}
