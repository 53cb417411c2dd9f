//! The companies of the demo, which are fictional and have dates relative to today.
//!
//! The file is a normal import file that was written for [`FILE_DATE`]. All dates in the file are shifted to
//! today, so that open, past and future periods remain open, past and future.

mod generated;

use payroll_domain::date::{Date, parse_date};

pub use generated::{GeneratedLines, GeneratedPopulation, MAX_COMPANIES, MAX_TOTAL_WORKERS, MAX_WORKERS};

/// The import file: companies, workers and checks that are clearly fictional, one company per line.
const COMPANIES_NDJSON: &str = include_str!("../demo/companies.ndjson");
/// The date in the import file that corresponds to today. All dates are shifted by the difference between
/// this date and today.
const FILE_DATE: &str = "2026-01-05";

/// The id of the first company in the file, which has every kind of object.
pub const COMPANY_ID: &str = "00DEMO0001COMPANY001";
/// The id of a pay period of the company [`COMPANY_ID`] that accepts checks.
pub const OPEN_PERIOD_ID: &str = "851000000002008";
/// The id of a pay period of the company [`COMPANY_ID`] that accepts checks. A command line on the page that
/// the demo prints completes the period.
pub const PERIOD_ID_TO_COMPLETE: &str = "851000000002007";
/// The id of a worker of the company [`COMPANY_ID`] with a default hourly rate.
pub const WORKER_ID: &str = "00DEMO0001WORKER0001";
/// The id of a pay component of the company [`COMPANY_ID`] for hours.
pub const HOURLY_COMPONENT_ID: &str = "851000000001001";

/// Returns the companies of the demo as an import file, with dates relative to `today`.
///
/// ```
/// use payroll_domain::date::parse_date;
/// let file = payroll_server::demo_data::demo_companies_ndjson(parse_date("2031-01-05")?);
/// assert!(file.starts_with(r#"{"companyId":"00DEMO0001COMPANY001""#));
/// # Ok::<(), payroll_domain::date::InvalidDate>(())
/// ```
#[must_use]
pub fn demo_companies_ndjson(today: Date) -> String {
    let written_on = parse_date(FILE_DATE).unwrap_or(today);
    let days = today.to_julian_day() - written_on.to_julian_day();
    // The file contains no escaped quotation marks. Splitting the text at quotation marks therefore isolates
    // every date.
    let pieces =
        COMPANIES_NDJSON.split('"').map(|piece| shift_date(piece, days).unwrap_or_else(|| piece.to_owned()));
    pieces.collect::<Vec<_>>().join("\"")
}

/// Returns the date in `text`, moved by `days`. `None` if `text` is not a date.
fn shift_date(text: &str, days: i32) -> Option<String> {
    date_plus_days(parse_date(text).ok()?, days)
}

/// Returns the date `days` after `date`. `None` if the calendar does not contain that date.
fn date_plus_days(date: Date, days: i32) -> Option<String> {
    let moved = Date::from_julian_day(date.to_julian_day().checked_add(days)?).ok()?;
    Some(moved.to_string())
}

#[cfg(test)]
mod tests;
