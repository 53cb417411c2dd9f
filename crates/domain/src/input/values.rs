//! Reads single values of a document into domain types. The description of a fault contains the allowed form.

use super::{Node, Value};
use crate::code::Reason;
use crate::date::{Date, parse_date};
use crate::id::{Id, MAX_ID_LENGTH};
use crate::money::{Amount, InvalidDecimal, Quantity, Rate};
use crate::report::Fault;

pub(crate) fn read_text<'n>(node: &'n Node<'n>) -> Result<&'n str, Fault> {
    match &node.value {
        Value::Text(text) => Ok(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(Fault::invalid("must be a string"))
        }
    }
}

/// Reads the value `true` or `false`.
pub(crate) fn read_flag(node: &Node<'_>) -> Result<bool, Fault> {
    match &node.value {
        Value::Bool(flag) => Ok(*flag),
        Value::Null | Value::Number(_) | Value::Text(_) | Value::Array(_) | Value::Object(_) => {
            Err(Fault::invalid("must be true or false"))
        }
    }
}

/// Reads an array of values.
pub(crate) fn read_array<'n>(node: &'n Node<'n>) -> Result<&'n [Node<'n>], Fault> {
    match &node.value {
        Value::Array(elements) => Ok(elements),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Object(_) => {
            Err(Fault::invalid("must be an array"))
        }
    }
}

/// Reads an id of the form that [`Id::parse`] accepts.
pub(crate) fn read_id<K>(node: &Node<'_>) -> Result<Id<K>, Fault> {
    Id::parse(read_text(node)?).map_err(|_| {
        Fault::invalid(format!("must have 1 to {MAX_ID_LENGTH} of the characters A-Z, a-z, 0-9, _ and -"))
    })
}

/// Reads a string of 1 to `max_length` characters without control characters.
pub(crate) fn read_plain_text<'n>(node: &'n Node<'n>, max_length: usize) -> Result<&'n str, Fault> {
    let text = read_text(node)?;
    if text.chars().count() > max_length || text.chars().any(char::is_control) {
        return Err(Fault::invalid(format!(
            "must have 1 to {max_length} characters, none of them a control character"
        )));
    }
    Ok(text)
}

/// Reads a date without a time.
pub(crate) fn read_date(node: &Node<'_>) -> Result<Date, Fault> {
    parse_date(read_text(node)?).map_err(|_| {
        Fault::invalid("must be a date: yyyy-MM-dd, or yyyy-MM-ddTHH:mm:ssZ with or without milliseconds")
    })
}

/// Reads the literal text of a decimal: a JSON number, or a string in the same format.
pub(crate) fn read_decimal_text<'n>(node: &'n Node<'n>) -> Result<&'n str, Fault> {
    match &node.value {
        Value::Number(text) => Ok(text),
        Value::Text(text) => Ok(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            Err(Fault::invalid("must be a decimal number, plain or in a string"))
        }
    }
}

/// Reads the amount of a line. An amount that is out of range has its own error code.
pub(crate) fn read_amount(node: &Node<'_>) -> Result<Amount, Fault> {
    match Amount::parse(read_decimal_text(node)?) {
        Ok(amount) if amount.fits_check_line() => Ok(amount),
        Ok(_) | Err(InvalidDecimal::Magnitude) => Err(Fault {
            reason: Reason::AmountOutOfRange,
            description: format!("must be from 0.00 to {}", Amount::MAX_OF_LINE),
        }),
        Err(fault @ (InvalidDecimal::Syntax | InvalidDecimal::Places)) => {
            Err(Fault::invalid(format!("{fault}; an amount has at most 2 decimal places")))
        }
    }
}

/// Reads a number of hours or units.
pub(crate) fn read_quantity(node: &Node<'_>) -> Result<Quantity, Fault> {
    require_range(Quantity::parse(read_decimal_text(node)?), Quantity::ZERO, Quantity::MAX_OF_LINE)
}

/// Reads a pay rate of at least 0.
pub(crate) fn read_rate(node: &Node<'_>) -> Result<Rate, Fault> {
    require_range(Rate::parse(read_decimal_text(node)?), Rate::ZERO, Rate::MAX_IN_REQUEST)
}

fn require_range<T>(value: Result<T, InvalidDecimal>, minimum: T, maximum: T) -> Result<T, Fault>
where
    T: PartialOrd + std::fmt::Display,
{
    let range = || format!("must be from 0 to {maximum} with at most 4 decimal places");
    match value {
        Ok(value) if minimum <= value && value <= maximum => Ok(value),
        Ok(_) | Err(InvalidDecimal::Magnitude) => Err(Fault::invalid(range())),
        Err(fault @ (InvalidDecimal::Syntax | InvalidDecimal::Places)) => {
            Err(Fault::invalid(format!("{fault}; it {}", range())))
        }
    }
}
