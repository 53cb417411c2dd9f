//! Reads and writes exact decimals and dates. A decimal is never converted to a float.

use rust_decimal::Decimal;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::value::RawValue;

/// Reads a decimal from its literal text: the string `"0.10"`, or the JSON number `0.10`.
fn parse(literal: &str) -> Result<Decimal, String> {
    let text = if literal.starts_with('"') {
        serde_json::from_str::<String>(literal).map_err(|error| error.to_string())?
    } else {
        literal.to_owned()
    };
    // A number with an exponent, or with more digits than the type can represent, is an error. Numbers are
    // never rounded.
    Decimal::from_str_exact(&text).map_err(|error| format!("expected a decimal, got {text:?}: {error}"))
}

/// Reads a required decimal of a response.
pub(crate) mod decimal {
    use super::{Decimal, Deserialize as _, Deserializer, RawValue, parse};
    use serde::de::Error as _;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        parse(raw.get()).map_err(D::Error::custom)
    }
}

/// Reads an optional decimal, and writes it as a JSON string.
pub(crate) mod optional_decimal {
    use super::{Decimal, Deserialize, Deserializer, RawValue, Serializer, parse};
    use serde::de::Error as _;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Decimal>, D::Error> {
        let raw = Option::<Box<RawValue>>::deserialize(deserializer)?;
        raw.map(|raw| parse(raw.get())).transpose().map_err(D::Error::custom)
    }

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<Decimal>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }
}

const DAY_FORMAT: &[time::format_description::BorrowedFormatItem<'static>] =
    time::macros::format_description!("[year]-[month]-[day]");

/// The number of characters of a day in a date or a timestamp.
const DAY_LENGTH: usize = 10;

/// Reads a day. The API writes days as `2026-06-05T00:00:00Z`.
fn parse_day(text: &str) -> Result<time::Date, String> {
    let day = text.get(..DAY_LENGTH).unwrap_or(text);
    time::Date::parse(day, DAY_FORMAT).map_err(|error| format!("expected a date, got {text:?}: {error}"))
}

/// Reads a required day of a response. A day is a date without a time.
pub(crate) mod day {
    use super::{Deserialize, Deserializer, parse_day};
    use serde::de::Error as _;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<time::Date, D::Error> {
        parse_day(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Reads an optional day, and writes it in the form `2026-06-05`.
pub(crate) mod optional_day {
    use super::{DAY_FORMAT, Deserialize, Deserializer, Serializer, parse_day};
    use serde::de::Error as _;
    use serde::ser::Error as _;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<time::Date>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| parse_day(&text)).transpose().map_err(D::Error::custom)
    }

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<time::Date>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value.map(|day| day.format(DAY_FORMAT)).transpose().map_err(S::Error::custom)? {
            Some(day) => serializer.serialize_str(&day),
            None => serializer.serialize_none(),
        }
    }
}

/// Reads an instant in the format of RFC 3339.
pub(crate) fn instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<time::OffsetDateTime, D::Error> {
    let text = String::deserialize(deserializer)?;
    time::OffsetDateTime::parse(&text, &time::format_description::well_known::Rfc3339)
        .map_err(|error| D::Error::custom(format!("expected a timestamp, got {text:?}: {error}")))
}
