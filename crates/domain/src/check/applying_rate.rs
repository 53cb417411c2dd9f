//! The rate by which the hours or units of a line are paid.

use crate::money::Rate;
use crate::worker::PayRate;

/// The rate of a line.
#[derive(Clone, Copy)]
pub(super) enum ApplyingRate<'c> {
    /// Sent itself.
    Sent(Rate),
    /// The worker's, named by the line.
    Named(&'c PayRate),
    /// The worker's default of the right kind.
    Default(&'c PayRate),
    /// Wanted, and the worker has no default of the right kind.
    Lacking,
    /// The line needs none, or what decides about it has failed.
    None,
}

impl<'c> ApplyingRate<'c> {
    /// What is paid for each hour or unit.
    pub(super) const fn value(self) -> Option<Rate> {
        match self {
            Self::Sent(rate) => Some(rate),
            Self::Named(rate) | Self::Default(rate) => Some(rate.amount),
            Self::Lacking | Self::None => None,
        }
    }

    /// The worker's rate, where it is one.
    pub(super) const fn stored(self) -> Option<&'c PayRate> {
        match self {
            Self::Named(rate) | Self::Default(rate) => Some(rate),
            Self::Sent(_) | Self::Lacking | Self::None => None,
        }
    }
}
