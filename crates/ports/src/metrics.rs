//! Metrics about this process, which each adapter reports for itself, for machines that watch the server
//! (specification §10.18). They are read at any time and wait for nothing.
//!
//! No metric names a company, an application or a person: labels are words of the program.

/// What a metric does over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// It only grows, from nothing at the start of the process.
    Count,
    /// It goes up and down.
    Level,
}

/// A metric with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its name, with the unit last; a count ends in `_total`.
    pub name: &'static str,
    /// A sentence that says what it is.
    pub meaning: &'static str,
    /// What it does over time.
    pub kind: MetricKind,
    /// What distinguishes it from others of the same name.
    pub labels: Vec<(&'static str, &'static str)>,
    /// How much it is.
    pub value: f64,
}

impl Metric {
    /// A count without labels.
    #[must_use]
    pub fn count(name: &'static str, meaning: &'static str, value: u64) -> Self {
        Self { name, meaning, kind: MetricKind::Count, labels: Vec::new(), value: real(value) }
    }

    /// A level without labels.
    #[must_use]
    pub const fn level(name: &'static str, meaning: &'static str, value: f64) -> Self {
        Self { name, meaning, kind: MetricKind::Level, labels: Vec::new(), value }
    }

    /// The same metric with a label more.
    #[must_use]
    pub fn with(mut self, label: &'static str, value: &'static str) -> Self {
        self.labels.push((label, value));
        self
    }
}

/// A whole number as those who watch take it. What is beyond 2^53 loses its last digits.
#[must_use]
#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "no metric gets there in a lifetime")]
pub const fn real(number: u64) -> f64 {
    number as f64
}
