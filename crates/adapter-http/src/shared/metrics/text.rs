//! The text format of Prometheus, version 0.0.4: two lines that describe each metric, then its samples.

use std::collections::BTreeMap;
use std::fmt::Write;

use payroll_ports::metrics::{Metric, MetricKind};

/// The media type of the text format.
pub(crate) const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Collects the text and groups the samples by metric, as the format requires.
#[derive(Debug, Default)]
pub(super) struct MetricsText {
    families: BTreeMap<&'static str, MetricFamily>,
}

#[derive(Debug)]
struct MetricFamily {
    help: &'static str,
    kind: &'static str,
    samples: String,
}

impl MetricsText {
    /// Adds metrics to the text.
    pub(super) fn add_metrics(&mut self, metrics: impl IntoIterator<Item = Metric>) {
        for metric in metrics {
            let kind = match metric.kind {
                MetricKind::Count => "counter",
                MetricKind::Level => "gauge",
            };
            self.samples_of_family(metric.name, metric.help, kind).add_sample(
                "",
                &metric.labels,
                metric.value,
            );
        }
    }

    /// Returns the writer of a metric's samples. Each call for the same name must pass the same `help` and
    /// `kind`.
    pub(super) fn samples_of_family(
        &mut self,
        name: &'static str,
        help: &'static str,
        kind: &'static str,
    ) -> Samples<'_> {
        let new = || MetricFamily { help, kind, samples: String::new() };
        Samples { name, out: &mut self.families.entry(name).or_insert_with(new).samples }
    }

    pub(super) fn finish(self) -> String {
        let mut all = String::new();
        for (name, MetricFamily { help: meaning, kind, samples }) in self.families {
            // The result is ignored, because writing to a string cannot fail.
            let _ = write!(all, "# HELP {name} {meaning}\n# TYPE {name} {kind}\n{samples}");
        }
        all
    }
}

/// The samples of one metric.
pub(super) struct Samples<'t> {
    name: &'static str,
    out: &'t mut String,
}

impl Samples<'_> {
    /// Adds a sample. Label values are constants of this program, so nothing needs escaping.
    pub(super) fn add_sample(&mut self, suffix: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(label, value)| format!("{label}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        // The result is ignored, because writing to a string cannot fail.
        let _ = writeln!(self.out, "{}{suffix}{labels} {value}", self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_with_the_same_name_are_adjacent() {
        let mut text = MetricsText::default();
        let sent =
            |outcome, value| Metric::counter("sent_total", "Sent.", value).with_label("outcome", outcome);
        text.add_metrics([sent("well", 2), Metric::gauge("age_seconds", "Age.", 1.5), sent("badly", 1)]);
        let expected = "# HELP age_seconds Age.\n# TYPE age_seconds gauge\nage_seconds 1.5\n\
            # HELP sent_total Sent.\n# TYPE sent_total counter\n\
            sent_total{outcome=\"well\"} 2\nsent_total{outcome=\"badly\"} 1\n";
        assert_eq!(text.finish(), expected);
    }
}
