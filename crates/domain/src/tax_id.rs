//! Tax IDs: FEIN and SSN. An SSN is shown masked by default.

use std::fmt;

use crate::named::named_enum;

/// The number of digits in a FEIN or SSN.
pub const TAX_ID_LENGTH: usize = 9;
/// The number of trailing digits that a masked tax ID shows. Workers can be searched by these digits.
const LAST_DIGITS: usize = 4;

named_enum! {
    /// The kind of a tax ID.
    LegalIdType {
        /// The tax ID of an employer.
        Fein = "FEIN",
        /// The tax ID of a person, which is masked in responses to callers without the scope `read:taxids`
        /// and encrypted in storage.
        Ssn = "SSN",
    }
}

/// A tax ID, which has a kind and 9 digits. `Debug` masks an SSN.
#[derive(Clone, PartialEq, Eq)]
pub struct LegalId {
    kind: LegalIdType,
    digits: Box<str>,
}

/// The last four digits of a tax ID, by which workers can be searched. `Debug` shows no digits.
#[derive(Clone, PartialEq, Eq)]
pub struct LastFour(Box<str>);

impl LastFour {
    /// Parses four digits. Returns `None` for any other text.
    ///
    /// ```
    /// use payroll_domain::tax_id::LastFour;
    ///
    /// assert_eq!(LastFour::parse("6789").unwrap().as_str(), "6789");
    /// assert!(LastFour::parse("67-9").is_none());
    /// ```
    #[must_use]
    pub fn parse(digits: &str) -> Option<Self> {
        let right = digits.len() == LAST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        right.then(|| Self(digits.into()))
    }

    /// Returns the digits as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for LastFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LastFour")
    }
}

impl LegalId {
    /// Parses 9 digits as a tax ID. Returns `None` for any other text.
    #[must_use]
    pub fn parse(kind: LegalIdType, digits: &str) -> Option<Self> {
        let right = digits.len() == TAX_ID_LENGTH && digits.bytes().all(|byte| byte.is_ascii_digit());
        right.then(|| Self { kind, digits: digits.into() })
    }

    /// Returns the kind of the tax ID.
    #[must_use]
    pub const fn kind(&self) -> LegalIdType {
        self.kind
    }

    /// Returns all 9 digits. Use the digits only for storage and for callers with the scope `read:taxids`.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.digits
    }

    /// Returns the form that every caller may see: a complete FEIN, or an SSN as `*****6789`.
    #[must_use]
    pub fn masked(&self) -> String {
        match self.kind {
            LegalIdType::Fein => self.digits.to_string(),
            LegalIdType::Ssn => format!("*****{}", self.last_digits()),
        }
    }

    /// Returns the last four digits of the tax ID.
    #[must_use]
    pub fn last_four(&self) -> LastFour {
        LastFour(self.last_digits().into())
    }

    fn last_digits(&self) -> &str {
        self.digits.get(TAX_ID_LENGTH - LAST_DIGITS..).unwrap_or_default()
    }
}

impl fmt::Debug for LegalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.masked())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_masks_a_social_security_number() {
        let ssn = LegalId::parse(LegalIdType::Ssn, "123456789").unwrap();
        assert_eq!(format!("{ssn:?}"), "SSN *****6789");
        assert_eq!(LegalId::parse(LegalIdType::Fein, "123456789").unwrap().masked(), "123456789");
        for bad in ["12345678", "1234567890", "12345678a", "123-45-678"] {
            assert!(LegalId::parse(LegalIdType::Ssn, bad).is_none(), "{bad}");
        }
    }
}
