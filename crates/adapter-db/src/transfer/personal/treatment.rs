//! What an anonymised copy makes of a value.

use crate::rows::plain::Replacement;

/// How a value is anonymised. An absent value stays absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// The value is copied.
    Kept,
    /// The value is left out of the copy.
    Absent,
    /// The flag is set to false.
    Off,
    /// The number is set to 0.
    Zero,
    /// The value of another column of the row replaces it.
    SameAs(&'static str),
    /// A text becomes that word and a made-up name.
    Name(&'static str),
    /// Letters become other letters, digits other digits: of one shape no two become the same.
    Code,
    /// As a code, and begins with `000`: no area code or postal code does.
    Number,
    /// An address at the domain `example.invalid`.
    Email,
    /// Digits of a range that is not issued: an SSN from 900 on, a FEIN with the prefix 00.
    LegalId,
    /// Another day of the same year.
    Birthday,
    /// One of the words, whichever it was.
    Sex,
    /// What `displayid` filters by, of the new display id.
    DisplayKey,
    /// The default of a custom field: replaced where the field holds texts.
    DefaultText,
    /// Replaced, where it is not the check that is taken back.
    Correlation,
    /// Replaced, where it is none of the server's own words.
    CheckType,
    /// An address at a host that is never found.
    HookAddress,
    /// What a receiver is shown: another secret under the same method.
    Authentication,
    /// A new secret replaces it.
    SigningSecret,
    /// Money in cents, for `--amounts scale`.
    Amount,
    /// Money with four decimal places, for `--amounts scale`.
    Rate,
    /// Money where the component is not calculated as a percentage.
    RecurringValue,
    /// Money where the payment type in that column is not a percentage.
    DepositValue(&'static str),
    /// Lines, completion and pay of a check, which are changed together.
    OfCheck,
    /// A total of a period: computed again from its checks where their amounts change.
    Total,
    /// The target makes it by itself, or the seal of the row does.
    Made,
}

impl Treatment {
    /// The treatment of a column of plain objects whose values are replaced so.
    pub(super) const fn of_plain(replacement: Replacement) -> Self {
        match replacement {
            Replacement::Name(word) => Self::Name(word),
            Replacement::Code => Self::Code,
            Replacement::Number => Self::Number,
            Replacement::Rate => Self::Rate,
            Replacement::Email => Self::Email,
            Replacement::Absent => Self::Absent,
        }
    }
}
