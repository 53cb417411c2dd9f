//! The days on which an object is in force.

use crate::date::Date;

/// The days on which an object is in force. One without a first day has always been, and one without a last day
/// does not end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Days {
    /// The first of them.
    pub first: Option<Date>,
    /// The last of them.
    pub last: Option<Date>,
}

impl Days {
    /// Whether a day is one of them.
    ///
    /// ```
    /// use payroll_domain::{date::parse_date, plain::Days};
    /// let days = Days { first: parse_date("2026-01-01").ok(), last: None };
    /// assert!(days.contain(parse_date("2026-01-01").unwrap()));
    /// assert!(!days.contain(parse_date("2025-12-31").unwrap()));
    /// ```
    #[must_use]
    pub fn contain(self, day: Date) -> bool {
        self.first.is_none_or(|first| first <= day) && self.last.is_none_or(|last| day <= last)
    }
}
