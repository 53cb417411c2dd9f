//! Metrics about this process for monitoring systems (specification §10.18). Each adapter reports its own
//! metrics. Reading a metric never waits and never fails.
//!
//! No metric identifies a company, an application or a person. The values of labels are constants of the
//! program.

/// The kind of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// A counter, which is zero when the process starts and only increases.
    Count,
    /// A gauge, which increases and decreases.
    Level,
}

/// A metric with its current value.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// The name of the metric, which ends with its unit. The name of a counter ends with `_total`.
    pub name: &'static str,
    /// A sentence that describes the metric.
    pub help: &'static str,
    /// Whether the metric is a counter or a gauge.
    pub kind: MetricKind,
    /// The labels that distinguish the metric from other metrics with the same name.
    pub labels: Vec<(&'static str, &'static str)>,
    /// The current value of the metric.
    pub value: f64,
}

impl Metric {
    /// Creates a counter without labels.
    #[must_use]
    pub fn counter(name: &'static str, help: &'static str, value: u64) -> Self {
        Self { name, help, kind: MetricKind::Count, labels: Vec::new(), value: to_f64(value) }
    }

    /// Creates a gauge without labels.
    #[must_use]
    pub const fn gauge(name: &'static str, help: &'static str, value: f64) -> Self {
        Self { name, help, kind: MetricKind::Level, labels: Vec::new(), value }
    }

    /// Adds a label to the metric.
    #[must_use]
    pub fn with_label(mut self, label: &'static str, value: &'static str) -> Self {
        self.labels.push((label, value));
        self
    }
}

/// Converts a whole number to the format of metrics. Numbers above 2^53 lose their last digits.
#[must_use]
#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "no metric gets there in a lifetime")]
pub const fn to_f64(number: u64) -> f64 {
    number as f64
}
