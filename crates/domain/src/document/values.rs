//! The single values of a document: each reader gives the value, or says what it must be.

use std::borrow::Cow;

use rust_decimal::Decimal;

use crate::date::{Date, Timestamp, parse_date};
use crate::id::{Id, MAX_ID_LENGTH};
use crate::input::Value;
use crate::money::{AMOUNT_PLACES, Amount, Quantity, RATE_PLACES, Rate, parse_decimal};
use crate::named::Named;

/// A value, or the words behind "must be".
pub(super) type Read<T> = Result<T, Cow<'static, str>>;

/// Characters of a code or a number of somebody else's.
pub(super) const CODE: usize = 32;
/// Characters of a name or a line of an address.
pub(super) const NAME: usize = 100;
/// Characters of a note.
pub(super) const NOTE: usize = 500;
/// Characters of an e-mail address (RFC 5321, path without its brackets).
const EMAIL: usize = 254;

/// Text of at most that many characters; control characters are refused, since NUL cannot be
/// stored and the others break the lines of whoever prints them.
pub(super) fn text(max: usize) -> impl Fn(&Value<'_>) -> Read<String> {
    move |value| match value {
        Value::Text(text) if text.chars().count() <= max && !text.chars().any(char::is_control) => {
            Ok(text.to_string())
        }
        _ => Err(format!("text of 1 to {max} characters, none of them a control character").into()),
    }
}

/// An id of any kind.
pub(super) fn id<K>(value: &Value<'_>) -> Read<Id<K>> {
    let id = as_text(value).and_then(|text| Id::parse(text).ok());
    id.ok_or_else(|| format!("an id: 1 to {MAX_ID_LENGTH} of A-Z, a-z, 0-9, _ and -").into())
}

/// A value of a closed set.
pub(super) fn named<T: Named>(value: &Value<'_>) -> Read<T> {
    as_text(value).and_then(T::parse).ok_or_else(|| {
        let all: Vec<_> = T::ALL.iter().map(|value| value.as_str()).collect();
        format!("one of {}", all.join(", ")).into()
    })
}

/// A word of an open set, such as a product code.
pub(super) fn word(value: &Value<'_>) -> Read<String> {
    let right = |text: &&str| {
        text.len() <= MAX_ID_LENGTH
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let word = as_text(value).filter(right).map(str::to_owned);
    word.ok_or_else(|| format!("1 to {MAX_ID_LENGTH} of A-Z, 0-9 and _").into())
}

/// `true` or `false`.
pub(super) fn boolean(value: &Value<'_>) -> Read<bool> {
    match value {
        Value::Bool(value) => Ok(*value),
        _ => Err("true or false".into()),
    }
}

/// A civil date.
pub(super) fn date(value: &Value<'_>) -> Read<Date> {
    let date = as_text(value).and_then(|text| parse_date(text).ok());
    date.ok_or("a date that exists: yyyy-MM-dd, or yyyy-MM-ddTHH:mm:ssZ with or without milliseconds".into())
}

/// An instant; a bare date is its beginning.
pub(super) fn instant(value: &Value<'_>) -> Read<Timestamp> {
    let instant = as_text(value).and_then(|text| Timestamp::parse(text).ok());
    instant.ok_or("an instant: yyyy-MM-ddTHH:mm:ssZ with or without milliseconds, or yyyy-MM-dd".into())
}

/// A whole number from 1 up.
pub(super) fn count(value: &Value<'_>) -> Read<u32> {
    let whole = as_number(value).and_then(|text| parse_decimal(text, 0).ok());
    let count = whole.and_then(|whole| u32::try_from(whole).ok()).filter(|count| *count > 0);
    count.ok_or_else(|| format!("a whole number from 1 to {}", u32::MAX).into())
}

/// An amount of money of either sign.
pub(super) fn amount(value: &Value<'_>) -> Read<Amount> {
    let amount = as_number(value).and_then(|text| Amount::parse(text).ok());
    amount.ok_or_else(|| decimal_words(AMOUNT_PLACES, ""))
}

/// An amount of money that is not negative.
pub(super) fn positive_amount(value: &Value<'_>) -> Read<Amount> {
    let amount = amount(value).ok().filter(|amount| *amount >= Amount::ZERO);
    amount.ok_or_else(|| decimal_words(AMOUNT_PLACES, ", not negative"))
}

/// A rate of either sign.
pub(super) fn rate(value: &Value<'_>) -> Read<Rate> {
    let rate = as_number(value).and_then(|text| Rate::parse(text).ok());
    rate.ok_or_else(|| decimal_words(RATE_PLACES, ""))
}

/// A rate that is not negative.
pub(super) fn positive_rate(value: &Value<'_>) -> Read<Rate> {
    let rate = rate(value).ok().filter(|rate| *rate >= Rate::ZERO);
    rate.ok_or_else(|| decimal_words(RATE_PLACES, ", not negative"))
}

/// A percentage of a whole.
pub(super) fn percentage(value: &Value<'_>) -> Read<Rate> {
    let percentage = positive_rate(value).ok().filter(|rate| rate.value() <= Decimal::ONE_HUNDRED);
    percentage.ok_or_else(|| decimal_words(RATE_PLACES, ", from 0 to 100"))
}

/// Hours or units of either sign.
pub(super) fn quantity(value: &Value<'_>) -> Read<Quantity> {
    let quantity = as_number(value).and_then(|text| Quantity::parse(text).ok());
    quantity.ok_or_else(|| decimal_words(RATE_PLACES, ""))
}

/// Hours or units that are not negative.
pub(super) fn positive_quantity(value: &Value<'_>) -> Read<Quantity> {
    let quantity = quantity(value).ok().filter(|quantity| *quantity >= Quantity::ZERO);
    quantity.ok_or_else(|| decimal_words(RATE_PLACES, ", not negative"))
}

/// A number of at most that many decimal places.
pub(super) fn number(places: u32) -> impl Fn(&Value<'_>) -> Read<Decimal> {
    move |value| {
        let number = as_number(value).and_then(|text| parse_decimal(text, places).ok());
        number.ok_or_else(|| decimal_words(places, ""))
    }
}

/// An e-mail address, as far as its shape tells.
pub(super) fn email(value: &Value<'_>) -> Read<String> {
    let email = as_text(value).filter(|text| is_email(text)).map(str::to_owned);
    email.ok_or("an e-mail address such as name@example.org".into())
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let odd = |c: char| c.is_whitespace() || c.is_control() || c == '@';
    text.chars().count() <= EMAIL
        && !local.is_empty()
        && !text.replacen('@', "", 1).contains(odd)
        && domain.split('.').all(|label| !label.is_empty())
}

/// Two digits.
pub(super) fn two_digits(value: &Value<'_>) -> Read<String> {
    let digits = as_text(value).filter(|text| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit()));
    digits.map(str::to_owned).ok_or("two digits".into())
}

/// A country: the shape of an ISO 3166-1 alpha-2 code. Which codes are in use changes with the
/// world, so that is not judged.
pub(super) fn country(value: &Value<'_>) -> Read<String> {
    let capitals = |text: &&str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let code = as_text(value).filter(capitals).map(str::to_owned);
    code.ok_or("two capital letters (ISO 3166-1 alpha-2)".into())
}

/// A state or province: the second part of an ISO 3166-2 code.
pub(super) fn subdivision(value: &Value<'_>) -> Read<String> {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let code = as_text(value).filter(|text| text.len() <= 3 && text.bytes().all(plain)).map(str::to_owned);
    code.ok_or("1 to 3 of A-Z and 0-9, the second part of an ISO 3166-2 code".into())
}

fn as_text<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The text of a number, given as a JSON number or as a string.
fn as_number<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Number(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn decimal_words(places: u32, range: &str) -> Cow<'static, str> {
    match places {
        0 => format!("a whole number{range}").into(),
        _ => format!("a decimal with at most {places} decimal places{range}").into(),
    }
}
