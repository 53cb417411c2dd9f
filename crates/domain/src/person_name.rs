//! The name of a person.

use crate::description::described;
use crate::description::kinds::Text;
use crate::object::values::{MAX_CODE_LENGTH, MAX_NAME_CHARACTERS};

described! {
    /// Name of a worker, of a contact or of a user.
    pub struct Name {
        /// Family name, such as Smith.
        "familyName" family_name: required String as Text<MAX_NAME_CHARACTERS>;
        /// Given name, such as Ana.
        "givenName" given_name: required String as Text<MAX_NAME_CHARACTERS>;
        /// Middle name or initial.
        "middleName" middle_name: optional String as Text<MAX_NAME_CHARACTERS>;
        /// Name that the person wants to be called by.
        "preferredName" preferred_name: optional String as Text<MAX_NAME_CHARACTERS>;
        /// Suffix of the name, such as Jr.
        "qualificationAffixCode" qualification_affix_code: optional String as Text<MAX_CODE_LENGTH>;
        /// Title before the name, such as Dr.
        "titleAffixCode" title_affix_code: optional String as Text<MAX_CODE_LENGTH>;
    }
}
