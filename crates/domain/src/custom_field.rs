//! Custom fields: what a company keeps about its workers beyond the usual.

#[cfg(feature = "server")]
mod category;
#[cfg(feature = "server")]
mod change;
mod read;
#[cfg(feature = "server")]
mod show;

use rust_decimal::Decimal;

#[cfg(feature = "server")]
pub use category::read_category_change;
#[cfg(feature = "server")]
pub use category::{CategoryDefinition, read_category};
#[cfg(feature = "server")]
pub use change::read_change;
#[cfg(feature = "server")]
pub use read::read;
pub(crate) use read::{MEMBERS, read_stored};

use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{Flag, Identifier, Text};
use crate::id::{CategoryId, CustomFieldId, DropdownId};
use crate::named::named;
use crate::object::values::NAME;

/// Characters of a custom field's name.
pub const MAX_NAME_LENGTH: usize = 100;
/// Characters of a default text, and the most that `maxTextLength` may allow: a page of text.
pub const MAX_TEXT_LENGTH: u32 = 4_000;
/// The same number as descriptions of resources take it.
pub(crate) const LONGEST_TEXT: usize = 4_000;
/// Choices of a drop-down: more than a person scrolls through.
pub const MAX_DROPDOWN_CHOICES: usize = 1_000;
/// The rule that a choice breaks which says the same as one before it.
pub(crate) const SAME_CHOICE: &str = "dropdownValue must differ from that of every other choice";

named! {
    /// What a custom field holds.
    CustomFieldType {
        /// One of a list.
        Dropdown = "DROPDOWN",
        /// Text.
        Text = "TEXT",
        /// Yes or no.
        Boolean = "BOOLEAN",
        /// A civil date.
        Date = "DATE",
        /// A whole number.
        Numeric = "NUMERIC",
        /// A number of 2 decimal places.
        NumericTwoPlaces = "NUMERIC__0_00_",
        /// A number of 4 decimal places.
        NumericFourPlaces = "NUMERIC__0_0000_",
    }
}

described! {
    /// A category of custom fields; a company has one default.
    pub struct CustomFieldCategory {
        /// Its id.
        "categoryId" category_id: required CategoryId as Identifier;
        /// Its name.
        "categoryName" category_name: required String as Text<NAME>;
        /// Fields that name no category fall into it.
        "default" default: flag bool as Flag, in "is_default";
    }
}

/// A custom field of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomField {
    /// Its id.
    pub custom_field_id: CustomFieldId,
    /// Everything else.
    pub definition: CustomFieldDefinition,
}

/// A custom field without its id: what a caller sends to create one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomFieldDefinition {
    /// Its name, unique in the company.
    pub name: String,
    /// Its category; `None` when the company has none.
    pub category_id: Option<CategoryId>,
    /// It must be filled.
    pub required: bool,
    /// It is printed on the check's stub.
    pub check_stub: bool,
    /// The worker may edit it.
    pub employee_editable: bool,
    /// What it holds, with its default value.
    pub value: CustomFieldValue,
}

/// What a custom field holds, with the default value where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CustomFieldValue {
    /// One of these.
    Dropdown(Vec<DropdownChoice>),
    /// Text of at most `max_length` characters.
    Text {
        /// The default.
        default: Option<String>,
        /// The longest text, in characters.
        max_length: Option<u32>,
    },
    /// Yes or no.
    Boolean(Option<bool>),
    /// A civil date.
    Date(Option<Date>),
    /// A number with at most that many decimal places: 0, 2 or 4.
    Numeric {
        /// Decimal places.
        places: NumericPlaces,
        /// The default.
        default: Option<Decimal>,
    },
}

/// Decimal places of a numeric custom field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumericPlaces {
    /// Whole numbers.
    Zero,
    /// 2 places.
    Two,
    /// 4 places.
    Four,
}

impl NumericPlaces {
    /// How many they are.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::Zero => 0,
            Self::Two => 2,
            Self::Four => 4,
        }
    }
}

described! {
    /// A choice of a drop-down.
    pub struct DropdownChoice {
        /// Its id.
        "dropdownId" dropdown_id: optional DropdownId as Identifier;
        /// What it says.
        "dropdownValue" value: required String as Text<MAX_NAME_LENGTH>, in "choice";
        /// It is the one that is chosen by default.
        "dropdownDefault" default: flag bool as Flag, in "is_default";
    }
}

/// The data to validate a new custom field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CustomFieldFacts {
    /// The company's categories.
    pub categories: Vec<CustomFieldCategory>,
    /// The names that are in use.
    pub used_names: std::collections::HashSet<String>,
}

impl CustomFieldFacts {
    /// The category of fields that name none.
    #[must_use]
    pub fn default_category(&self) -> Option<&CategoryId> {
        self.categories.iter().find(|category| category.default).map(|category| &category.category_id)
    }
}

impl CustomFieldValue {
    /// The type that this is a value of.
    #[must_use]
    pub const fn field_type(&self) -> CustomFieldType {
        match self {
            Self::Dropdown(_) => CustomFieldType::Dropdown,
            Self::Text { .. } => CustomFieldType::Text,
            Self::Boolean(_) => CustomFieldType::Boolean,
            Self::Date(_) => CustomFieldType::Date,
            Self::Numeric { places: NumericPlaces::Zero, .. } => CustomFieldType::Numeric,
            Self::Numeric { places: NumericPlaces::Two, .. } => CustomFieldType::NumericTwoPlaces,
            Self::Numeric { places: NumericPlaces::Four, .. } => CustomFieldType::NumericFourPlaces,
        }
    }
}
