//! The number of a pay rate.

use std::fmt;

/// The greatest number of a pay rate.
pub const MAX_RATE_NUMBER: u8 = 25;

/// The number of a pay rate: 1 to [`MAX_RATE_NUMBER`], written `RATE_1` to `RATE_25`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RateNumber(u8);

impl RateNumber {
    /// The first rate number.
    pub const FIRST: Self = Self(1);

    /// Creates a rate number. Returns `None` if `number` is out of range.
    #[must_use]
    pub fn new(number: u8) -> Option<Self> {
        (1..=MAX_RATE_NUMBER).contains(&number).then_some(Self(number))
    }

    /// Returns the number as an integer.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Iterates over all rate numbers in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=MAX_RATE_NUMBER).map(Self)
    }
}

impl fmt::Display for RateNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RATE_{}", self.0)
    }
}
