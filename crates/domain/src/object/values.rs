//! Reads single values that do not occur in partners' checks. The module `input` contains the functions for
//! values that also occur in checks.

use rust_decimal::Decimal;

use crate::account::{
    ACCOUNT_LENGTH, AccountNumber, InvalidRoutingNumber, ROUTING_NUMBER_LENGTH, check_routing_number,
};
use crate::date::Timestamp;
use crate::id::MAX_ID_LENGTH;
pub(crate) use crate::input::values::{read_date, read_flag, read_id};
use crate::input::values::{read_decimal_text, read_plain_text, read_text as any_text};
use crate::input::{Node, Value};
use crate::money::{
    AMOUNT_DECIMAL_PLACES, Amount, InvalidDecimal, Quantity, RATE_DECIMAL_PLACES, Rate, parse_decimal,
};
use crate::named::NamedEnum;
use crate::rate_number::{MAX_RATE_NUMBER, RateNumber};
use crate::report::Fault;

/// The value that was read, or its fault.
pub(crate) type ReadResult<T> = Result<T, Fault>;

/// The maximum number of characters in a code or number of another system.
pub(crate) const MAX_CODE_LENGTH: usize = 32;
/// The maximum number of characters in a name or an address line.
pub(crate) const MAX_NAME_CHARACTERS: usize = 100;
/// The maximum number of characters in a general ledger account, which is a number or a short name.
pub(crate) const MAX_ACCOUNT_LENGTH: usize = 40;
/// The maximum number of characters in a note.
pub(crate) const MAX_NOTE_LENGTH: usize = 500;
/// The highest priority number of a worker's direct deposits. The deposit for the remainder must have this
/// number.
pub(crate) const LOWEST_DEPOSIT_PRIORITY: u32 = 99;
/// The highest position of a status among the statuses of one day. A day has far fewer statuses.
pub(crate) const MAX_STATUS_POSITION: u32 = 9_999;
/// The maximum number of levels of organizations. The maximum limits the steps from an organization to its
/// ancestors.
pub(crate) const MAX_ORGANIZATION_LEVELS: u32 = 100;
/// The maximum number of segments in a job's number. The resource has one member for each segment.
pub(crate) const MAX_SEGMENTS: u32 = 3;
/// The maximum number of characters in a segment, which equals [`MAX_CODE_LENGTH`].
pub(crate) const MAX_SEGMENT_LENGTH: u32 = 32;
/// The maximum size of a worker's file in bytes.
#[cfg(feature = "server")]
pub(crate) const MAX_FILE_BYTES: u32 = 10 * 1024 * 1024;
/// The maximum number of characters in an e-mail address (RFC 5321: a path without its brackets).
pub(crate) const MAX_EMAIL_LENGTH: usize = 254;

/// Reads a rate number from `RATE_1` to `RATE_25`.
pub(crate) fn read_rate_number(node: &Node<'_>) -> ReadResult<RateNumber> {
    let spelt = |number: &RateNumber| matches!(&node.value, Value::Text(text) if *text == number.to_string());
    let number = RateNumber::all().find(spelt);
    number.ok_or_else(|| Fault::invalid(format!("must be RATE_1 to RATE_{MAX_RATE_NUMBER}")))
}

/// Returns a function that reads a text of at most `max_length` characters.
pub(crate) fn text_reader(max_length: usize) -> impl Fn(&Node<'_>) -> ReadResult<String> {
    move |node| read_plain_text(node, max_length).map(str::to_owned)
}

/// Reads a value of a closed set.
pub(crate) fn read_named_value<T: NamedEnum>(node: &Node<'_>) -> ReadResult<T> {
    T::parse(any_text(node)?).ok_or_else(|| {
        let all: Vec<_> = T::ALL.iter().map(|value| value.as_str()).collect();
        Fault::invalid(format!("must be one of {}", all.join(", ")))
    })
}

/// Reads a word of an open set, such as a product code.
pub(crate) fn read_open_enumeration_word(node: &Node<'_>) -> ReadResult<String> {
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let right = |text: &str| text.len() <= MAX_ID_LENGTH && text.bytes().all(allowed);
    read_matching_text(node, right, &format!("must be 1 to {MAX_ID_LENGTH} of A-Z, 0-9 and _"))
}

/// Reads a text of two digits.
pub(crate) fn read_two_digit_text(node: &Node<'_>) -> ReadResult<String> {
    let right = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    read_matching_text(node, right, "must be two digits")
}

/// Reads the routing number of a bank.
pub(crate) fn read_routing_number(node: &Node<'_>) -> ReadResult<String> {
    let text = any_text(node)?;
    match check_routing_number(text) {
        Ok(()) => Ok(text.to_owned()),
        Err(InvalidRoutingNumber::Digits) => {
            Err(Fault::invalid(format!("must be {ROUTING_NUMBER_LENGTH} digits")))
        }
        Err(InvalidRoutingNumber::Checksum) => Err(Fault::invalid("must have a valid checksum")),
    }
}

/// Reads the number of a bank account. A fault does not repeat the number.
pub(crate) fn read_account_number(node: &Node<'_>) -> ReadResult<AccountNumber> {
    let (least, most) = (ACCOUNT_LENGTH.start(), ACCOUNT_LENGTH.end());
    AccountNumber::parse(any_text(node)?)
        .ok_or_else(|| Fault::invalid(format!("must be {least} to {most} digits, without spaces")))
}

/// Reads a country in the format of an ISO 3166-1 alpha-2 code. The code may be unassigned, because the list
/// of countries changes.
pub(crate) fn read_country(node: &Node<'_>) -> ReadResult<String> {
    let right = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    read_matching_text(node, right, "must be two capital letters (ISO 3166-1 alpha-2)")
}

/// Reads a state or province: the second part of an ISO 3166-2 code.
pub(crate) fn read_subdivision(node: &Node<'_>) -> ReadResult<String> {
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let right = |text: &str| text.len() <= 3 && text.bytes().all(allowed);
    read_matching_text(node, right, "must be 1 to 3 of A-Z and 0-9, the second part of an ISO 3166-2 code")
}

/// Reads an e-mail address. Only its format is validated.
pub(crate) fn read_email(node: &Node<'_>) -> ReadResult<String> {
    read_matching_text(node, is_email_address, "must be an e-mail address such as name@example.org")
}

fn is_email_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let odd = |c: char| c == '@' || c.is_whitespace() || c.is_control();
    text.chars().count() <= MAX_EMAIL_LENGTH
        && !local.is_empty()
        && !local.contains(odd)
        && !domain.contains(odd)
        && domain.split('.').all(|label| !label.is_empty())
}

fn read_matching_text(node: &Node<'_>, is_valid: impl Fn(&str) -> bool, rule: &str) -> ReadResult<String> {
    let text = any_text(node)?;
    if is_valid(text) { Ok(text.to_owned()) } else { Err(Fault::invalid(rule)) }
}

/// Reads an instant. A date without a time means the start of the day in UTC.
pub(crate) fn read_instant(node: &Node<'_>) -> ReadResult<Timestamp> {
    let rule = "must be an instant: yyyy-MM-ddTHH:mm:ssZ with or without milliseconds, or yyyy-MM-dd";
    Timestamp::parse(any_text(node)?).map_err(|_| Fault::invalid(rule))
}

/// Returns a function that reads an integer from 1 to `maximum`.
pub(crate) fn count_reader(maximum: u32) -> impl Fn(&Node<'_>) -> ReadResult<u32> {
    move |node| {
        let whole =
            parse_decimal(read_decimal_text(node)?, 0).ok().and_then(|whole| u32::try_from(whole).ok());
        let count = whole.filter(|count| (1..=maximum).contains(count));
        count.ok_or_else(|| Fault::invalid(format!("must be a whole number from 1 to {maximum}")))
    }
}

/// Returns a function that reads an integer from 0 to `last`.
pub(crate) fn list_position_reader(last: u32) -> impl Fn(&Node<'_>) -> ReadResult<u32> {
    move |node| {
        let whole =
            parse_decimal(read_decimal_text(node)?, 0).ok().and_then(|whole| u32::try_from(whole).ok());
        let position = whole.filter(|position| *position <= last);
        position.ok_or_else(|| Fault::invalid(format!("must be a whole number from 0 to {last}")))
    }
}

/// The ranges of numbers, for error texts. All numbers have at most 14 digits before the decimal point.
const SIGNED_AMOUNT_RANGE: &str = " from -99999999999999.99 to 99999999999999.99";
const SIGNED_NUMBER_RANGE: &str = " from -99999999999999.9999 to 99999999999999.9999";
const AMOUNT_RANGE: &str = " from 0 to 99999999999999.99";
const NUMBER_RANGE: &str = " from 0 to 99999999999999.9999";

/// Reads an amount of money. Negative amounts are accepted, because historical data contains them.
pub(crate) fn read_signed_amount(node: &Node<'_>) -> ReadResult<Amount> {
    read_decimal_in_range(node, AMOUNT_DECIMAL_PLACES, SIGNED_AMOUNT_RANGE, Amount::parse)
}

/// Reads a rate, which may be negative.
pub(crate) fn read_signed_rate(node: &Node<'_>) -> ReadResult<Rate> {
    read_decimal_in_range(node, RATE_DECIMAL_PLACES, SIGNED_NUMBER_RANGE, Rate::parse)
}

/// Reads hours or units, which may be negative.
pub(crate) fn read_signed_quantity(node: &Node<'_>) -> ReadResult<Quantity> {
    read_decimal_in_range(node, RATE_DECIMAL_PLACES, SIGNED_NUMBER_RANGE, Quantity::parse)
}

/// Reads an amount of money of at least 0.
pub(crate) fn read_non_negative_amount(node: &Node<'_>) -> ReadResult<Amount> {
    read_decimal_in_range(node, AMOUNT_DECIMAL_PLACES, AMOUNT_RANGE, |text| {
        Amount::parse(text).and_then(require_at_least(Amount::ZERO))
    })
}

/// Reads a rate of at least 0.
pub(crate) fn read_non_negative_rate(node: &Node<'_>) -> ReadResult<Rate> {
    read_decimal_in_range(node, RATE_DECIMAL_PLACES, NUMBER_RANGE, |text| {
        Rate::parse(text).and_then(require_at_least(Rate::ZERO))
    })
}

/// Reads hours or units of at least 0.
pub(crate) fn read_non_negative_quantity(node: &Node<'_>) -> ReadResult<Quantity> {
    read_decimal_in_range(node, RATE_DECIMAL_PLACES, NUMBER_RANGE, |text| {
        Quantity::parse(text).and_then(require_at_least(Quantity::ZERO))
    })
}

/// Reads a number that is not money and may be negative.
pub(crate) fn read_number(node: &Node<'_>) -> ReadResult<Decimal> {
    read_decimal_in_range(node, RATE_DECIMAL_PLACES, SIGNED_NUMBER_RANGE, |text| {
        parse_decimal(text, RATE_DECIMAL_PLACES)
    })
}

/// Reads a percentage from 0 to 100.
pub(crate) fn read_percentage(node: &Node<'_>) -> ReadResult<Rate> {
    let most = |rate: Rate| {
        if rate.value() > Decimal::ONE_HUNDRED { Err(InvalidDecimal::Magnitude) } else { Ok(rate) }
    };
    read_decimal_in_range(node, RATE_DECIMAL_PLACES, " from 0 to 100", |text| {
        Rate::parse(text).and_then(require_at_least(Rate::ZERO)).and_then(most)
    })
}

fn require_at_least<T: PartialOrd>(minimum: T) -> impl FnOnce(T) -> Result<T, InvalidDecimal> {
    move |value| if value < minimum { Err(InvalidDecimal::Magnitude) } else { Ok(value) }
}

fn read_decimal_in_range<T>(
    node: &Node<'_>,
    decimal_places: u32,
    range: &str,
    parse: impl FnOnce(&str) -> Result<T, InvalidDecimal>,
) -> ReadResult<T> {
    parse(read_decimal_text(node)?).map_err(|_| match decimal_places {
        0 => Fault::invalid(format!("must be a whole number{range}")),
        _ => Fault::invalid(format!("must be a decimal{range} with at most {decimal_places} decimal places")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_texts_state_the_ranges_of_the_types() {
        for (range, places) in
            [(SIGNED_AMOUNT_RANGE, 2), (AMOUNT_RANGE, 2), (SIGNED_NUMBER_RANGE, 4), (NUMBER_RANGE, 4)]
        {
            let (least, most) = range.strip_prefix(" from ").unwrap().split_once(" to ").unwrap();
            assert!(parse_decimal(least, places).is_ok() && parse_decimal(most, places).is_ok(), "{range}");
            assert_eq!(parse_decimal("100000000000000", places), Err(InvalidDecimal::Magnitude));
        }
    }
}
