//! Custom fields: additional data about workers that a company defines.

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
pub use read::read_new_custom_field;
pub(crate) use read::{CUSTOM_FIELD_MEMBERS, read_stored};

use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{Flag, Identifier, Text};
use crate::id::{CategoryId, CustomFieldId, DropdownId};
use crate::named::named_enum;
use crate::object::values::MAX_NAME_CHARACTERS;

/// The maximum number of characters in a custom field's name.
pub const MAX_NAME_LENGTH: usize = 100;
/// The maximum number of characters in a default text, and the upper limit of `maxTextLength`.
pub const MAX_TEXT_LENGTH: u32 = 4_000;
/// [`MAX_TEXT_LENGTH`] as a `usize`, which `described!` needs for the kind `Text`.
pub(crate) const MAX_TEXT_CHARS: usize = 4_000;
/// The maximum number of choices in a drop-down.
pub const MAX_DROPDOWN_CHOICES: usize = 1_000;
/// The fault description for a drop-down choice that repeats the text of an earlier choice.
pub(crate) const DUPLICATE_CHOICE_MESSAGE: &str = "dropdownValue must differ from that of every other choice";

named_enum! {
    /// The type of a custom field's value.
    CustomFieldType {
        /// One choice of a list.
        Dropdown = "DROPDOWN",
        /// Text of limited length.
        Text = "TEXT",
        /// A value that is true or false.
        Boolean = "BOOLEAN",
        /// A date without a time.
        Date = "DATE",
        /// A number without decimal places.
        Numeric = "NUMERIC",
        /// A number of 2 decimal places.
        NumericTwoPlaces = "NUMERIC__0_00_",
        /// A number of 4 decimal places.
        NumericFourPlaces = "NUMERIC__0_0000_",
    }
}

described! {
    /// A category of custom fields. Each company has one default category.
    pub struct CustomFieldCategory {
        /// The id of the category.
        "categoryId" category_id: required CategoryId as Identifier;
        /// The name of the category.
        "categoryName" category_name: required String as Text<MAX_NAME_CHARACTERS>;
        /// Whether custom fields without a category belong to this category.
        "default" default: flag bool as Flag, in "is_default";
    }
}

/// A custom field of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomField {
    /// The id of the field.
    pub custom_field_id: CustomFieldId,
    /// The definition of the field, which is everything except its id.
    pub definition: CustomFieldDefinition,
}

/// A custom field without its id. Callers send it to create a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomFieldDefinition {
    /// The name of the field, unique in the company.
    pub name: String,
    /// The category. `None` if the company has no categories.
    pub category_id: Option<CategoryId>,
    /// Whether a value is required.
    pub required: bool,
    /// Whether the value is printed on the stub of a check.
    pub check_stub: bool,
    /// Whether the worker may edit the value.
    pub employee_editable: bool,
    /// The type of the field, with its default value.
    pub value: CustomFieldValue,
}

/// The type of a custom field, with the default value if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CustomFieldValue {
    /// The choices of a drop-down. The value is one of these choices.
    Dropdown(Vec<DropdownChoice>),
    /// Text of at most `max_length` characters.
    Text {
        /// The default text. `None` if the field has no default.
        default: Option<String>,
        /// The maximum length of a text in characters. `None` means [`MAX_TEXT_LENGTH`].
        max_length: Option<u32>,
    },
    /// A yes-or-no value with its default.
    Boolean(Option<bool>),
    /// A date with its default.
    Date(Option<Date>),
    /// A number with at most 0, 2 or 4 decimal places.
    Numeric {
        /// The maximum number of decimal places.
        places: DecimalPlaces,
        /// The default number. `None` if the field has no default.
        default: Option<Decimal>,
    },
}

/// The maximum number of decimal places in a numeric custom field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecimalPlaces {
    /// A number without decimal places.
    Zero,
    /// At most 2 decimal places.
    Two,
    /// At most 4 decimal places.
    Four,
}

impl DecimalPlaces {
    /// Returns the maximum number of decimal places.
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
    /// A choice of a drop-down field.
    pub struct DropdownChoice {
        /// The id of the choice.
        "dropdownId" dropdown_id: optional DropdownId as Identifier;
        /// The text of the choice of a drop-down field.
        "dropdownValue" value: required String as Text<MAX_NAME_LENGTH>, in "choice";
        /// Whether the choice is selected by default.
        "dropdownDefault" default: flag bool as Flag, in "is_default";
    }
}

/// The stored data that is needed to validate a new custom field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CustomFieldFacts {
    /// The categories of the company.
    pub categories: Vec<CustomFieldCategory>,
    /// The names of the company's custom fields, which a new field must not use.
    pub used_names: std::collections::HashSet<String>,
}

impl CustomFieldFacts {
    /// Returns the default category, which contains the fields without a category id.
    #[must_use]
    pub fn default_category(&self) -> Option<&CategoryId> {
        self.categories.iter().find(|category| category.default).map(|category| &category.category_id)
    }
}

impl CustomFieldValue {
    /// Returns the type of the field.
    #[must_use]
    pub const fn field_type(&self) -> CustomFieldType {
        match self {
            Self::Dropdown(_) => CustomFieldType::Dropdown,
            Self::Text { .. } => CustomFieldType::Text,
            Self::Boolean(_) => CustomFieldType::Boolean,
            Self::Date(_) => CustomFieldType::Date,
            Self::Numeric { places: DecimalPlaces::Zero, .. } => CustomFieldType::Numeric,
            Self::Numeric { places: DecimalPlaces::Two, .. } => CustomFieldType::NumericTwoPlaces,
            Self::Numeric { places: DecimalPlaces::Four, .. } => CustomFieldType::NumericFourPlaces,
        }
    }
}
