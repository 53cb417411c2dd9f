//! Values as they are stored, described in a schema, and shown in a response.

use std::fmt::Display;

use crate::account::AccountNumber;
use crate::date::Date;
use crate::event::EventDomain;
use crate::tax_id::{LastFour, LegalId};

/// The set of a resource's members that a reader may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberView {
    /// The view for operators, which shows all members.
    Operator,
    /// The view for operators who support partners. The view shows the members of [`Self::Impersonal`] and
    /// [`Self::Roster`].
    Support,
    /// The full view for partners, which shows all members that partners may see.
    Full,
    /// The data of a worker for payroll, without personal data.
    Impersonal,
    /// The impersonal data and the communications of the worker.
    Reachable,
    /// The data for a list of workers: names, organization and job.
    Roster,
}

impl MemberView {
    /// Returns whether this view shows a member that is limited to the given partner views. The operator view
    /// shows every member. The support view shows the members of [`MemberView::Impersonal`] and
    /// [`MemberView::Roster`].
    #[must_use]
    pub fn shows_member_limited_to(self, views: &[Self]) -> bool {
        match self {
            Self::Operator => true,
            Self::Support => views.contains(&Self::Impersonal) || views.contains(&Self::Roster),
            Self::Full | Self::Impersonal | Self::Reachable | Self::Roster => views.contains(&self),
        }
    }
}

/// A value in one database column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// A text, or NULL.
    Text(Option<String>),
    /// An integer or a decimal in ten-thousandths, or NULL.
    Integer(Option<i64>),
    /// A boolean, or NULL.
    Boolean(Option<bool>),
    /// A date, or NULL.
    Date(Option<Date>),
}

/// The type of [`Cell`] that stores a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellType {
    /// The member is stored as [`Cell::Text`].
    Text,
    /// The member is stored as [`Cell::Integer`].
    Integer,
    /// The member is stored as [`Cell::Boolean`].
    Boolean,
    /// The member is stored as [`Cell::Date`].
    Date,
}

impl CellType {
    /// Returns the NULL cell of this type.
    #[must_use]
    pub const fn null_cell(self) -> Cell {
        match self {
            Self::Text => Cell::Text(None),
            Self::Integer => Cell::Integer(None),
            Self::Boolean => Cell::Boolean(None),
            Self::Date => Cell::Date(None),
        }
    }
}

/// The cells of a resource that are still to be read.
pub type RemainingCells = std::vec::IntoIter<Cell>;

/// A column of a described resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The name of the column in the table.
    pub name: &'static str,
    /// The type of the cells.
    pub stored_as: CellType,
}

/// The database columns that store a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberColumns {
    /// One column of this type. Its name is the field name, or the name after `in` in the description.
    One(CellType),
    /// The columns of an object in the same row. The list is empty if the object is stored in another table.
    Several(&'static [Column]),
}

/// Encrypts values that must not be readable in storage. Encrypted values are bound to one row.
pub trait Seal {
    /// Returns the encrypted text. `None` if no encryption key is configured.
    fn seal(&self, text: &str) -> Option<String>;
    /// Returns the decrypted text. `None` if no encryption key fits, or if the text belongs to another row.
    fn unseal(&self, sealed: &str) -> Option<String>;
    /// Returns the keyed hash of the last four digits, which is used to search for workers. `None` if no key
    /// is configured.
    fn hash_last_four(&self, digits: &LastFour) -> Option<String>;
}

/// An implementation of [`Seal`] for resources without encrypted members. All its methods return `None`.
#[derive(Debug, Clone, Copy)]
pub struct NoEncryption;

impl Seal for NoEncryption {
    fn seal(&self, _: &str) -> Option<String> {
        None
    }

    fn unseal(&self, _: &str) -> Option<String> {
        None
    }

    fn hash_last_four(&self, _: &LastFour) -> Option<String> {
        None
    }
}

/// One member of a described resource.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// The name of the member in JSON documents.
    pub name: &'static str,
    /// The description of the member, from the comment above it. The text begins with a space.
    pub words: &'static str,
    /// Whether responses always contain the member.
    pub required: bool,
    /// Whether the member has a default, so that a request may omit it.
    pub has_default: bool,
    /// The views of partners that show the member.
    pub views: &'static [MemberView],
    /// The domain of the event that a change of the member fires.
    pub event: Option<EventDomain>,
    /// The name of the column: the name of the field, or the name after `in`.
    pub column: &'static str,
    /// The database columns that store the member.
    pub stored: MemberColumns,
    /// The schema of the member.
    pub shape: fn() -> MemberShape,
}

/// The schema of a member.
#[derive(Debug, Clone)]
pub enum MemberShape {
    /// The id of an object, which is an opaque text.
    Id,
    /// Text of at most the given number of characters.
    Text(usize),
    /// One of the given words.
    Enumeration(Vec<String>),
    /// An amount of money with 2 decimal places.
    Amount,
    /// An amount of money per unit, or a percentage, with 4 decimal places.
    Rate,
    /// Hours or units of at least 0.
    Quantity,
    /// Hours or units, positive or negative.
    SignedQuantity,
    /// The schema of a number with 4 decimal places that is not money.
    Number,
    /// A value that is true or false.
    Flag,
    /// A date without a time.
    Date,
    /// An integer from 1 to the given maximum.
    Count(u32),
    /// An integer from 0 to the given maximum, such as a position in a list.
    Place(u32),
    /// A list of the given words.
    Words(Vec<String>),
    /// A list of texts, each of at most the given number of characters.
    Texts(usize),
    /// An object with the given members.
    Object(&'static [Member]),
    /// A list of objects with the given members.
    Objects(&'static [Member]),
    /// A reference to another object. The text is the name of the member that contains the id of the other
    /// object.
    Reference(&'static str),
    /// A tax ID of a company or a person.
    TaxIdentity,
    /// The number of a bank account.
    AccountNumber,
}

/// A type that can show its members.
pub trait MemberSource {
    /// Calls `show` for each member that the view contains, in the order of the members. Absent members are
    /// omitted.
    fn visit_members(&self, view: MemberView, show: &mut dyn FnMut(&'static str, MemberValue<'_>));
}

/// A value as it appears in JSON.
#[derive(Clone, Copy)]
pub enum MemberValue<'v> {
    /// A string of text.
    Text(&'v str),
    /// A string with the `Display` output of a value.
    Displayed(&'v dyn Display),
    /// A value that is true or false.
    Flag(bool),
    /// A number without decimal places.
    Number(i64),
    /// A number with the digits of its `Display` output.
    Decimal(&'v dyn Display),
    /// A list of strings.
    Texts(&'v [&'v str]),
    /// An object with all its members.
    Object(&'v dyn MemberSource),
    /// A list of objects with all their members.
    Objects(&'v [&'v dyn MemberSource]),
    /// An object that refers to another object. The first text is the name of the member with the id, and the
    /// second text is the id.
    Reference(&'static str, &'v str),
    /// A tax ID, which is masked or not depending on the reader's permission.
    TaxIdentity(&'v LegalId),
    /// The number of a bank account, which is masked or not depending on the reader's permission.
    AccountNumber(&'v AccountNumber),
}
