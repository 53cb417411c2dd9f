//! What a value is for storage, for a schema, and for a response.

use std::fmt::Display;

use crate::account::AccountNumber;
use crate::date::Date;
use crate::event::EventDomain;
use crate::tax_id::{LastFour, LegalId};

/// How much of a resource is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// All of it, to operators.
    Operator,
    /// Of a worker, who works where as what, to operators who help partners.
    Support,
    /// Everything that partners may see.
    Whole,
    /// Of a worker, nothing personal: who is to be paid, and not who that is.
    Impersonal,
    /// The same, and what they can be reached by.
    Reachable,
    /// What a roster lists: who works where as what.
    Roster,
}

impl View {
    /// Whether a member is shown that these views of partners have.
    #[must_use]
    pub fn is_among(self, views: &[Self]) -> bool {
        match self {
            Self::Operator => true,
            Self::Support => views.contains(&Self::Impersonal) || views.contains(&Self::Roster),
            Self::Whole | Self::Impersonal | Self::Reachable | Self::Roster => views.contains(&self),
        }
    }
}

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

/// The cells of a resource that have not been taken yet.
pub type Cells = std::vec::IntoIter<Cell>;

/// A column of a described resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub stored_as: StoredAs,
}

/// The columns of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// One, which is called as the member or as its description says.
    One(StoredAs),
    /// Those that its kind names: none where it is stored in another table.
    Several(&'static [Column]),
}

/// How storage seals what must not be readable at rest: to one row, with keys that it has.
pub trait Seal {
    /// The sealed text; `None` where there is no key.
    fn seal(&self, text: &str) -> Option<String>;
    /// The text that was sealed; `None` where no key opens it, or it is of another row.
    fn open(&self, sealed: &str) -> Option<String>;
    /// The keyed hash by which a worker is found; `None` where there is no key.
    fn last_four_hash(&self, digits: &LastFour) -> Option<String>;
}

/// Of resources that have nothing to seal: it seals and opens nothing.
#[derive(Debug, Clone, Copy)]
pub struct NothingSealed;

impl Seal for NothingSealed {
    fn seal(&self, _: &str) -> Option<String> {
        None
    }

    fn open(&self, _: &str) -> Option<String> {
        None
    }

    fn last_four_hash(&self, _: &LastFour) -> Option<String> {
        None
    }
}

/// One member of a described resource.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its description, a sentence, as it is in the comment above it: with a space before it.
    pub words: &'static str,
    /// Whether it is always there.
    pub required: bool,
    /// Whether it has a default, so that a request may leave it out.
    pub has_default: bool,
    /// The views of partners that show it.
    pub views: &'static [View],
    /// The domain of the event that its change fires.
    pub event: Option<EventDomain>,
    /// The column of its own name, or the name that `in` says.
    pub column: &'static str,
    /// How it is stored.
    pub stored: Columns,
    /// What it may hold.
    pub shape: fn() -> Shape,
}

/// What a member may hold, as a schema says it.
#[derive(Debug, Clone)]
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
    /// Hours or units of either sign.
    SignedQuantity,
    /// A number that is no money, with 4 decimal places.
    Number,
    /// True or false.
    Flag,
    /// A civil date.
    Date,
    /// A whole number from 1 up to that.
    Count(u32),
    /// A whole number from 0 up to that.
    Place(u32),
    /// Several of these words.
    Words(Vec<String>),
    /// Several texts of at most that many characters.
    Texts(usize),
    /// An object of these members.
    Object(&'static [Member]),
    /// A list of objects of these members.
    Objects(&'static [Member]),
    /// An object that refers to another one, by the member of that name.
    Reference(&'static str),
    /// A tax identity.
    TaxIdentity,
    /// The number of a bank account.
    AccountNumber,
}

/// A type that shows its members.
pub trait Show {
    /// Shows its members that the view has, in their order; those that are absent are left out.
    fn show(&self, view: View, show: &mut dyn FnMut(&'static str, Shown<'_>));
}

/// A value as JSON shows it.
#[derive(Clone, Copy)]
pub enum Shown<'v> {
    /// A string.
    Text(&'v str),
    /// A string of what can be displayed.
    Displayed(&'v dyn Display),
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A number, its digits as they are displayed.
    Decimal(&'v dyn Display),
    /// A list of strings.
    Texts(&'v [&'v str]),
    /// An object, shown whole.
    Object(&'v dyn Show),
    /// A list of objects, shown whole.
    Objects(&'v [&'v dyn Show]),
    /// An object that refers to another one: the member of that name is its id.
    Reference(&'static str, &'v str),
    /// A tax identity, which is shown as the reader may see it.
    TaxIdentity(&'v LegalId),
    /// The number of a bank account, which is shown as the reader may see it.
    AccountNumber(&'v AccountNumber),
}
