//! The steps of a simulated year and the hash of the steps. A failing seed prints the last hundred steps.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The number of steps that a failing run prints.
const MAX_PRINTED_STEPS: usize = 100;

/// Collects the steps of a run.
pub(super) struct Trace {
    hasher: DefaultHasher,
    last: VecDeque<String>,
}

impl Trace {
    pub(super) fn new() -> Self {
        Self { hasher: DefaultHasher::new(), last: VecDeque::new() }
    }

    /// Adds a step that is the same in each run of the seed.
    pub(super) fn add(&mut self, step: String) {
        step.hash(&mut self.hasher);
        self.add_unhashed_step(step);
    }

    /// Adds a step that is printed, but not part of the hash, because it depends on the order of threads.
    pub(super) fn add_unhashed_step(&mut self, step: String) {
        self.last.push_back(step);
        if self.last.len() > MAX_PRINTED_STEPS {
            self.last.pop_front();
        }
    }

    /// Returns the last steps, one in each line.
    pub(super) fn last_steps(&self) -> String {
        self.last.iter().fold(String::new(), |text, step| format!("{text}\n  {step}"))
    }

    pub(super) fn hash(&self) -> u64 {
        self.hasher.finish()
    }
}
