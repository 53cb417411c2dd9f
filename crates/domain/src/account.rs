//! Bank accounts: routing numbers, and account numbers, which are shown masked by default.

use std::fmt;

/// The minimum and maximum number of digits in an account number.
pub const ACCOUNT_LENGTH: std::ops::RangeInclusive<usize> = 5..=17;
/// The number of digits in a routing number.
pub const ROUTING_NUMBER_LENGTH: usize = 9;
/// The number of trailing digits that a masked number shows.
const SHOWN_DIGITS: usize = 4;

/// The number of a bank account. `Debug` masks the number.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountNumber(Box<str>);

impl AccountNumber {
    /// Parses an account number of 5 to 17 digits and returns `None` for anything else.
    ///
    /// ```
    /// use payroll_domain::account::AccountNumber;
    ///
    /// let number = AccountNumber::parse("1234567865").unwrap();
    /// assert_eq!(number.masked(), "*****7865");
    /// assert_eq!(format!("{number:?}"), "*****7865");
    /// assert!(AccountNumber::parse("1234").is_none() && AccountNumber::parse("12 345").is_none());
    /// ```
    #[must_use]
    pub fn parse(digits: &str) -> Option<Self> {
        let right =
            ACCOUNT_LENGTH.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        right.then(|| Self(digits.into()))
    }

    /// Returns all digits. Use the digits only for storage and for callers with the scope to see them.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// Returns the number masked, with its last four digits, such as `*****7865`. The masked text does not
    /// reveal the length of the number.
    #[must_use]
    pub fn masked(&self) -> String {
        let tail = self.0.get(self.0.len().saturating_sub(SHOWN_DIGITS)..).unwrap_or_default();
        format!("*****{tail}")
    }
}

impl fmt::Debug for AccountNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

/// The reason why a routing number is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidRoutingNumber {
    /// The text is not nine digits.
    Digits,
    /// The checksum of the number is wrong.
    Checksum,
}

/// Checks the routing number of a bank in the United States: nine digits, the last of which is a checksum.
///
/// # Errors
/// Returns the reason why the number is invalid.
///
/// ```
/// use payroll_domain::account::{InvalidRoutingNumber, check_routing_number};
///
/// assert_eq!(check_routing_number("122100024"), Ok(()));
/// assert_eq!(check_routing_number("122100025"), Err(InvalidRoutingNumber::Checksum));
/// assert_eq!(check_routing_number("12210002"), Err(InvalidRoutingNumber::Digits));
/// ```
pub fn check_routing_number(text: &str) -> Result<(), InvalidRoutingNumber> {
    if text.len() != ROUTING_NUMBER_LENGTH || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidRoutingNumber::Digits);
    }
    let weights = [3_u32, 7, 1].into_iter().cycle();
    let sum: u32 = text.bytes().zip(weights).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    // Nine zeros have a valid checksum but belong to no bank.
    if sum == 0 || !sum.is_multiple_of(10) { Err(InvalidRoutingNumber::Checksum) } else { Ok(()) }
}
