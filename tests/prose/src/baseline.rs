//! The number of violations that each file may have, from the time when the rules were introduced. The number
//! of a file must not increase.

use std::collections::BTreeMap;
use std::fmt;

use crate::rules::Rule;

/// The accepted number of violations for each file and rule.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Baseline(BTreeMap<(String, String), usize>);

impl Baseline {
    /// Parses lines of the form `file rule count`.
    ///
    /// # Errors
    /// Returns the first invalid line as the error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut counts = BTreeMap::new();
        for line in text.lines().filter(|it| !it.starts_with('#') && !it.trim().is_empty()) {
            let parts: Vec<&str> = line.split_whitespace().collect();
            let [file, rule, count] = parts.as_slice() else { return Err(line.to_owned()) };
            let known = Rule::ALL.iter().any(|it| it.name() == *rule);
            let count = count.parse().ok().filter(|_| known).ok_or_else(|| line.to_owned())?;
            counts.insert(((*file).to_owned(), (*rule).to_owned()), count);
        }
        Ok(Self(counts))
    }

    /// Counts one violation of a rule in a file.
    pub fn add(&mut self, file: &str, rule: Rule) {
        let count = self.0.entry((file.to_owned(), rule.name().to_owned())).or_insert(0);
        *count = count.saturating_add(1);
    }

    /// Returns each count in `self` that is larger than the count in `other`: file, rule, count in `self`,
    /// count in `other`.
    #[must_use]
    pub fn counts_above(&self, other: &Self) -> Vec<(String, String, usize, usize)> {
        let there = |key| other.0.get(key).copied().unwrap_or_default();
        let more = self.0.iter().filter(|(key, count)| **count > there(key));
        more.map(|(key, count)| (key.0.clone(), key.1.clone(), *count, there(key))).collect()
    }

    /// Returns the smaller of the two numbers for each file and rule.
    #[must_use]
    pub fn minimum(&self, other: &Self) -> Self {
        let both =
            self.0.iter().filter_map(|(key, count)| Some((key.clone(), *count.min(other.0.get(key)?))));
        Self(both.collect())
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((file, rule), count) in &self.0 {
            writeln!(f, "{file} {rule} {count}")?;
        }
        Ok(())
    }
}
