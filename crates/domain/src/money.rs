//! Exact numbers: amounts of money, rates, and quantities (hours and units).
//!
//! All three types are decimals with at most four places. Each value is stored as a number of ten-thousandths
//! and never as a float. Only [`Amount::from_quantity_and_rate`] and [`Amount::round_to_cents`] round.

use std::fmt;

use rust_decimal::{Decimal, RoundingStrategy};

/// The decimal places of an amount of money.
pub const AMOUNT_DECIMAL_PLACES: u32 = 2;
/// The decimal places of a rate, hours or units.
pub const RATE_DECIMAL_PLACES: u32 = 4;
/// The number of ten-thousandths in the number 1.
const TEN_THOUSANDTHS_PER_ONE: i64 = 10_000;

/// The reason why a text is not a valid decimal of the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidDecimal {
    /// The text does not have the accepted syntax: a JSON number without an exponent. Rejected examples are
    /// `+1`, `01`, `.5` and `1e2`.
    Syntax,
    /// The number has too many decimal places. Trailing zeros are not counted.
    Places,
    /// The number exceeds the range of the type.
    Magnitude,
}

/// Parses a decimal: `-?(0|[1-9][0-9]*)(\.[0-9]+)?`. The decimal may have at most `decimal_places` decimal
/// places, not counting trailing zeros. `-0` is 0.
///
/// # Errors
/// Returns the [`InvalidDecimal`] that applies. The range is checked last.
///
/// ```
/// use payroll_domain::money::{InvalidDecimal, parse_decimal};
/// assert_eq!(parse_decimal("12.500", 2).unwrap().to_string(), "12.5");
/// assert_eq!(parse_decimal("12.505", 2), Err(InvalidDecimal::Places));
/// assert_eq!(parse_decimal("1e2", 2), Err(InvalidDecimal::Syntax));
/// ```
pub fn parse_decimal(text: &str, decimal_places: u32) -> Result<Decimal, InvalidDecimal> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((_, "")) => return Err(InvalidDecimal::Syntax),
        Some((whole, fraction)) => (whole, fraction),
        None => (unsigned, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() || leading_zero || !digits(whole) || !digits(fraction) {
        return Err(InvalidDecimal::Syntax);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > decimal_places as usize {
        return Err(InvalidDecimal::Places);
    }
    // The maximum number of digits before the decimal point. With this limit, sums of ten-thousandths fit
    // into 64 bits.
    const MAX_WHOLE_DIGITS: usize = 14;
    if whole.len() > MAX_WHOLE_DIGITS {
        return Err(InvalidDecimal::Magnitude);
    }
    let digits = whole.bytes().chain(fraction.bytes()).map(|byte| i64::from(byte - b'0'));
    let value = digits.fold(0_i64, |value, digit| value.saturating_mul(10).saturating_add(digit));
    let negative = unsigned.len() < text.len();
    let scale = u32::try_from(fraction.len()).map_err(|_| InvalidDecimal::Places)?;
    Decimal::try_new(if negative { -value } else { value }, scale)
        .map(|value| value.normalize())
        .map_err(|_| InvalidDecimal::Magnitude)
}

/// Declares a newtype over an exact decimal.
macro_rules! declare_decimal {
    ($(#[$doc:meta])* $name:ident, $places:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(Decimal);

        impl $name {
            /// The value of zero.
            pub const ZERO: Self = Self(Decimal::ZERO);

            /// Parses the literal text of a decimal. See [`parse_decimal`].
            ///
            /// # Errors
            /// Returns [`InvalidDecimal`] if the text is not valid.
            pub fn parse(text: &str) -> Result<Self, InvalidDecimal> {
                parse_decimal(text, $places).map(Self)
            }

            /// Creates the value from a stored number of ten-thousandths. `None` if the number has more
            /// decimal places than this type.
            #[must_use]
            pub fn from_ten_thousandths(stored: i64) -> Option<Self> {
                let value = Decimal::new(stored, RATE_DECIMAL_PLACES).normalize();
                (value.scale() <= $places).then_some(Self(value))
            }

            /// Returns the exact value in ten-thousandths. `None` if the number does not fit into 64 bits.
            #[must_use]
            pub fn to_ten_thousandths(self) -> Option<i64> {
                let scaled = self.0.checked_mul(Decimal::from(TEN_THOUSANDTHS_PER_ONE))?;
                i64::try_from(scaled.normalize()).ok()
            }

            /// Returns the exact value as a decimal.
            #[must_use]
            pub const fn value(self) -> Decimal {
                self.0
            }

            /// Splits the value in proportion to the weights with the largest remainder method. The parts add
            /// up to the value exactly. Each part is first rounded down to the last decimal place. The
            /// remainder is then distributed, one unit each, to the parts that lost most by rounding. Among
            /// equal parts, the first ones have priority.
            ///
            /// # Errors
            /// Returns [`InvalidDecimal::Magnitude`] if the value or a weight is negative or exceeds 64 bits,
            /// or if the weights add up to zero.
            pub fn split(self, weights: &[Rate]) -> Result<Vec<Self>, InvalidDecimal> {
                let units = to_smallest_units(self.0, $places).ok_or(InvalidDecimal::Magnitude)?;
                let weights: Option<Vec<u64>> =
                    weights.iter().map(|weight| to_smallest_units(weight.0, RATE_DECIMAL_PLACES)).collect();
                let parts = split_by_largest_remainder(units, &weights.ok_or(InvalidDecimal::Magnitude)?);
                let part = |units: u64| {
                    let units = i64::try_from(units).map_err(|_| InvalidDecimal::Magnitude)?;
                    Ok(Self(Decimal::new(units, $places).normalize()))
                };
                parts.ok_or(InvalidDecimal::Magnitude)?.into_iter().map(part).collect()
            }
        }
    };
}

declare_decimal! {
    /// An amount of money with at most 2 decimal places. An amount is always written with 2 decimal places:
    /// `120.50`.
    ///
    /// ```
    /// use payroll_domain::money::Amount;
    /// let amount = Amount::parse("120.5").unwrap();
    /// assert_eq!((amount.to_string(), amount.fits_check_line()), ("120.50".to_owned(), true));
    /// assert!(!Amount::parse("10000").unwrap().fits_check_line());
    /// ```
    Amount, AMOUNT_DECIMAL_PLACES
}
declare_decimal! {
    /// An amount of money per hour, unit, day or period, with at most 4 decimal places. A rate is always
    /// written with 4 decimal places: `20.0000`.
    ///
    /// ```
    /// use payroll_domain::money::{InvalidDecimal, Rate};
    /// assert_eq!(Rate::parse("20").unwrap().to_string(), "20.0000");
    /// assert_eq!(Rate::parse("20.12345"), Err(InvalidDecimal::Places));
    /// ```
    Rate, RATE_DECIMAL_PLACES
}
declare_decimal! {
    /// A number of hours or units with at most 4 decimal places. A quantity is written without trailing
    /// zeros: `7.5`.
    ///
    /// ```
    /// use payroll_domain::money::Quantity;
    /// assert_eq!(Quantity::parse("7.50").unwrap().to_string(), "7.5");
    /// ```
    Quantity, RATE_DECIMAL_PLACES
}

/// Converts a decimal to units of its last decimal place. `None` if the result is negative or exceeds 64
/// bits.
fn to_smallest_units(value: Decimal, decimal_places: u32) -> Option<u64> {
    let units = value.checked_mul(Decimal::from(10_u64.checked_pow(decimal_places)?))?;
    u64::try_from(units.normalize()).ok()
}

/// Splits a number by weights with the largest remainder method. `None` if the weights add up to zero.
fn split_by_largest_remainder(whole: u64, weights: &[u64]) -> Option<Vec<u64>> {
    let total: u128 = weights.iter().copied().map(u128::from).sum();
    if total == 0 {
        return None;
    }
    let exact = || weights.iter().map(|weight| u128::from(whole) * u128::from(*weight));
    let mut shares = Vec::with_capacity(weights.len());
    for exact in exact() {
        shares.push(u64::try_from(exact.checked_div(total)?).ok()?);
    }
    let mut order: Vec<_> = exact().map(|exact| exact % total).enumerate().collect();
    order.sort_by_key(|(at, remainder)| (std::cmp::Reverse(*remainder), *at));
    let left = whole - shares.iter().sum::<u64>();
    for (at, _) in order.into_iter().take(usize::try_from(left).ok()?) {
        if let Some(share) = shares.get_mut(at) {
            *share += 1;
        }
    }
    Some(shares)
}

impl Amount {
    /// The maximum amount of a check line (specification §3.7).
    pub const MAX_OF_LINE: Self = Self(Decimal::from_parts(999_999, 0, 0, false, AMOUNT_DECIMAL_PLACES));

    /// Returns whether the amount is valid for a check line: from 0.00 to 9999.99.
    #[must_use]
    pub fn fits_check_line(self) -> bool {
        (Self::ZERO..=Self::MAX_OF_LINE).contains(&self)
    }

    /// Returns the product of quantity and rate, rounded to cents half away from zero. `None` if the result
    /// exceeds the range of amounts.
    ///
    /// ```
    /// use payroll_domain::money::{Amount, Quantity, Rate};
    /// let (hours, rate) = (Quantity::parse("7.5").unwrap(), Rate::parse("20.3333").unwrap());
    /// assert_eq!(Amount::from_quantity_and_rate(hours, rate).unwrap().to_string(), "152.50");
    /// ```
    #[must_use]
    pub fn from_quantity_and_rate(quantity: Quantity, rate: Rate) -> Option<Self> {
        quantity.0.checked_mul(rate.0).map(Self::round_to_cents)
    }

    /// Rounds a decimal to cents, half away from zero.
    #[must_use]
    pub fn round_to_cents(exact: Decimal) -> Self {
        Self(exact.round_dp_with_strategy(AMOUNT_DECIMAL_PLACES, RoundingStrategy::MidpointAwayFromZero))
    }

    /// Creates the amount from a sum of stored ten-thousandths, which may exceed 64 bits. `None` if the sum
    /// is not a multiple of a cent or exceeds the range of amounts.
    ///
    /// ```
    /// use payroll_domain::money::Amount;
    /// let sum = Amount::from_sum_of_ten_thousandths(2 * i128::from(i64::MAX) + 186).unwrap();
    /// assert_eq!(sum.to_string(), "1844674407370955.18");
    /// ```
    #[must_use]
    pub fn from_sum_of_ten_thousandths(sum: i128) -> Option<Self> {
        let value = Decimal::try_from_i128_with_scale(sum, RATE_DECIMAL_PLACES).ok()?.normalize();
        (value.scale() <= AMOUNT_DECIMAL_PLACES).then_some(Self(value))
    }

    /// Returns the sum of the two amounts. `None` if the sum exceeds the range of amounts.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// Returns this amount minus the other amount. `None` if the difference exceeds the range of amounts.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }
}

impl Quantity {
    /// The maximum of hours or units of a check line: 9999.99 (specification §7.4).
    pub const MAX_OF_LINE: Self = Self(Decimal::from_parts(999_999, 0, 0, false, 2));

    /// Returns the quantity with the opposite sign. Zero has no sign.
    #[must_use]
    pub fn negated(self) -> Self {
        if self.0.is_zero() { Self::ZERO } else { Self(-self.0) }
    }
}

impl Rate {
    /// The maximum rate in a request: 999999.9999 (specification §7.4).
    pub const MAX_IN_REQUEST: Self =
        Self(Decimal::from_parts(1_410_065_407, 2, 0, false, RATE_DECIMAL_PLACES));
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.0)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4}", self.0)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.normalize())
    }
}

impl fmt::Display for InvalidDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "is not a plain decimal number such as 12.5",
            Self::Places => "has too many decimal places",
            Self::Magnitude => "is too large",
        })
    }
}

impl std::error::Error for InvalidDecimal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_the_text_of_a_json_number_without_exponent() {
        for good in ["0", "-0", "0.0", "12.500", "9999.99", "-1.5", "12.50000000"] {
            assert!(parse_decimal(good, 2).is_ok(), "{good}");
        }
        for bad in [
            "", "-", "+1", "01", ".5", "5.", " 1", "1 ", "1e2", "1E2", "1,0", "0x1", "--1", "1.2.3", "NaN",
            "-.5",
        ] {
            assert_eq!(parse_decimal(bad, 2), Err(InvalidDecimal::Syntax), "{bad}");
        }
        assert_eq!(parse_decimal("9999.995", 2), Err(InvalidDecimal::Places));
        assert_eq!(parse_decimal(&"9".repeat(10_000), 2), Err(InvalidDecimal::Magnitude));
    }

    #[test]
    fn amounts_rates_and_quantities_have_their_own_forms() {
        assert_eq!(Amount::parse("120.5").unwrap().to_string(), "120.50");
        assert_eq!(Rate::parse("20").unwrap().to_string(), "20.0000");
        assert_eq!(Quantity::parse("8.2500").unwrap().to_string(), "8.25");
        assert_eq!(Quantity::parse("-0.000").unwrap().to_string(), "0");
    }

    #[test]
    fn the_limits_of_decimals_have_their_documented_values() {
        assert_eq!(Amount::MAX_OF_LINE, Amount::parse("9999.99").unwrap());
        assert_eq!(Quantity::MAX_OF_LINE, Quantity::parse("9999.99").unwrap());
        assert_eq!(Rate::MAX_IN_REQUEST, Rate::parse("999999.9999").unwrap());
    }

    #[test]
    fn ten_thousandths_survive_a_round_trip() {
        for text in ["0", "0.01", "9999.99", "-12.5"] {
            let amount = Amount::parse(text).unwrap();
            assert_eq!(Amount::from_ten_thousandths(amount.to_ten_thousandths().unwrap()), Some(amount));
        }
        assert_eq!(Amount::from_ten_thousandths(1), None, "an amount has no ten-thousandths");
    }

    #[test]
    fn the_parts_of_a_split_amount_add_up_to_the_amount() {
        let split = |amount: &str, weights: &[&str]| {
            let weights: Vec<_> = weights.iter().map(|it| Rate::parse(it).unwrap()).collect();
            let parts = Amount::parse(amount).unwrap().split(&weights);
            parts.map(|parts| parts.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(split("0.05", &["1", "1", "1"]), Ok(["0.02", "0.02", "0.01"].map(str::to_owned).into()));
        assert_eq!(
            split("10", &["0.25", "0", "0.75"]),
            Ok(["2.50", "0.00", "7.50"].map(str::to_owned).into())
        );
        for (amount, weights) in [("-1", &["1"][..]), ("1", &["-1", "2"]), ("1", &["0"]), ("1", &[])] {
            assert_eq!(split(amount, weights), Err(InvalidDecimal::Magnitude), "{amount} {weights:?}");
        }
    }

    #[test]
    fn products_round_half_away_from_zero_once() {
        let of = |hours: &str, rate: &str| {
            Amount::from_quantity_and_rate(Quantity::parse(hours).unwrap(), Rate::parse(rate).unwrap())
                .unwrap()
                .to_string()
        };
        assert_eq!(of("1", "0.0050"), "0.01");
        assert_eq!(of("1", "0.0049"), "0.00");
        assert_eq!(of("0.3333", "10"), "3.33");
        assert_eq!(of("-1", "0.0050"), "-0.01");
    }
}
