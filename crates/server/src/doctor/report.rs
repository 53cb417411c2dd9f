//! The report of the diagnostics, with one line for each finding.

use std::io::Write;

use payroll_ports::oversight::{Finding, FindingSeverity};
use serde_json::{Value, json};

use crate::failure::Outcome;
use crate::terminal::{Cell, Colors, Table, TextTone};

/// Returns the tone, and thereby the colour, of findings with this severity.
const fn severity_tone(state: FindingSeverity) -> TextTone {
    match state {
        FindingSeverity::Fine => TextTone::Good,
        FindingSeverity::Warning => TextTone::Warning,
        FindingSeverity::Problem => TextTone::Off,
    }
}

/// The findings of all areas.
#[derive(Default)]
pub(crate) struct DiagnosticsReport {
    findings: Vec<Finding>,
}

impl DiagnosticsReport {
    pub(super) fn add_ok(&mut self, area: &'static str, summary: impl Into<String>) {
        self.add_finding(area, FindingSeverity::Fine, summary, "");
    }

    pub(super) fn add_warning(
        &mut self,
        area: &'static str,
        summary: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.add_finding(area, FindingSeverity::Warning, summary, advice);
    }

    pub(super) fn add_problem(
        &mut self,
        area: &'static str,
        summary: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.add_finding(area, FindingSeverity::Problem, summary, advice);
    }

    fn add_finding(
        &mut self,
        area: &'static str,
        state: FindingSeverity,
        summary: impl Into<String>,
        advice: impl Into<String>,
    ) {
        let advice = Some(advice.into()).filter(|advice| !advice.is_empty());
        self.findings.push(Finding { area, state, message: summary.into(), advice });
    }

    pub(crate) fn count_problems(&self) -> usize {
        self.findings.iter().filter(|finding| finding.state == FindingSeverity::Problem).count()
    }

    /// Returns the findings in the order in which they were added.
    pub(super) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Prints a line for each finding, with the advice below it.
    pub(crate) fn print(&self, out: &mut dyn Write) -> Outcome {
        let mut table = Table::default();
        for Finding { area, state, message, advice } in &self.findings {
            table.add_row([
                Cell::with_tone(state.as_str(), severity_tone(*state)),
                (*area).into(),
                message.into(),
            ]);
            if let Some(advice) = advice {
                table.add_row(["".into(), "".into(), format!("→ {advice}").into()]);
            }
        }
        Ok(table.print(out, Colors::for_standard_output())?)
    }

    pub(crate) fn print_json(&self, out: &mut dyn Write) -> Outcome {
        let findings: Vec<Value> = self
            .findings
            .iter()
            .map(|Finding { area, state, message, advice }| {
                json!({"area": area, "state": state.as_str(), "message": message, "advice": advice})
            })
            .collect();
        Ok(writeln!(out, "{}", json!({"healthy": self.count_problems() == 0, "findings": findings}))?)
    }
}
