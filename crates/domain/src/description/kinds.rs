//! The kinds of values that members have, and how each kind is read. The module `stored` contains the code
//! for writing, storage and schemas, which only the server needs.

#[cfg(feature = "server")]
pub(crate) mod stored;

use crate::account::AccountNumber;
use rust_decimal::Decimal;

use crate::date::Date;
use crate::id::Id;
use crate::input::Node;
use crate::money::{Amount, Quantity, Rate};
use crate::named::NamedEnum;
use crate::object::values::{
    self, MAX_ORGANIZATION_LEVELS, MAX_SEGMENT_LENGTH, MAX_SEGMENTS, MAX_STATUS_POSITION, ReadResult,
};
use crate::rate_number::RateNumber;

/// A kind of value, which reads values of one type from JSON.
pub(crate) trait ValueKind<T> {
    /// Reads a value from its JSON node.
    ///
    /// # Errors
    /// Returns the fault. The description of the fault, such as `must be 9 digits`, omits the name of the
    /// member.
    fn read(node: &Node<'_>) -> ReadResult<T>;
}

/// Declares kinds of values, each with its type and the function that reads it.
macro_rules! declare_value_kinds {
    ($($(#[$doc:meta])* $name:ident of $ty:ty: $read:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) struct $name;

        impl ValueKind<$ty> for $name {
            fn read(node: &Node<'_>) -> ReadResult<$ty> {
                $read(node)
            }
        }
    )* };
}
declare_value_kinds! {
    /// The number of a pay rate, which is stored as a number.
    RateNumberText of RateNumber: values::read_rate_number;
    /// A state or province: the second part of an ISO 3166-2 code.
    Subdivision of String: values::read_subdivision;
    /// A country: an ISO 3166-1 alpha-2 code.
    Country of String: values::read_country;
    /// The text of an e-mail address.
    Email of String: values::read_email;
    /// A text of two digits.
    TwoDigits of String: values::read_two_digit_text;
    /// A word of an open set, such as a product code.
    OpenEnumeration of String: values::read_open_enumeration_word;
    /// The routing number of a bank.
    Routing of String: values::read_routing_number;
    /// The number of a bank account, which is stored encrypted.
    Account of AccountNumber: values::read_account_number;
    /// The priority of a direct deposit among those of a worker.
    Priority of u32: values::count_reader(values::LOWEST_DEPOSIT_PRIORITY);
    /// The level of an organization.
    Level of u32: values::count_reader(MAX_ORGANIZATION_LEVELS);
    /// The position of a segment in a job's number.
    SegmentNumber of u32: values::count_reader(MAX_SEGMENTS);
    /// The number of characters in a segment.
    SegmentLength of u32: values::count_reader(MAX_SEGMENT_LENGTH);
    /// The position of a worker's status among the statuses of the same day.
    StatusPosition of u32: values::list_position_reader(MAX_STATUS_POSITION);
    /// An amount of money of at least 0.
    AmountFromZero of Amount: values::read_non_negative_amount;
    /// A rate of at least 0.
    RateFromZero of Rate: values::read_non_negative_rate;
    /// Hours or units of at least 0.
    QuantityFromZero of Quantity: values::read_non_negative_quantity;
    /// Hours or units, positive or negative.
    SignedQuantity of Quantity: values::read_signed_quantity;
    /// A percentage from 0 to 100.
    Percentage of Rate: values::read_percentage;
    /// A number with at most 4 decimal places that is not money and can be negative.
    Number of Decimal: values::read_number;
    /// A value that is true or false.
    Flag of bool: values::read_flag;
    /// A date without a time.
    Day of Date: values::read_date;
}

#[cfg(feature = "server")]
declare_value_kinds! {
    /// The size of a file in bytes.
    FileBytes of u32: values::count_reader(values::MAX_FILE_BYTES);
}

/// An opaque id of an object.
pub(crate) struct Identifier;

impl<K> ValueKind<Id<K>> for Identifier {
    fn read(node: &Node<'_>) -> ReadResult<Id<K>> {
        values::read_id(node)
    }
}

/// A word of a closed set, such as the values of an enum.
pub(crate) struct Enumeration;

impl<T: NamedEnum> ValueKind<T> for Enumeration {
    fn read(node: &Node<'_>) -> ReadResult<T> {
        values::read_named_value(node)
    }
}

/// Text of at most `LENGTH` characters.
pub(crate) struct Text<const LENGTH: usize>;

impl<const LENGTH: usize> ValueKind<String> for Text<LENGTH> {
    fn read(node: &Node<'_>) -> ReadResult<String> {
        values::text_reader(LENGTH)(node)
    }
}
