//! The demonstration's companies: made up, and always as of today.
//!
//! The file is an import file like any other, written as of one day. What is open, over or still
//! to come in it stays so, because its dates are moved along with the calendar.

mod generated;

use payroll_domain::date::{Date, parse_date};

pub use generated::{GeneratedLines, MAX_ALL_WORKERS, MAX_COMPANIES, MAX_WORKERS, Population};

/// Companies, workers and checks that cannot be mistaken for real ones; one company a line.
const WRITTEN: &str = include_str!("../demo/companies.ndjson");
/// The day as of which the file is written.
const WRITTEN_ON: &str = "2026-01-05";

/// The company that has everything; the first in the file.
pub const COMPANY_ID: &str = "00DEMO0001COMPANY001";
/// A pay period of that company that takes checks.
pub const OPEN_PERIOD_ID: &str = "851000000002008";
/// A pay period of that company that takes checks too, until it is completed.
pub const ENDING_PERIOD_ID: &str = "851000000002007";
/// A worker of that company with a default rate for hours.
pub const WORKER_ID: &str = "00DEMO0001WORKER0001";
/// A pay component of that company for hours.
pub const HOURLY_COMPONENT_ID: &str = "851000000001001";

/// The demonstration's companies in the form of an import file, as of that day.
///
/// ```
/// use payroll_domain::date::parse_date;
/// let file = payroll_server::demo_data::companies(parse_date("2031-01-05")?);
/// assert!(file.starts_with(r#"{"companyId":"00DEMO0001COMPANY001""#));
/// # Ok::<(), payroll_domain::date::InvalidDate>(())
/// ```
#[must_use]
pub fn companies(today: Date) -> String {
    let written_on = parse_date(WRITTEN_ON).unwrap_or(today);
    let days = today.to_julian_day() - written_on.to_julian_day();
    // The file holds no escaped quotation mark, so every date is a piece of its own.
    let pieces = WRITTEN.split('"').map(|piece| moved(piece, days).unwrap_or_else(|| piece.to_owned()));
    pieces.collect::<Vec<_>>().join("\"")
}

/// The date that many days later; `None` for any other text.
fn moved(text: &str, days: i32) -> Option<String> {
    day_after(parse_date(text).ok()?, days)
}

/// The day that many days after another one; `None` beyond the calendar.
fn day_after(date: Date, days: i32) -> Option<String> {
    let moved = Date::from_julian_day(date.to_julian_day().checked_add(days)?).ok()?;
    Some(moved.to_string())
}

#[cfg(test)]
mod tests;
