//! Dates and instants with strict parsing and one output format.
//!
//! This module does not read the clock. A function that needs the current instant or day receives it as a
//! parameter.

use std::fmt;

use time::macros::format_description;

pub use time::Date;
use time::{OffsetDateTime, Time};

/// The error for a text that is not a date. See [`parse_date`] for the formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidDate;

/// Parses a date: `yyyy-MM-dd`, `yyyy-MM-ddTHH:mm:ssZ` or `yyyy-MM-ddTHH:mm:ss.SSSZ`.
///
/// A time of day is validated and then discarded. Any UTC offset other than `Z` is rejected, because the
/// intended day would be ambiguous. Years range from 0001 to 9999.
///
/// # Errors
/// Returns [`InvalidDate`] if the text has any other format.
///
/// ```
/// use payroll_domain::date::{format_date, parse_date};
/// let date = parse_date("2026-05-12T08:30:00.000Z")?;
/// assert_eq!(format_date(date).to_string(), "2026-05-12T00:00:00Z");
/// assert!(parse_date("2026-05-12T08:30:00+02:00").is_err());
/// # Ok::<(), payroll_domain::date::InvalidDate>(())
/// ```
pub fn parse_date(text: &str) -> Result<Date, InvalidDate> {
    let (day, clock) = match text.split_once('T') {
        Some((day, clock)) => (day, Some(clock)),
        None => (text, None),
    };
    // The exact length is checked first, because the date library would accept a sign before the year.
    if day.len() != "yyyy-MM-dd".len() || !day.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(InvalidDate);
    }
    let date = Date::parse(day, format_description!("[year]-[month]-[day]")).map_err(|_| InvalidDate)?;
    if date.year() < 1 || clock.is_some_and(|clock| parse_utc_time(clock).is_none()) {
        return Err(InvalidDate);
    }
    Ok(date)
}

/// Parses a time of the form `HH:mm:ssZ` or `HH:mm:ss.SSSZ`. Returns `None` for any other text.
fn parse_utc_time(text: &str) -> Option<Time> {
    let whole = format_description!("[hour]:[minute]:[second]Z");
    let with_milliseconds = format_description!("[hour]:[minute]:[second].[subsecond digits:3]Z");
    Time::parse(text, whole).or_else(|_| Time::parse(text, with_milliseconds)).ok()
}

/// Formats a date as `yyyy-MM-ddT00:00:00Z`.
pub fn format_date(date: Date) -> impl fmt::Display {
    struct DateAtMidnight(Date);
    impl fmt::Display for DateAtMidnight {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let (year, month, day) = self.0.to_calendar_date();
            write!(f, "{year:04}-{:02}-{day:02}T00:00:00Z", u8::from(month))
        }
    }
    DateAtMidnight(date)
}

/// An instant in microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Parses an instant in the formats of [`parse_date`]. A date without a time means the start of the day
    /// in UTC.
    ///
    /// # Errors
    /// Returns [`InvalidDate`] if the text has any other format.
    pub fn parse(text: &str) -> Result<Self, InvalidDate> {
        let date = parse_date(text)?;
        let clock = text.split_once('T').map_or(Some(Time::MIDNIGHT), |(_, clock)| parse_utc_time(clock));
        let instant = date.with_time(clock.ok_or(InvalidDate)?).assume_utc();
        let micros = instant.unix_timestamp_nanos() / 1_000;
        i64::try_from(micros).map(Self).map_err(|_| InvalidDate)
    }

    /// Creates an instant from the microseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns the microseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the seconds since 1970-01-01T00:00:00Z, rounded down.
    #[must_use]
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Returns the instant `seconds` seconds later. A negative number returns an earlier instant. The result
    /// saturates at the ends of the range.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// Returns the date in UTC. For an instant outside the years 0001 to 9999, returns the first or the last
    /// date of that range.
    #[must_use]
    pub fn date(self) -> Date {
        match OffsetDateTime::from_unix_timestamp(self.as_seconds()) {
            Ok(instant) => instant.date(),
            Err(_) if self.0 < 0 => Date::MIN,
            Err(_) => Date::MAX,
        }
    }
}

/// Writes `yyyy-MM-ddTHH:mm:ss.SSSZ`, the format of responses. Microseconds are truncated to milliseconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = self.date();
        let millis = self.0.div_euclid(1_000).rem_euclid(86_400_000);
        let (seconds, millis) = (millis / 1_000, millis % 1_000);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        let month = u8::from(day.month());
        write!(
            f,
            "{:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z",
            day.year(),
            day.day()
        )
    }
}

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a date is yyyy-MM-dd, or yyyy-MM-ddTHH:mm:ssZ with or without milliseconds")
    }
}

impl std::error::Error for InvalidDate {}

/// Returns whether an end date is given and is before `today`.
pub(crate) fn has_ended(end_date: Option<Date>, today: Date) -> bool {
    end_date.is_some_and(|end| end < today)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_three_forms_and_no_other() {
        for good in
            ["2026-05-12", "2026-05-12T00:00:00Z", "2026-05-12T23:59:59.999Z", "0001-01-01", "9999-12-31"]
        {
            assert!(parse_date(good).is_ok(), "{good}");
        }
        let bad = [
            "",
            "2026-5-12",
            "2026-02-30",
            "2026-05-12T",
            "2026-05-12T24:00:00Z",
            "2026-05-12T00:00:00",
            "2026-05-12T00:00:00.1Z",
            "2026-05-12T00:00:00+00:00",
            "+2026-05-12",
            "-026-05-12",
            "0000-01-01",
            "2026-05-12 00:00:00Z",
            "2026-05-12t00:00:00z",
        ];
        for text in bad {
            assert_eq!(parse_date(text), Err(InvalidDate), "{text}");
        }
    }

    #[test]
    fn instants_are_read_to_the_millisecond() {
        for text in ["2026-07-28T00:37:25.149Z", "1969-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z"] {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Timestamp::parse("2026-07-28").unwrap().to_string(), "2026-07-28T00:00:00.000Z");
        assert_eq!(Timestamp::parse("2026-07-28T00:37:25+02:00"), Err(InvalidDate));
    }

    #[test]
    fn instants_print_milliseconds_in_utc() {
        assert_eq!(Timestamp::from_micros(1_785_199_045_149_999).to_string(), "2026-07-28T00:37:25.149Z");
        assert_eq!(Timestamp::from_micros(-1).to_string(), "1969-12-31T23:59:59.999Z");
    }
}
