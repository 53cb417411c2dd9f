//! Writes and stores values, and defines their schemas.

use super::{
    Account, AmountFromZero, Country, Day, Email, Enumeration, FileBytes, Flag, Identifier, Level, Number,
    OpenEnumeration, Percentage, Priority, QuantityFromZero, RateFromZero, RateNumberText, Routing,
    SegmentLength, SegmentNumber, SignedQuantity, StatusPosition, Subdivision, Text, TwoDigits, ValueKind,
};
use crate::account::{AccountNumber, ROUTING_NUMBER_LENGTH};
use rust_decimal::Decimal;

use crate::date::{Date, format_date};
use crate::description::values::{Cell, CellType, MemberShape, MemberValue, Seal};
use crate::id::{Id, MAX_ID_LENGTH};
use crate::money::{Amount, Quantity, RATE_DECIMAL_PLACES, Rate, parse_decimal};
use crate::named::NamedEnum;
use crate::object::values::{
    LOWEST_DEPOSIT_PRIORITY, MAX_EMAIL_LENGTH, MAX_FILE_BYTES, MAX_ORGANIZATION_LEVELS, MAX_SEGMENT_LENGTH,
    MAX_SEGMENTS, MAX_STATUS_POSITION,
};
use crate::rate_number::RateNumber;

/// A kind of value that can be shown, stored and described by a schema.
pub(crate) trait StoredKind<T>: ValueKind<T> {
    /// The type of cell that stores the value.
    const STORED_AS: CellType;
    /// Returns the schema of the value.
    fn shape() -> MemberShape;
    /// Calls `show` with the value in the form that responses show.
    fn show_value(value: &T, show: &mut dyn FnMut(MemberValue<'_>));
    /// Returns the value as a cell. `None` if the cell type cannot represent the value.
    fn to_cell(value: &T) -> Option<Cell>;
    /// Returns the value of a stored cell. `None` if the cell is invalid.
    fn from_cell(cell: Cell) -> Option<T>;

    /// Stores the value like [`Self::to_cell`]. Kinds whose values are encrypted in storage override this
    /// method.
    fn to_sealed_cell(value: &T, _: &dyn Seal) -> Option<Cell> {
        Self::to_cell(value)
    }

    /// Loads the value like [`Self::from_cell`]. Kinds whose values are encrypted in storage override this
    /// method.
    fn from_sealed_cell(cell: Cell, _: &dyn Seal) -> Option<T> {
        Self::from_cell(cell)
    }
}

/// Declares the cell type and the schema of kinds, and how to show, store and load their values.
macro_rules! declare_stored_kinds {
    ($($kind:ty, $ty:ty as $stored_as:ident, $shape:expr,
        $show:expr, $store:expr, $load:expr;)*) => { $(
        impl StoredKind<$ty> for $kind {
            const STORED_AS: CellType = CellType::$stored_as;

            fn shape() -> MemberShape {
                $shape
            }

            fn show_value(value: &$ty, show: &mut dyn FnMut(MemberValue<'_>)) {
                $show(value, show);
            }

            fn to_cell(value: &$ty) -> Option<Cell> {
                $store(value).map(|stored| Cell::$stored_as(Some(stored)))
            }

            fn from_cell(cell: Cell) -> Option<$ty> {
                match cell {
                    Cell::$stored_as(Some(stored)) => $load(stored),
                    _ => None,
                }
            }
        }
    )* };
}
declare_stored_kinds! {
    RateNumberText, RateNumber as Integer,
        MemberShape::Enumeration(RateNumber::all().map(|number| number.to_string()).collect()),
        show_as_text, |number: &RateNumber| Some(number.get().into()),
        |stored| u8::try_from(stored).ok().and_then(RateNumber::new);
    Subdivision, String as Text, MemberShape::Text(3), show_text, |text: &String| Some(text.clone()), Some;
    Country, String as Text, MemberShape::Text(2), show_text, |text: &String| Some(text.clone()), Some;
    Email, String as Text, MemberShape::Text(MAX_EMAIL_LENGTH), show_text, |text: &String| Some(text.clone()), Some;
    TwoDigits, String as Text, MemberShape::Text(2), show_text, |text: &String| Some(text.clone()), Some;
    OpenEnumeration, String as Text, MemberShape::Text(MAX_ID_LENGTH), show_text, |text: &String| Some(text.clone()), Some;
    Routing, String as Text, MemberShape::Text(ROUTING_NUMBER_LENGTH), show_text, |text: &String| Some(text.clone()), Some;
    Priority, u32 as Integer,
        MemberShape::Enumeration((1..=LOWEST_DEPOSIT_PRIORITY).map(|priority| priority.to_string()).collect()),
        show_as_text, |priority: &u32| Some((*priority).into()), |stored| u32::try_from(stored).ok();
    Level, u32 as Integer, MemberShape::Count(MAX_ORGANIZATION_LEVELS),
        |level: &u32, show: &mut dyn FnMut(MemberValue<'_>)| show(MemberValue::Number((*level).into())),
        |level: &u32| Some((*level).into()), |stored| u32::try_from(stored).ok();
    SegmentNumber, u32 as Integer, MemberShape::Count(MAX_SEGMENTS),
        |number: &u32, show: &mut dyn FnMut(MemberValue<'_>)| show(MemberValue::Number((*number).into())),
        |number: &u32| Some((*number).into()), |stored| u32::try_from(stored).ok();
    FileBytes, u32 as Integer, MemberShape::Count(MAX_FILE_BYTES),
        |bytes: &u32, show: &mut dyn FnMut(MemberValue<'_>)| show(MemberValue::Number((*bytes).into())),
        |bytes: &u32| Some((*bytes).into()), |stored| u32::try_from(stored).ok();
    SegmentLength, u32 as Integer, MemberShape::Count(MAX_SEGMENT_LENGTH),
        |length: &u32, show: &mut dyn FnMut(MemberValue<'_>)| show(MemberValue::Number((*length).into())),
        |length: &u32| Some((*length).into()), |stored| u32::try_from(stored).ok();
    StatusPosition, u32 as Integer, MemberShape::Place(MAX_STATUS_POSITION),
        |position: &u32, show: &mut dyn FnMut(MemberValue<'_>)| show(MemberValue::Number((*position).into())),
        |position: &u32| Some((*position).into()), |stored| u32::try_from(stored).ok();
    AmountFromZero, Amount as Integer, MemberShape::Amount, show_as_text, |amount: &Amount| amount.to_ten_thousandths(),
        Amount::from_ten_thousandths;
    RateFromZero, Rate as Integer, MemberShape::Rate, show_as_text, |rate: &Rate| rate.to_ten_thousandths(),
        Rate::from_ten_thousandths;
    Percentage, Rate as Integer, MemberShape::Rate, show_as_text, |rate: &Rate| rate.to_ten_thousandths(),
        Rate::from_ten_thousandths;
    QuantityFromZero, Quantity as Integer, MemberShape::Quantity, show_as_text,
        |quantity: &Quantity| quantity.to_ten_thousandths(), Quantity::from_ten_thousandths;
    SignedQuantity, Quantity as Integer, MemberShape::SignedQuantity, show_as_text,
        |quantity: &Quantity| quantity.to_ten_thousandths(), Quantity::from_ten_thousandths;
    Number, Decimal as Text, MemberShape::Number,
        |number: &Decimal, show: &mut dyn FnMut(MemberValue<'_>)| show(MemberValue::Decimal(number)),
        |number: &Decimal| Some(number.to_string()), |stored: String| parse_decimal(&stored, RATE_DECIMAL_PLACES).ok();
    Flag, bool as Boolean, MemberShape::Flag, |flag: &bool, show: &mut dyn FnMut(MemberValue<'_>)| show(MemberValue::Flag(*flag)), |flag: &bool| Some(*flag), Some;
    Day, Date as Date, MemberShape::Date, |day: &Date, show: &mut dyn FnMut(MemberValue<'_>)| show(MemberValue::Displayed(&format_date(*day))),
        |day: &Date| Some(*day), Some;
}

/// Account numbers are always encrypted in storage. The methods that do not encrypt therefore return `None`.
impl StoredKind<AccountNumber> for Account {
    const STORED_AS: CellType = CellType::Text;

    fn shape() -> MemberShape {
        MemberShape::AccountNumber
    }

    fn show_value(value: &AccountNumber, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::AccountNumber(value));
    }

    fn to_cell(_: &AccountNumber) -> Option<Cell> {
        None
    }

    fn from_cell(_: Cell) -> Option<AccountNumber> {
        None
    }

    fn to_sealed_cell(value: &AccountNumber, seal: &dyn Seal) -> Option<Cell> {
        Some(Cell::Text(Some(seal.seal(value.digits())?)))
    }

    fn from_sealed_cell(cell: Cell, seal: &dyn Seal) -> Option<AccountNumber> {
        match cell {
            Cell::Text(Some(stored)) => AccountNumber::parse(&seal.unseal(&stored)?),
            _ => None,
        }
    }
}

impl<K> StoredKind<Id<K>> for Identifier {
    const STORED_AS: CellType = CellType::Text;

    fn shape() -> MemberShape {
        MemberShape::Id
    }

    fn show_value(value: &Id<K>, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::Text(value.as_str()));
    }

    fn to_cell(value: &Id<K>) -> Option<Cell> {
        Some(Cell::Text(Some(value.to_string())))
    }

    fn from_cell(cell: Cell) -> Option<Id<K>> {
        match cell {
            Cell::Text(Some(stored)) => Id::parse(&stored).ok(),
            _ => None,
        }
    }
}

impl<T: NamedEnum> StoredKind<T> for Enumeration {
    const STORED_AS: CellType = CellType::Text;

    fn shape() -> MemberShape {
        MemberShape::Enumeration(T::ALL.iter().map(|word| word.as_str().to_owned()).collect())
    }

    fn show_value(value: &T, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::Text(value.as_str()));
    }

    fn to_cell(value: &T) -> Option<Cell> {
        Some(Cell::Text(Some(value.as_str().to_owned())))
    }

    fn from_cell(cell: Cell) -> Option<T> {
        match cell {
            Cell::Text(Some(stored)) => T::parse(&stored),
            _ => None,
        }
    }
}

impl<const LENGTH: usize> StoredKind<String> for Text<LENGTH> {
    const STORED_AS: CellType = CellType::Text;

    fn shape() -> MemberShape {
        MemberShape::Text(LENGTH)
    }

    fn show_value(value: &String, show: &mut dyn FnMut(MemberValue<'_>)) {
        show(MemberValue::Text(value));
    }

    fn to_cell(value: &String) -> Option<Cell> {
        Some(Cell::Text(Some(value.clone())))
    }

    fn from_cell(cell: Cell) -> Option<String> {
        match cell {
            Cell::Text(stored) => stored,
            _ => None,
        }
    }
}

fn show_text(value: &str, show: &mut dyn FnMut(MemberValue<'_>)) {
    show(MemberValue::Text(value));
}

fn show_as_text<T: std::fmt::Display>(value: &T, show: &mut dyn FnMut(MemberValue<'_>)) {
    show(MemberValue::Displayed(value));
}
