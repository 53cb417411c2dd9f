//! The name of a person.

use crate::description::described;
use crate::description::kinds::Text;
use crate::object::values::{CODE, NAME};

described! {
    /// A worker's name.
    pub struct Name {
        /// The family name.
        "familyName" family_name: required String as Text<NAME>;
        /// The given name.
        "givenName" given_name: required String as Text<NAME>;
        /// The middle name.
        "middleName" middle_name: optional String as Text<NAME>;
        /// What they want to be called.
        "preferredName" preferred_name: optional String as Text<NAME>;
        /// Such as Jr.
        "qualificationAffixCode" qualification_affix_code: optional String as Text<CODE>;
        /// Such as Dr.
        "titleAffixCode" title_affix_code: optional String as Text<CODE>;
    }
}
