//! The query string, and forms, which have the same syntax: pairs in their order, decoded once.

use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

/// The parameters of a request's query.
#[derive(Debug, Default)]
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Reads a raw query; bytes that are no UTF-8 become replacement characters, which no
    /// parameter takes.
    pub(crate) fn parse(raw: &str) -> Self {
        if raw.is_empty() {
            return Self::default();
        }
        let pairs = raw.split('&').filter(|part| !part.is_empty()).map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name, true), decode(value, true))
        });
        Self { pairs: pairs.collect() }
    }

    /// The value of a parameter that may be given once.
    ///
    /// # Errors
    /// [`Reason::InvalidParameter`] when it is given several times.
    pub(crate) fn single(&self, name: &str) -> Result<Option<&str>, Violation> {
        let mut values = self.pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let first = values.next();
        if values.next().is_some() {
            let problem = format!("the query parameter {name} is given more than once");
            return Err(Violation::new(Reason::InvalidParameter, problem));
        }
        Ok(first)
    }

    /// The value of a parameter that is `true` or `false`.
    ///
    /// # Errors
    /// [`Reason::InvalidParameter`] for another value, or several.
    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>, Violation> {
        match self.single(name)? {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => {
                let problem = format!("the query parameter {name} must be true or false");
                Err(Violation::new(Reason::InvalidParameter, problem))
            }
        }
    }

    /// The value of a parameter that may be given once, with one of a few words.
    ///
    /// # Errors
    /// [`Reason::InvalidParameter`] for another value, which is named, or several.
    pub(crate) fn word<T: Copy>(
        &self,
        name: &str,
        (all, word): (&[T], fn(T) -> &'static str),
    ) -> Result<Option<T>, Violation> {
        let Some(text) = self.single(name)? else { return Ok(None) };
        let known = all.iter().find(|value| word(**value) == text).copied();
        known.map(Some).ok_or_else(|| no_word(name, text, all.iter().map(|value| word(*value))))
    }

    /// The values of a parameter that may be given several times, each time with one of a few
    /// words. What is none of them is added to the faults, by its name.
    pub(crate) fn words<T: Copy>(
        &self,
        name: &str,
        (all, word): (&[T], fn(T) -> &'static str),
        faults: &mut Vec<Violation>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        for (_, text) in self.pairs.iter().filter(|(key, _)| key == name) {
            match all.iter().find(|value| word(**value) == text) {
                Some(value) => found.push(*value),
                None => faults.push(no_word(name, text, all.iter().map(|value| word(*value)))),
            }
        }
        found
    }

    /// All parameters, in their order.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// The names of all parameters, in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(|(name, _)| name.as_str())
    }
}

/// Characters of a caller's value that are repeated to the caller: more than any word has.
const SHOWN_LENGTH: usize = 40;

/// 400 API-40 for a value that is none of the words that a parameter takes.
fn no_word<'a>(name: &str, text: &str, words: impl Iterator<Item = &'a str>) -> Violation {
    let shown: String = text.chars().take(SHOWN_LENGTH).collect();
    let words = words.collect::<Vec<_>>().join(", ");
    let problem = format!("the query parameter {name} is {shown:?}, which is none of {words}");
    Violation::new(Reason::InvalidParameter, problem)
}

/// The text without percent-encoding; in queries and forms a plus is a space.
pub(crate) fn decode(text: &str, plus_is_space: bool) -> String {
    if !text.bytes().any(|byte| byte == b'%' || byte == b'+') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match (byte, tail) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                bytes.push(hex(*high) << 4 | hex(*low));
                rest = after;
            }
            (b'+', _) if plus_is_space => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned())
}

/// The value of a hexadecimal digit.
const fn hex(digit: u8) -> u8 {
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
    fn parameters_are_decoded_and_found_by_their_exact_name() {
        let query = Query::parse("a=1%202&b=x+y&&c&A=no&d=%zz%C3%A9");
        let get = |name| query.single(name).unwrap();
        assert_eq!((get("a"), get("b"), get("c")), (Some("1 2"), Some("x y"), Some("")));
        assert_eq!((get("d"), get("e")), (Some("%zzé"), None));
    }

    #[test]
    fn a_parameter_given_twice_and_a_boolean_of_another_word_are_refused() {
        let query = Query::parse("a=1&a=1&b=yes&c=true");
        assert_eq!(query.single("a").unwrap_err().reason, Reason::InvalidParameter);
        assert_eq!(query.boolean("b").unwrap_err().reason, Reason::InvalidParameter);
        assert_eq!(query.boolean("c"), Ok(Some(true)));
    }
}
