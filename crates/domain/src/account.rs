//! Bank accounts: account numbers, masked wherever they are not requested, and routing numbers.

use std::fmt;

/// Digits of an account number, at least and at most.
pub const ACCOUNT_DIGITS: std::ops::RangeInclusive<usize> = 5..=17;
/// Digits of a routing number.
pub const ROUTING_DIGITS: usize = 9;
/// Digits at the end that a masked number shows.
const LAST_DIGITS: usize = 4;

/// The number of a bank account. `Debug` shows it masked.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountNumber(Box<str>);

impl AccountNumber {
    /// Takes 5 to 17 digits; `None` for anything else.
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
            ACCOUNT_DIGITS.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        right.then(|| Self(digits.into()))
    }

    /// All digits: only for storage and for callers who may see them.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// Its last four digits, as `*****7865`. The length of the number does not show.
    #[must_use]
    pub fn masked(&self) -> String {
        let tail = self.0.get(self.0.len().saturating_sub(LAST_DIGITS)..).unwrap_or_default();
        format!("*****{tail}")
    }
}

impl fmt::Debug for AccountNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.masked())
    }
}

/// What is wrong with a routing number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidRoutingNumber {
    /// It is not nine digits.
    Digits,
    /// Its checksum is wrong.
    Checksum,
}

/// Checks the routing number of a bank of the United States: nine digits, of which the last is the checksum.
///
/// # Errors
/// What is wrong with it.
///
/// ```
/// use payroll_domain::account::{InvalidRoutingNumber, check_routing_number};
///
/// assert_eq!(check_routing_number("122100024"), Ok(()));
/// assert_eq!(check_routing_number("122100025"), Err(InvalidRoutingNumber::Checksum));
/// assert_eq!(check_routing_number("12210002"), Err(InvalidRoutingNumber::Digits));
/// ```
pub fn check_routing_number(text: &str) -> Result<(), InvalidRoutingNumber> {
    if text.len() != ROUTING_DIGITS || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidRoutingNumber::Digits);
    }
    let weights = [3_u32, 7, 1].into_iter().cycle();
    let sum: u32 = text.bytes().zip(weights).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    // Nine zeros have a valid checksum and belong to no bank.
    if sum == 0 || !sum.is_multiple_of(10) { Err(InvalidRoutingNumber::Checksum) } else { Ok(()) }
}
