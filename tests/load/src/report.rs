//! The numbers as a table in Markdown. docs/benchmarks.md contains an excerpt of the table.

use crate::client::RunResult;

/// One operation on one database: the runs of the server and the runs that it is compared with.
pub(crate) struct Row {
    pub(crate) database: &'static str,
    pub(crate) operation: &'static str,
    pub(crate) server: Vec<Measured>,
    pub(crate) beside: Vec<Measured>,
    pub(crate) aim: Target,
}

/// The performance that the server must reach.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// At least the given share of the floor's requests per second, if a share is set.
    ShareOfFloor(Option<f64>),
    /// At most the given share of the processor time, of server and database, for the full response.
    Whole(f64),
}

/// One run and its processor time.
pub(crate) struct Measured {
    pub(crate) run: RunResult,
    pub(crate) process_cpu_seconds: f64,
    pub(crate) database_cpu_seconds: f64,
}

impl Measured {
    pub(crate) fn per_second(&self) -> f64 {
        count(self.run.requests) / self.run.seconds
    }

    pub(crate) fn cpu_micros(&self, seconds: f64) -> f64 {
        seconds * 1_000_000.0 / count(self.run.requests.max(1))
    }

    pub(crate) fn milliseconds_at(&self, quantile: f64) -> f64 {
        count(self.run.latencies_micros.value_at_quantile(quantile)) / 1_000.0
    }
}

/// The head of the table.
pub(crate) const TABLE_HEAD: &str = "\
| database | operation | | requests/s | p50 ms | p99 ms | process CPU µs | database CPU µs | share of the floor |
|---|---|---|---:|---:|---:|---:|---:|---:|";

/// Returns two rows of the table with medians: the server, and the runs that it is compared with.
pub(crate) fn lines(row: &Row) -> String {
    let mark = |reached: bool| if reached { "" } else { ", missed" };
    let (names, last) = match row.aim {
        Target::ShareOfFloor(target) => {
            let share = ratio(row, Measured::per_second);
            let target = target.map(|target| format!(" (at least {target:.2}{})", mark(share >= target)));
            (["server", "floor"], format!("**{share:.2}**{}", target.unwrap_or_default()))
        }
        Target::Whole(most) => {
            let share = ratio(row, |run| run.cpu_micros(run.process_cpu_seconds + run.database_cpu_seconds));
            let text =
                format!("**{share:.2}** of the processor time (at most {most:.2}{})", mark(share <= most));
            (["304", "200"], text)
        }
    };
    let [server, beside] = names;
    format!("{}\n{}", line(row, server, &row.server, &last), line(row, beside, &row.beside, ""))
}

/// Returns the median ratio between the server and its comparison in the same round.
fn ratio(row: &Row, figure: impl Fn(&Measured) -> f64) -> f64 {
    median(row.server.iter().zip(&row.beside).map(|(server, other)| figure(server) / figure(other)).collect())
}

fn line(row: &Row, who: &str, runs: &[Measured], last: &str) -> String {
    let of = |figure: &dyn Fn(&Measured) -> f64| median(runs.iter().map(figure).collect());
    format!(
        "| {} | {} | {who} | {:.0} | {:.2} | {:.2} | {:.0} | {:.0} | {last} |",
        row.database,
        row.operation,
        of(&Measured::per_second),
        of(&|run| run.milliseconds_at(0.5)),
        of(&|run| run.milliseconds_at(0.99)),
        of(&|run| run.cpu_micros(run.process_cpu_seconds)),
        of(&|run| run.cpu_micros(run.database_cpu_seconds)),
    )
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub(crate) fn megabytes(kilobytes: u64) -> f64 {
    kilobytes as f64 / 1_000.0
}

/// Returns the median of the values.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

#[expect(clippy::cast_precision_loss, reason = "figures for people: no run has 2^52 requests")]
fn count(number: u64) -> f64 {
    number as f64
}
