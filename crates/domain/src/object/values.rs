//! The single values that only complete resources have; the others are those of requests.

use rust_decimal::Decimal;

use crate::account::{
    ACCOUNT_DIGITS, AccountNumber, InvalidRoutingNumber, ROUTING_DIGITS, check_routing_number,
};
use crate::date::Timestamp;
use crate::id::MAX_ID_LENGTH;
pub(crate) use crate::input::values::{date, flag, id};
use crate::input::values::{decimal_text, plain_text, text as any_text};
use crate::input::{Node, Value};
use crate::money::{AMOUNT_PLACES, Amount, InvalidDecimal, Quantity, RATE_PLACES, Rate, parse_decimal};
use crate::named::Named;
use crate::rate_number::{MAX_RATE_NUMBER, RateNumber};
use crate::report::Fault;

/// A value, or what is wrong with it.
pub(crate) type Read<T> = Result<T, Fault>;

/// Characters of a code or a number of another system.
pub(crate) const CODE: usize = 32;
/// Characters of a name or a line of an address.
pub(crate) const NAME: usize = 100;
/// Characters of an account of a general ledger: programs of bookkeeping have numbers, or names as short.
pub(crate) const ACCOUNT: usize = 40;
/// Characters of a note.
pub(crate) const NOTE: usize = 500;
/// The last place among the direct deposits of a worker: that of the one which gets the remainder.
pub(crate) const LAST_PRIORITY: u32 = 99;
/// The last of the places of statuses of one day: far more than a day has, and a bound on counting on.
pub(crate) const LAST_PLACE: u32 = 9_999;
/// Levels of units: deeper than any company, and a bound on walking up.
pub(crate) const LEVELS: u32 = 100;
/// Segments of a job's number: those that its resource has members for.
pub(crate) const SEGMENTS: u32 = 3;
/// Characters of such a segment: as many as of a code.
pub(crate) const SEGMENT_LENGTH: u32 = 32;
/// Bytes of the largest file of a worker.
#[cfg(feature = "server")]
pub(crate) const FILE_BYTES: u32 = 10 * 1024 * 1024;
/// Characters of an e-mail address (RFC 5321: a path without its brackets).
pub(crate) const MAX_EMAIL_LENGTH: usize = 254;

/// `RATE_1` to `RATE_25`.
pub(crate) fn rate_number(node: &Node<'_>) -> Read<RateNumber> {
    let spelt = |number: &RateNumber| matches!(&node.value, Value::Text(text) if *text == number.to_string());
    let number = RateNumber::all().find(spelt);
    number.ok_or_else(|| Fault::invalid(format!("must be RATE_1 to RATE_{MAX_RATE_NUMBER}")))
}

/// Text of at most that many characters.
pub(crate) fn text(longest: usize) -> impl Fn(&Node<'_>) -> Read<String> {
    move |node| plain_text(node, longest).map(str::to_owned)
}

/// A value of a closed set.
pub(crate) fn named<T: Named>(node: &Node<'_>) -> Read<T> {
    T::parse(any_text(node)?).ok_or_else(|| {
        let all: Vec<_> = T::ALL.iter().map(|value| value.as_str()).collect();
        Fault::invalid(format!("must be one of {}", all.join(", ")))
    })
}

/// A word of an open set, such as a product code.
pub(crate) fn word(node: &Node<'_>) -> Read<String> {
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let right = |text: &str| text.len() <= MAX_ID_LENGTH && text.bytes().all(allowed);
    shaped(node, right, &format!("must be 1 to {MAX_ID_LENGTH} of A-Z, 0-9 and _"))
}

/// Two digits.
pub(crate) fn two_digits(node: &Node<'_>) -> Read<String> {
    let right = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    shaped(node, right, "must be two digits")
}

/// The routing number of a bank.
pub(crate) fn routing_number(node: &Node<'_>) -> Read<String> {
    let text = any_text(node)?;
    match check_routing_number(text) {
        Ok(()) => Ok(text.to_owned()),
        Err(InvalidRoutingNumber::Digits) => Err(Fault::invalid(format!("must be {ROUTING_DIGITS} digits"))),
        Err(InvalidRoutingNumber::Checksum) => Err(Fault::invalid("must have a valid checksum")),
    }
}

/// The number of a bank account. What is wrong with it is reported without repeating it.
pub(crate) fn account_number(node: &Node<'_>) -> Read<AccountNumber> {
    let (least, most) = (ACCOUNT_DIGITS.start(), ACCOUNT_DIGITS.end());
    AccountNumber::parse(any_text(node)?)
        .ok_or_else(|| Fault::invalid(format!("must be {least} to {most} digits, without spaces")))
}

/// A country: the shape of an ISO 3166-1 alpha-2 code. Which codes are in use changes with the
/// world, so that is not checked.
pub(crate) fn country(node: &Node<'_>) -> Read<String> {
    let right = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    shaped(node, right, "must be two capital letters (ISO 3166-1 alpha-2)")
}

/// A state or province: the second part of an ISO 3166-2 code.
pub(crate) fn subdivision(node: &Node<'_>) -> Read<String> {
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let right = |text: &str| text.len() <= 3 && text.bytes().all(allowed);
    shaped(node, right, "must be 1 to 3 of A-Z and 0-9, the second part of an ISO 3166-2 code")
}

/// An e-mail address, as far as its form shows.
pub(crate) fn email(node: &Node<'_>) -> Read<String> {
    shaped(node, is_email, "must be an e-mail address such as name@example.org")
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let odd = |c: char| c == '@' || c.is_whitespace() || c.is_control();
    text.chars().count() <= MAX_EMAIL_LENGTH
        && !local.is_empty()
        && !local.contains(odd)
        && !domain.contains(odd)
        && domain.split('.').all(|label| !label.is_empty())
}

fn shaped(node: &Node<'_>, right: impl Fn(&str) -> bool, rule: &str) -> Read<String> {
    let text = any_text(node)?;
    if right(text) { Ok(text.to_owned()) } else { Err(Fault::invalid(rule)) }
}

/// An instant; a bare date is its beginning.
pub(crate) fn instant(node: &Node<'_>) -> Read<Timestamp> {
    let rule = "must be an instant: yyyy-MM-ddTHH:mm:ssZ with or without milliseconds, or yyyy-MM-dd";
    Timestamp::parse(any_text(node)?).map_err(|_| Fault::invalid(rule))
}

/// A whole number from 1 up to the most.
pub(crate) fn count(most: u32) -> impl Fn(&Node<'_>) -> Read<u32> {
    move |node| {
        let whole = parse_decimal(decimal_text(node)?, 0).ok().and_then(|whole| u32::try_from(whole).ok());
        let count = whole.filter(|count| (1..=most).contains(count));
        count.ok_or_else(|| Fault::invalid(format!("must be a whole number from 1 to {most}")))
    }
}

/// A whole number from 0 to that many.
pub(crate) fn place(last: u32) -> impl Fn(&Node<'_>) -> Read<u32> {
    move |node| {
        let whole = parse_decimal(decimal_text(node)?, 0).ok().and_then(|whole| u32::try_from(whole).ok());
        let place = whole.filter(|place| *place <= last);
        place.ok_or_else(|| Fault::invalid(format!("must be a whole number from 0 to {last}")))
    }
}

/// An amount of money of either sign: history has both.
pub(crate) fn signed_amount(node: &Node<'_>) -> Read<Amount> {
    decimal(node, AMOUNT_PLACES, "", Amount::parse)
}

/// A rate of either sign.
pub(crate) fn signed_rate(node: &Node<'_>) -> Read<Rate> {
    decimal(node, RATE_PLACES, "", Rate::parse)
}

/// Hours or units of either sign.
pub(crate) fn signed_quantity(node: &Node<'_>) -> Read<Quantity> {
    decimal(node, RATE_PLACES, "", Quantity::parse)
}

/// An amount of money from 0 up.
pub(crate) fn amount(node: &Node<'_>) -> Read<Amount> {
    decimal(node, AMOUNT_PLACES, " from 0 up", |text| Amount::parse(text).and_then(not_below(Amount::ZERO)))
}

/// A rate from 0 up.
pub(crate) fn rate(node: &Node<'_>) -> Read<Rate> {
    decimal(node, RATE_PLACES, " from 0 up", |text| Rate::parse(text).and_then(not_below(Rate::ZERO)))
}

/// Hours or units from 0 up.
pub(crate) fn quantity(node: &Node<'_>) -> Read<Quantity> {
    decimal(node, RATE_PLACES, " from 0 up", |text| Quantity::parse(text).and_then(not_below(Quantity::ZERO)))
}

/// A number of either sign that is no money.
pub(crate) fn number(node: &Node<'_>) -> Read<Decimal> {
    decimal(node, RATE_PLACES, "", |text| parse_decimal(text, RATE_PLACES))
}

/// A part of a whole, in percent.
pub(crate) fn percentage(node: &Node<'_>) -> Read<Rate> {
    let most = |rate: Rate| {
        if rate.value() > Decimal::ONE_HUNDRED { Err(InvalidDecimal::Magnitude) } else { Ok(rate) }
    };
    decimal(node, RATE_PLACES, " from 0 to 100", |text| {
        Rate::parse(text).and_then(not_below(Rate::ZERO)).and_then(most)
    })
}

fn not_below<T: PartialOrd>(least: T) -> impl FnOnce(T) -> Result<T, InvalidDecimal> {
    move |value| if value < least { Err(InvalidDecimal::Magnitude) } else { Ok(value) }
}

fn decimal<T>(
    node: &Node<'_>,
    places: u32,
    range: &str,
    parse: impl FnOnce(&str) -> Result<T, InvalidDecimal>,
) -> Read<T> {
    parse(decimal_text(node)?).map_err(|_| match places {
        0 => Fault::invalid(format!("must be a whole number{range}")),
        _ => Fault::invalid(format!("must be a decimal{range} with at most {places} decimal places")),
    })
}
