//! The results of the benchmark as a Markdown table. docs/benchmarks.md contains an excerpt of the table.

use crate::client::RunResult;

/// The results of one operation on one database: the runs of the server, and the runs with which they are
/// compared.
pub(crate) struct ReportRow {
    pub(crate) database: &'static str,
    pub(crate) operation: &'static str,
    /// The number of clients that send requests at the same time.
    pub(crate) clients: usize,
    pub(crate) server: Vec<MeasuredRun>,
    pub(crate) compared: Vec<MeasuredRun>,
    pub(crate) target: PerformanceTarget,
}

/// The performance that the server must reach.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PerformanceTarget {
    /// The requests per second must be at least this share of the minimal server's. `None` requires nothing.
    ShareOfFloor(Option<f64>),
    /// The processor time of server and database must be at most this share of the time for the full
    /// response.
    FullResponse(f64),
}

/// The result of one run, with the processor time that the run used.
pub(crate) struct MeasuredRun {
    pub(crate) run: RunResult,
    pub(crate) process_cpu_seconds: f64,
    pub(crate) database_cpu_seconds: f64,
    /// The number of flushes of the database's disk, caused by all programs. `None` if the system does not
    /// count the flushes.
    pub(crate) flushes: Option<u64>,
}

impl MeasuredRun {
    pub(crate) fn per_second(&self) -> f64 {
        to_f64(self.run.requests) / self.run.seconds
    }

    pub(crate) fn cpu_micros(&self, seconds: f64) -> f64 {
        seconds * 1_000_000.0 / to_f64(self.run.requests.max(1))
    }

    /// Returns the number of disk flushes per request.
    pub(crate) fn flushes_per_request(&self) -> Option<f64> {
        Some(to_f64(self.flushes?) / to_f64(self.run.requests.max(1)))
    }

    pub(crate) fn milliseconds_at(&self, quantile: f64) -> f64 {
        to_f64(self.run.latencies_micros.value_at_quantile(quantile)) / 1_000.0
    }
}

/// The header of the Markdown table.
pub(crate) const TABLE_HEAD: &str = "\
| database | operation | clients | | requests/s | p50 ms | p99 ms | process CPU µs | database CPU µs | disk flushes \
| share of the floor |
|---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|";

/// Returns two rows of the table with medians: one row for the server, and one for its comparison.
pub(crate) fn format_rows(row: &ReportRow) -> String {
    let mark = |reached: bool| if reached { "" } else { ", missed" };
    let (names, last) = match row.target {
        PerformanceTarget::ShareOfFloor(target) => {
            let share = median_ratio(row, MeasuredRun::per_second);
            let target = target.map(|target| format!(" (at least {target:.2}{})", mark(share >= target)));
            (["server", "floor"], format!("**{share:.2}**{}", target.unwrap_or_default()))
        }
        PerformanceTarget::FullResponse(most) => {
            let share =
                median_ratio(row, |run| run.cpu_micros(run.process_cpu_seconds + run.database_cpu_seconds));
            let text =
                format!("**{share:.2}** of the processor time (at most {most:.2}{})", mark(share <= most));
            (["304", "200"], text)
        }
    };
    let [server, compared] = names;
    let rows = [format_row(row, server, &row.server, &last), format_row(row, compared, &row.compared, "")];
    rows.join("\n")
}

/// Returns the median ratio between the server and its comparison in the same round.
fn median_ratio(row: &ReportRow, figure: impl Fn(&MeasuredRun) -> f64) -> f64 {
    median(
        row.server.iter().zip(&row.compared).map(|(server, other)| figure(server) / figure(other)).collect(),
    )
}

fn format_row(row: &ReportRow, who: &str, runs: &[MeasuredRun], last: &str) -> String {
    let of = |figure: &dyn Fn(&MeasuredRun) -> f64| median(runs.iter().map(figure).collect());
    format!(
        "| {} | {} | {} | {who} | {:.0} | {:.2} | {:.2} | {:.0} | {:.0} | {} | {last} |",
        row.database,
        row.operation,
        row.clients,
        of(&MeasuredRun::per_second),
        of(&|run| run.milliseconds_at(0.5)),
        of(&|run| run.milliseconds_at(0.99)),
        of(&|run| run.cpu_micros(run.process_cpu_seconds)),
        of(&|run| run.cpu_micros(run.database_cpu_seconds)),
        format_flushes(runs),
    )
}

/// Returns the median of the disk flushes for each request, or a dash if the system does not count them.
fn format_flushes(runs: &[MeasuredRun]) -> String {
    let flushes: Option<Vec<f64>> = runs.iter().map(MeasuredRun::flushes_per_request).collect();
    flushes.map_or_else(|| "–".to_owned(), |flushes| format!("{:.2}", median(flushes)))
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub(crate) fn megabytes(kilobytes: u64) -> f64 {
    kilobytes as f64 / 1_000.0
}

/// Returns the median of a list of measured values.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

#[expect(clippy::cast_precision_loss, reason = "figures for people: no run has 2^52 requests")]
fn to_f64(number: u64) -> f64 {
    number as f64
}
