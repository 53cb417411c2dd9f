//! What a value is for storage, for a schema, and for a response.

use std::fmt::Display;

use crate::date::Date;

/// A value as storage keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Text.
    Text(Option<String>),
    /// A whole number; decimals are kept in ten-thousandths.
    Integer(Option<i64>),
    /// True or false.
    Boolean(Option<bool>),
    /// A civil date.
    Date(Option<Date>),
}

/// Which [`Cell`] a member is stored as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredAs {
    /// [`Cell::Text`].
    Text,
    /// [`Cell::Integer`].
    Integer,
    /// [`Cell::Boolean`].
    Boolean,
    /// [`Cell::Date`].
    Date,
}

impl StoredAs {
    /// The cell that holds nothing.
    #[must_use]
    pub const fn empty(self) -> Cell {
        match self {
            Self::Text => Cell::Text(None),
            Self::Integer => Cell::Integer(None),
            Self::Boolean => Cell::Boolean(None),
            Self::Date => Cell::Date(None),
        }
    }
}

/// What a member may hold, as a schema says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// An opaque id.
    Id,
    /// Text of at most that many characters.
    Text(usize),
    /// One of these words.
    Word(Vec<String>),
    /// Money, with 2 decimal places.
    Amount,
    /// Money for a unit, or a percentage, with 4 decimal places.
    Rate,
    /// Hours or units.
    Quantity,
    /// True or false.
    Flag,
    /// A civil date.
    Date,
    /// A whole number from 1 up to that.
    Count(u32),
    /// Several of these words.
    Words(Vec<String>),
}

/// A value as JSON shows it.
#[derive(Clone, Copy)]
pub enum Shown<'v> {
    /// A string.
    Text(&'v dyn Display),
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A list of strings.
    Texts(&'v [&'v str]),
}
