//! Values that JSON has no type for, written through their `Display`: no text is built next to the
//! response.

use std::fmt::Display;

use payroll_domain::date::{Date, format_date};
use serde::{Serialize, Serializer};

/// A string of anything that can be displayed: decimals, ids, names of values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<T>(pub(crate) T);

impl<T: Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A civil date, `yyyy-MM-ddT00:00:00Z`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Day(pub(crate) Date);

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_date(self.0))
    }
}

/// Whether a flag that is left out when it is false is false.
pub(crate) const fn is_false(flag: &bool) -> bool {
    !*flag
}
