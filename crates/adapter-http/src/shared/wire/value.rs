//! Serializes values that have no JSON type of their own. Each value is written through `Display`, without an
//! intermediate string.

use std::fmt::Display;

use payroll_domain::date::{Date, format_date};
use serde::{Serialize, Serializer};

/// Serializes a value as the string that its `Display` implementation writes, such as a decimal or an id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DisplayedText<T>(pub(crate) T);

impl<T: Display> Serialize for DisplayedText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A calendar date, written as `yyyy-MM-ddT00:00:00Z`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Day(pub(crate) Date);

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_date(self.0))
    }
}

/// Whether a flag is false. Serializers omit a false flag.
pub(crate) const fn is_false(flag: &bool) -> bool {
    !*flag
}
