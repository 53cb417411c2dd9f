//! Parses query strings and forms, which have the same syntax: name-value pairs, in order, decoded once.
//!
//! Clients write parameter names in several ways: in capitals, and as `status[]` or `status[0]` for lists. In
//! a query, such variants count as the same name. In a form, only the exact name counts, because RFC 6749
//! allows no variants.

use payroll_domain::code::Reason;
use payroll_domain::steps;
use payroll_domain::violation::Violation;

/// The parameters of a request's query.
#[derive(Debug, Default)]
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Parses a raw query. Invalid UTF-8 becomes replacement characters, which no parameter accepts.
    pub(crate) fn parse(raw: &str) -> Self {
        Self::parse_with_names(raw, normalize_name)
    }

    /// Parses a form like [`Self::parse`], but does not normalize the names.
    pub(crate) fn from_form(raw: &str) -> Self {
        Self::parse_with_names(raw, |name| percent_decode(name, true))
    }

    fn parse_with_names(raw: &str, name_of: fn(&str) -> String) -> Self {
        if raw.is_empty() {
            return Self::default();
        }
        steps::record_steps(raw.len());
        let parts = raw.split('&').filter(|part| !part.is_empty());
        let pairs = parts.map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (name_of(name), percent_decode(value, true))
        });
        Self { pairs: pairs.collect() }
    }

    /// Verifies that all parameters are known. Unknown parameters are rejected, because a misspelled filter
    /// would return all objects and a misspelled `dryrun` would execute the change.
    ///
    /// # Errors
    /// [`Reason::InvalidParameter`] with the unknown names and the known names.
    pub(crate) fn check_names(&self, known: &[&str]) -> Result<(), Violation> {
        let mut unknown: Vec<&str> =
            self.pairs.iter().map(|(name, _)| name.as_str()).filter(|name| !known.contains(name)).collect();
        unknown.truncate(MAX_SHOWN_NAMES);
        if unknown.is_empty() {
            return Ok(());
        }
        let shown: Vec<_> = unknown.into_iter().map(|name| format!("{:?}", shorten_text(name))).collect();
        let takes = if known.is_empty() { "no query parameter".to_owned() } else { known.join(", ") };
        let problem =
            format!("unknown query parameters: {}; this operation accepts {takes}", shown.join(", "));
        Err(Violation::new(Reason::InvalidParameter, problem))
    }

    /// Returns the value of a parameter that may be given at most once; `None` if it is missing.
    ///
    /// # Errors
    /// [`Reason::InvalidParameter`] if the parameter is given several times.
    pub(crate) fn single_value(&self, name: &str) -> Result<Option<&str>, Violation> {
        let mut values = self.pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let first = values.next();
        if values.next().is_some() {
            let problem = format!("the query parameter {name} is given more than once");
            return Err(Violation::new(Reason::InvalidParameter, problem));
        }
        Ok(first)
    }

    /// Returns the value of a parameter that is `true` or `false`; `None` if it is missing.
    ///
    /// # Errors
    /// [`Reason::InvalidParameter`] if the parameter has another value or is given several times.
    pub(crate) fn boolean_value(&self, name: &str) -> Result<Option<bool>, Violation> {
        match self.single_value(name)? {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => {
                let problem = format!("the query parameter {name} must be true or false");
                Err(Violation::new(Reason::InvalidParameter, problem))
            }
        }
    }

    /// Returns the value of a parameter that accepts a fixed set of words and may be given at most once.
    ///
    /// # Errors
    /// [`Reason::InvalidParameter`] if the parameter has another value or is given several times.
    pub(crate) fn choice_value<T: Copy>(
        &self,
        name: &str,
        (all, word): (&[T], fn(T) -> &'static str),
    ) -> Result<Option<T>, Violation> {
        let Some(text) = self.single_value(name)? else { return Ok(None) };
        let known = all.iter().find(|value| word(**value) == text).copied();
        known.map(Some).ok_or_else(|| invalid_choice_fault(name, text, all.iter().map(|value| word(*value))))
    }

    /// Returns the values of a parameter that accepts a fixed set of words and may be repeated. A fault is
    /// added for each unknown word.
    pub(crate) fn choice_values<T: Copy>(
        &self,
        name: &str,
        (all, word): (&[T], fn(T) -> &'static str),
        faults: &mut Vec<Violation>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        for (_, text) in self.pairs.iter().filter(|(key, _)| key == name) {
            match all.iter().find(|value| word(**value) == text) {
                Some(value) => found.push(*value),
                None => faults.push(invalid_choice_fault(name, text, all.iter().map(|value| word(*value)))),
            }
        }
        found
    }

    /// Returns all parameters in their original order.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }
}

/// The maximum number of characters of a client's text that an error message quotes. No valid word is longer.
const MAX_SHOWN_LENGTH: usize = 40;
/// The maximum number of unknown parameter names in an error message.
const MAX_SHOWN_NAMES: usize = 5;

/// Returns the first [`MAX_SHOWN_LENGTH`] characters of a client's text.
fn shorten_text(text: &str) -> String {
    text.chars().take(MAX_SHOWN_LENGTH).collect()
}

/// Returns the normalized name of a query parameter: decoded, in lower case, and without the brackets of a
/// list (`[]`, `[0]`).
pub(crate) fn normalize_name(written: &str) -> String {
    let mut name = percent_decode(written, true).to_ascii_lowercase();
    let list = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    if let Some((base, _)) = list.filter(|(_, place)| place.bytes().all(|byte| byte.is_ascii_digit())) {
        let length = base.len();
        name.truncate(length);
    }
    name
}

/// Returns 400 API-40 for a value that the parameter does not accept.
fn invalid_choice_fault<'a>(name: &str, text: &str, words: impl Iterator<Item = &'a str>) -> Violation {
    let shown = shorten_text(text);
    let words = words.collect::<Vec<_>>().join(", ");
    let problem = format!("the query parameter {name} is {shown:?}, and must be one of {words}");
    Violation::new(Reason::InvalidParameter, problem)
}

/// Decodes percent-encoding. In queries and forms, `+` is a space.
pub(crate) fn percent_decode(text: &str, plus_is_space: bool) -> String {
    steps::record_steps(text.len());
    if !text.bytes().any(|byte| byte == b'%' || byte == b'+') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match (byte, tail) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                bytes.push(hex_value(*high) << 4 | hex_value(*low));
                rest = after;
            }
            (b'+', _) if plus_is_space => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned())
}

/// Returns the value of a hexadecimal digit.
const fn hex_value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit.wrapping_sub(b'A').wrapping_add(10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_found_by_their_name() {
        let query = Query::parse("a=1%202&b=x+y&&c&d=%zz%C3%A9");
        let get = |name| query.single_value(name).unwrap();
        assert_eq!((get("a"), get("b"), get("c")), (Some("1 2"), Some("x y"), Some("")));
        assert_eq!((get("d"), get("e")), (Some("%zzé"), None));
    }

    #[test]
    fn a_parameter_name_ignores_case_and_list_brackets() {
        for written in ["status", "STATUS", "Status", "status[]", "status[0]", "status[12]", "Status%5B%5D"] {
            assert_eq!(
                Query::parse(&format!("{written}=A")).single_value("status"),
                Ok(Some("A")),
                "{written}"
            );
        }
        for written in ["status[a]", "status[", "status]", "[status]", "status[-1]", "status[][]"] {
            assert_eq!(Query::parse(&format!("{written}=A")).single_value("status"), Ok(None), "{written}");
        }
        assert!(Query::parse("a=1&A=2").single_value("a").is_err(), "two of one name");
        assert_eq!(Query::from_form("Scope=a&scope[]=b").single_value("scope"), Ok(None));
    }

    #[test]
    fn an_unknown_parameter_is_rejected_with_the_known_names() {
        let query = Query::parse("limit=1&Employee=1003&\"x=2");
        assert_eq!(query.check_names(&["limit", "employee", "\"x"]), Ok(()));
        let reported = |known: &[&str]| query.check_names(known).unwrap_err().description;
        assert_eq!(
            reported(&["employeeid", "limit"]),
            r#"unknown query parameters: "employee", "\"x"; this operation accepts employeeid, limit"#
        );
        assert!(reported(&[]).ends_with("accepts no query parameter"));
        let long = Query::parse(&"x".repeat(10_000)).check_names(&[]).unwrap_err();
        assert!(long.description.len() < 200);
        assert_eq!(Query::parse("").check_names(&[]), Ok(()));
    }

    #[test]
    fn duplicate_parameters_and_invalid_booleans_are_rejected() {
        let query = Query::parse("a=1&a=1&b=yes&c=true");
        assert_eq!(query.single_value("a").unwrap_err().reason, Reason::InvalidParameter);
        assert_eq!(query.boolean_value("b").unwrap_err().reason, Reason::InvalidParameter);
        assert_eq!(query.boolean_value("c"), Ok(Some(true)));
    }
}
