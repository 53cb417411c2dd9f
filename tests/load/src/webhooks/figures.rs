//! Measures the processor time and the latency of notifications.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use super::receiver::Arrivals;
use crate::Failure;
use crate::database::Database;
use crate::process::{Server, postgres_cpu_seconds};

/// A time interval, and the processor seconds that were used in this interval.
pub(super) struct MeasuredInterval {
    pub(super) began: Instant,
    server: f64,
    database: f64,
}

impl MeasuredInterval {
    pub(super) fn begin(server: &Server, database: &Database) -> Result<Self, Failure> {
        Ok(Self { server: server.cpu_seconds()?, database: database_cpu(database)?, began: Instant::now() })
    }

    /// Returns the processor seconds of server and database since the beginning, per 1,000 units of work.
    pub(super) fn cpu_per_thousand_items(
        &self,
        server: &Server,
        database: &Database,
        done: f64,
    ) -> Result<f64, Failure> {
        let spent = server.cpu_seconds()? - self.server + database_cpu(database)? - self.database;
        Ok(spent / done * 1_000.0)
    }
}

/// The time between each change and the arrival of its notification.
#[derive(Default)]
pub(super) struct DeliveryLatencies {
    /// For each change: its worker, the time of the request and the time of the response.
    changes: Vec<(String, Instant, Instant)>,
    after_answer: Vec<Duration>,
    after_request: Vec<Duration>,
}

impl DeliveryLatencies {
    pub(super) fn record_response(&mut self, worker: &str, sent: Instant, answered: Instant) {
        self.changes.push((worker.to_owned(), sent, answered));
    }

    /// Adds the recorded changes of another writer to this list.
    pub(super) fn append(&mut self, mut other: Self) {
        self.changes.append(&mut other.changes);
    }

    /// Returns the number of recorded changes.
    pub(super) const fn count(&self) -> usize {
        self.changes.len()
    }

    /// Waits until every change has arrived. Workers take turns, so the first arrival for a worker belongs to
    /// its first change.
    pub(super) async fn collect(
        mut self,
        mut arrivals: Arrivals,
        timeout: Duration,
    ) -> Result<Self, Failure> {
        let mut by_worker: HashMap<String, Vec<Instant>> = HashMap::new();
        let mut missing = self.changes.len();
        while missing > 0 {
            let next = tokio::time::timeout(timeout, arrivals.recv()).await?;
            let (at, body) = next.ok_or("the receiver has ended")?;
            let worker = body.split("\"workerId\":\"").nth(1).and_then(|rest| rest.split('"').next());
            by_worker.entry(worker.unwrap_or_default().to_owned()).or_default().push(at);
            missing -= 1;
        }
        for times in by_worker.values_mut() {
            times.sort();
            times.reverse();
        }
        self.changes.sort_by_key(|(_, sent, _)| *sent);
        for (worker, sent, answered) in &self.changes {
            let Some(at) = by_worker.get_mut(worker).and_then(Vec::pop) else {
                return Err(format!("a change of {worker} did not arrive").into());
            };
            self.after_answer.push(at.saturating_duration_since(*answered));
            self.after_request.push(at.saturating_duration_since(*sent));
        }
        Ok(self)
    }

    /// Returns the median and the 99th percentile as text.
    pub(super) fn summary(&self) -> String {
        let (response, request) = (quantiles(&self.after_answer), quantiles(&self.after_request));
        format!(
            "from the response p50 {:.2}, p99 {:.2} ms; from the request p50 {:.2}, p99 {:.2} ms ({} changes)",
            response.0,
            response.1,
            request.0,
            request.1,
            self.changes.len()
        )
    }
}

fn quantiles(waits: &[Duration]) -> (f64, f64) {
    let Ok(mut histogram) = Histogram::<u64>::new_with_max(600_000_000, 3) else { return (0.0, 0.0) };
    for wait in waits {
        histogram.saturating_record(u64::try_from(wait.as_micros()).unwrap_or(u64::MAX));
    }
    let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1_000.0;
    (at(0.5), at(0.99))
}

/// Returns the median of the durations.
pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Returns the processor seconds of the database's own processes.
pub(super) fn database_cpu(database: &Database) -> Result<f64, Failure> {
    if database.runs_in_separate_processes() { postgres_cpu_seconds() } else { Ok(0.0) }
}
