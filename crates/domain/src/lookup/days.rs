//! The days on which an object is valid.

use crate::date::Date;

/// The days on which an object is valid. If the first day is `None`, the validity has no start. If the last
/// day is `None`, the validity has no end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ValidityPeriod {
    /// The first day on which the object is valid.
    pub first: Option<Date>,
    /// The last day on which the object is valid.
    pub last: Option<Date>,
}

impl ValidityPeriod {
    /// Returns whether the object is valid on the given day.
    ///
    /// ```
    /// use payroll_domain::{date::parse_date, lookup::ValidityPeriod};
    /// let days = ValidityPeriod { first: parse_date("2026-01-01").ok(), last: None };
    /// assert!(days.contains(parse_date("2026-01-01").unwrap()));
    /// assert!(!days.contains(parse_date("2025-12-31").unwrap()));
    /// ```
    #[must_use]
    pub fn contains(self, day: Date) -> bool {
        self.first.is_none_or(|first| first <= day) && self.last.is_none_or(|last| day <= last)
    }
}
