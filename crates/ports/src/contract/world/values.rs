//! Converts texts to ids and dates of the test data.

use payroll_domain::date::Date;
use payroll_domain::id::Id;

/// Returns the id with the given text.
#[must_use]
pub fn id<K>(text: &str) -> Id<K> {
    Id::parse(text).unwrap()
}

/// Returns the date of a text `yyyy-MM-dd`.
#[must_use]
pub fn day(text: &str) -> Date {
    payroll_domain::date::parse_date(text).unwrap()
}
