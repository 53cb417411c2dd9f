//! What was found, a line each.

use std::io::Write;

use serde_json::{Value, json};

use crate::failure::Outcome;
use crate::terminal::{Cell, Paint, Table, Tone};

/// How it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// As it should be.
    Fine,
    /// It works, and somebody should know.
    Warning,
    /// The server does not start, or does not do what it promises.
    Problem,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }

    const fn tone(self) -> Tone {
        match self {
            Self::Fine => Tone::Good,
            Self::Warning => Tone::Warning,
            Self::Problem => Tone::Off,
        }
    }
}

struct Finding {
    area: &'static str,
    state: State,
    says: String,
    /// What to do; empty where nothing is to be done.
    advice: String,
}

/// All that was found.
#[derive(Default)]
pub(super) struct Report {
    findings: Vec<Finding>,
}

impl Report {
    pub(super) fn fine(&mut self, area: &'static str, says: impl Into<String>) {
        self.add(area, State::Fine, says, "");
    }

    pub(super) fn warning(&mut self, area: &'static str, says: impl Into<String>, advice: impl Into<String>) {
        self.add(area, State::Warning, says, advice);
    }

    pub(super) fn problem(&mut self, area: &'static str, says: impl Into<String>, advice: impl Into<String>) {
        self.add(area, State::Problem, says, advice);
    }

    fn add(&mut self, area: &'static str, state: State, says: impl Into<String>, advice: impl Into<String>) {
        self.findings.push(Finding { area, state, says: says.into(), advice: advice.into() });
    }

    pub(super) fn problems(&self) -> usize {
        self.findings.iter().filter(|finding| finding.state == State::Problem).count()
    }

    /// A line for each, with what to do below it.
    pub(super) fn print(&self, out: &mut dyn Write) -> Outcome {
        let mut table = Table::default();
        for Finding { area, state, says, advice } in &self.findings {
            table.row([Cell::toned(state.word(), state.tone()), (*area).into(), says.into()]);
            if !advice.is_empty() {
                table.row(["".into(), "".into(), format!("→ {advice}").into()]);
            }
        }
        Ok(table.print(out, Paint::of_standard_output())?)
    }

    pub(super) fn print_json(&self, out: &mut dyn Write) -> Outcome {
        let findings: Vec<Value> = self
            .findings
            .iter()
            .map(|Finding { area, state, says, advice }| {
                let advice = Some(advice).filter(|advice| !advice.is_empty());
                json!({"area": area, "state": state.word(), "message": says, "advice": advice})
            })
            .collect();
        Ok(writeln!(out, "{}", json!({"healthy": self.problems() == 0, "findings": findings}))?)
    }
}
