//! The name of a person.

use crate::description::described;
use crate::description::kinds::Text;
use crate::object::values::{MAX_CODE_LENGTH, MAX_NAME_CHARACTERS};

described! {
    /// Name of a worker, of a contact or of a user.
    pub struct Name {
        /// The family name, such as Smith.
        "familyName" family_name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The given name, such as Ana.
        "givenName" given_name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The middle name or its initial.
        "middleName" middle_name: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The name that the person wants to be called by.
        "preferredName" preferred_name: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The suffix of the name, such as Jr.
        "qualificationAffixCode" qualification_affix_code: optional String as Text<MAX_CODE_LENGTH>;
        /// The title before the name, such as Dr.
        "titleAffixCode" title_affix_code: optional String as Text<MAX_CODE_LENGTH>;
    }
}
