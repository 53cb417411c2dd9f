//! The pay rate that applies to the hours or units of a line.

use crate::money::Rate;
use crate::worker::PayRate;

/// The pay rate of a line, with the source of the rate.
#[derive(Clone, Copy)]
pub(super) enum ApplicableRate<'c> {
    /// The request contains the rate.
    Sent(Rate),
    /// The line contains the id of this pay rate of the worker.
    Named(&'c PayRate),
    /// The line uses the worker's default rate of a type that can pay the line: an hourly rate for hours, a
    /// piecework or daily rate for units.
    Default(&'c PayRate),
    /// The line needs a rate, but the worker has no default rate of a type that can pay the line.
    MissingDefault,
    /// The line needs no rate, or a member that determines the rate has a fault.
    None,
}

impl<'c> ApplicableRate<'c> {
    /// Returns the amount for each hour or unit. `None` if no rate applies.
    pub(super) const fn value(self) -> Option<Rate> {
        match self {
            Self::Sent(rate) => Some(rate),
            Self::Named(rate) | Self::Default(rate) => Some(rate.amount),
            Self::MissingDefault | Self::None => None,
        }
    }

    /// Returns the worker's stored rate if the line uses one.
    pub(super) const fn as_stored_rate(self) -> Option<&'c PayRate> {
        match self {
            Self::Named(rate) | Self::Default(rate) => Some(rate),
            Self::Sent(_) | Self::MissingDefault | Self::None => None,
        }
    }
}
