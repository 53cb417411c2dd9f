//! Masks tax identities, account numbers, birth dates, uploaded files and secrets in a query or a document.
//!
//! The document need not be valid JSON, because a syntax error is a common reason for a failed request.

/// The replacement of a masked value.
const MASKED_TEXT: &str = "*****";

/// Substrings of the names of members whose values are masked, in lower case.
const SENSITIVE_NAMES: [&str; 11] = [
    "legalidvalue",
    "lastfour",
    "ssn",
    "content",
    "image",
    "accountnumber",
    "routingnumber",
    "birthdate",
    "password",
    "secret",
    "token",
];

/// The beginning of an escape such as `\u0041`. A member whose name contains an escape is masked.
const UNICODE_ESCAPE: &str = "\\u";
/// The beginning of an escaped digit such as `\u0031`. A string with an escaped digit is masked completely.
const ESCAPED_DIGIT_PREFIX: &str = "\\u003";

/// The number of digits of a tax identity.
const DIGITS_OF_TAX_ID: usize = 9;

/// Masks the values in a JSON document. The document may be invalid.
pub(super) fn mask_document(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut name = MaskingMode::TaxIdsOnly;
    // The closing brackets of the open objects and arrays in the value of a sensitive member. A bracket that
    // does not match closes nothing, so the rest of an invalid value remains masked.
    let mut closing = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '"' => rest.split_at(end_of_string(rest)),
            '{' | '}' | '[' | ']' | ':' | ',' => rest.split_at(1),
            _ => rest.split_at(end_of_scalar(rest)),
        };
        rest = after;
        let is_inside = !closing.is_empty();
        match first {
            '{' if is_inside || name == MaskingMode::Complete => closing.push('}'),
            '[' if is_inside || name == MaskingMode::Complete => closing.push(']'),
            _ => drop(closing.pop_if(|expected| *expected == first)),
        }
        if first == '"' && rest.trim_start().starts_with(':') {
            if is_inside {
                push_name_in_sensitive_object(&mut out, token);
            } else {
                name = MaskingMode::from_token(token);
                push_without_tax_ids(&mut out, token);
            }
        } else if first == '"' && MaskingMode::from_token(token) == MaskingMode::Complete {
            // A string with a sensitive name could be the name of a member even without a colon after it,
            // because the document may be invalid. The value that follows is therefore masked.
            push_value(&mut out, token, name);
            name = MaskingMode::Complete;
        } else if is_not_a_json_token(first, token) {
            let is_name = rest.trim_start().starts_with(':');
            name = push_outside_json(&mut out, token, name, is_name && !is_inside);
        } else if matches!(first, '{' | '}') && closing.is_empty() {
            name = MaskingMode::TaxIdsOnly;
            out.push(first);
        } else {
            push_value(&mut out, token, name);
        }
    }
    out
}

/// Masks the values of the parameters in a URL query.
pub(super) fn mask_query(text: &str) -> String {
    let pairs = text.split('&').map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        let mut out = pair.strip_suffix(value).unwrap_or_default().to_owned();
        push_value(&mut out, value, MaskingMode::from_token(name));
        out
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// The way to mask the value of a member. The name of the member determines the mode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MaskingMode {
    /// The complete value of the member is masked.
    Complete,
    /// The value is the id of an object. Ids are not masked, although an id may have as many digits as a
    /// tax identity.
    Id,
    TaxIdsOnly,
}

impl MaskingMode {
    fn from_token(token: &str) -> Self {
        if token.contains(UNICODE_ESCAPE) {
            return Self::Complete;
        }
        let letters = token.chars().filter(|letter| letter.is_ascii_alphanumeric());
        let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        if SENSITIVE_NAMES.iter().any(|part| name.contains(part)) {
            Self::Complete
        } else if name.ends_with("id") && name != "legalid" {
            Self::Id
        } else {
            Self::TaxIdsOnly
        }
    }
}

/// Appends a token of a value. `name` is the masking mode, which the name of the member determines.
fn push_value(out: &mut String, token: &str, name: MaskingMode) {
    let is_value = token.contains(|letter: char| letter.is_alphanumeric());
    match name {
        MaskingMode::Complete if is_value && token.starts_with('"') => {
            out.extend(["\"", MASKED_TEXT, "\""]);
        }
        MaskingMode::Complete if is_value => out.push_str(MASKED_TEXT),
        MaskingMode::TaxIdsOnly if has_escaped_tax_id(token) => out.extend(["\"", MASKED_TEXT, "\""]),
        MaskingMode::TaxIdsOnly => push_without_tax_ids(out, token),
        MaskingMode::Complete | MaskingMode::Id => out.push_str(token),
    }
}

/// Whether a string may contain a tax identity whose digits or separators are written as escapes.
fn has_escaped_tax_id(token: &str) -> bool {
    if !token.contains(UNICODE_ESCAPE) {
        return false;
    }
    let has_tax_id = |text: String| {
        let mut masked = String::new();
        push_without_tax_ids(&mut masked, &text);
        masked != text
    };
    token.contains(ESCAPED_DIGIT_PREFIX) || serde_json::from_str(token).is_ok_and(has_tax_id)
}

/// Returns whether a token is invalid in JSON. Examples are a name and a text without double quotes.
fn is_not_a_json_token(first: char, token: &str) -> bool {
    let text = token.trim();
    let is_literal = matches!(text, "" | "true" | "false" | "null");
    !matches!(first, '"' | '{' | '}' | '[' | ']' | ':' | ',')
        && !is_literal
        && serde_json::from_str::<serde_json::Number>(text).is_err()
}

/// Appends a token that is not part of JSON. Names and values cannot be distinguished here, so every digit is
/// masked. Returns the mode for the value that follows.
fn push_outside_json(out: &mut String, token: &str, name: MaskingMode, is_name: bool) -> MaskingMode {
    let own = MaskingMode::from_token(token);
    if name == MaskingMode::Complete && !is_name && own != MaskingMode::Complete {
        push_value(out, token, name);
        return name;
    }
    out.extend(token.chars().map(|letter| if letter.is_numeric() { '*' } else { letter }));
    if is_name || own == MaskingMode::Complete { own } else { name }
}

/// Appends the name of a member inside a sensitive object. A name with digits is masked, because such a
/// name may be the sensitive value itself.
fn push_name_in_sensitive_object(out: &mut String, token: &str) {
    let has_digits = token.contains(|letter: char| letter.is_numeric());
    if has_digits { out.extend(["\"", MASKED_TEXT, "\""]) } else { out.push_str(token) }
}

/// Returns the end of the string at the beginning of a text, or the end of the text if the string is
/// unterminated.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the end of the number, word or white space at the beginning of a text.
fn end_of_scalar(text: &str) -> usize {
    text.find(['"', '{', '}', '[', ']', ':', ',']).unwrap_or(text.len())
}

/// Appends a text, and masks digits that have the form of a tax identity, `219099999` or `219-09-9999`.
fn push_without_tax_ids(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, digits) = rest.split_at(start);
        out.push_str(before);
        let tax_id = end_of_tax_id(digits);
        let (digits, after) = digits.split_at(tax_id.unwrap_or_else(|| count_digits(digits)));
        out.push_str(if tax_id.is_some() { MASKED_TEXT } else { digits });
        rest = after;
    }
    out.push_str(rest);
}

/// Returns the end of the tax identity at the beginning of a text, if there is one.
fn end_of_tax_id(text: &str) -> Option<usize> {
    match count_digits(text) {
        DIGITS_OF_TAX_ID => return Some(DIGITS_OF_TAX_ID),
        3 => {}
        _ => return None,
    }
    let mut end = 3;
    for length in [2, 4] {
        let separator = text.get(end..)?.chars().next().filter(|letter| is_separator(*letter))?;
        end += separator.len_utf8();
        if count_digits(text.get(end..)?) != length {
            return None;
        }
        end += length;
    }
    Some(end)
}

/// Whether a character may separate the parts of a tax identity, such as a hyphen or a space.
fn is_separator(letter: char) -> bool {
    !letter.is_alphanumeric() && letter != '"'
}

/// Returns the text without digits at its end, and without the separators before, between and after them.
pub(super) fn without_last_digits(text: &str) -> &str {
    text.trim_end_matches(|letter: char| letter.is_ascii_digit() || is_separator(letter))
}

/// Returns the number of digits at the beginning of a text.
fn count_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_sensitive_members_are_masked() {
        for (sent, stored) in [
            (r#"{"legalIdValue":"219099999"}"#, r#"{"legalIdValue":"*****"}"#),
            (r#"{"SSN" : 219099999, "a": 1}"#, r#"{"SSN" :*****, "a": 1}"#),
            (r#"{"accountNumber":["12","34"],"b":"c"}"#, r#"{"accountNumber":["*****","*****"],"b":"c"}"#),
            (r#"{"accountNumber":{"v":"7777123477"},"b":"c"}"#, r#"{"accountNumber":{"v":"*****"},"b":"c"}"#),
            (
                r#"{"accountNumber":[[1],{"v":{"id":12,"w":["x",true]},"u":"y"},"z"],"b":["c"]}"#,
                r#"{"accountNumber":[[*****],{"v":{"id":*****,"w":["*****",*****]},"u":"*****"},"*****"],"b":["c"]}"#,
            ),
            (r#"[{"ssn":{}},{"a":{"b":"c"}}]"#, r#"[{"ssn":{}},{"a":{"b":"c"}}]"#),
            (r#"{"birthDate":"1990-02-04"}"#, r#"{"birthDate":"*****"}"#),
            (
                r#"{"name":"a.txt","content":"RGVhciBBbm4=","image":"iVBOR"}"#,
                r#"{"name":"a.txt","content":"*****","image":"*****"}"#,
            ),
            (r#"{"client_secret":"a\"b"}"#, r#"{"client_secret":"*****"}"#),
            (r#"{"legalId":{"legalIdType":"SSN"}}"#, r#"{"legalId":{"legalIdType":"SSN"}}"#),
        ] {
            assert_eq!(mask_document(sent), stored);
        }
    }

    #[test]
    fn tax_identities_are_masked_under_any_name_except_ids() {
        for (sent, stored) in [
            (r#"{"note":"his is 219-09-9999, or 219 09 9999"}"#, r#"{"note":"his is *****, or *****"}"#),
            (r#"{"legalId":"219099999"}"#, r#"{"legalId":"*****"}"#),
            (r#"[219099999, 2190999999, 21909999]"#, "[*****, 2190999999, 21909999]"),
            (r#"{"workerId":"219099999"}"#, r#"{"workerId":"219099999"}"#),
            (r#"{"note":"219.09.9999 or 219–09–9999"}"#, r#"{"note":"***** or *****"}"#),
            ("{\"note\":\"219\u{a0}09\u{a0}9999 or 219/09/9999\"}", r#"{"note":"***** or *****"}"#),
            (r#"{"note":"12/219-09-9999-5, 219-09-99990"}"#, r#"{"note":"12/*****-5, 219-09-99990"}"#),
            (r#"{"219099999":1}"#, r#"{"*****":1}"#),
            (r#"{"note":"219\u201109\u20119999"}"#, r#"{"note":"*****"}"#),
            (r#"{"note":"\u0032\u003199099999","b":"\u00fc"}"#, r#"{"note":"*****","b":"\u00fc"}"#),
            (r#"{"legalI\u0064Value":"21909","b":1}"#, r#"{"legalI\u0064Value":"*****","b":1}"#),
            (
                r#"{"checkDate":"2026-11-27","hours":"40.0000"}"#,
                r#"{"checkDate":"2026-11-27","hours":"40.0000"}"#,
            ),
        ] {
            assert_eq!(mask_document(sent), stored);
        }
    }

    #[test]
    fn non_json_documents_are_masked() {
        for (sent, stored) in [
            (r#"{"ssn":"219"#, r#"{"ssn":"*****""#),
            (r#"{"accountNumber":{"v":{"w":"77771"#, r#"{"accountNumber":{"v":{"w":"*****""#),
            (r#"{"ssn":{]"v":"77"},"w":1"#, r#"{"ssn":{]"v":"*****"},"w":1"#),
            (r#"{"ssn":{"77":"7"},"w":1"#, r#"{"ssn":{"*****":"*****"},"w":1"#),
            (r#"{"accountNumber" {"v":12345}}"#, r#"{"accountNumber" {"v":*****}}"#),
            (r#"{"accountNumber" "12345"}"#, r#"{"accountNumber" "*****"}"#),
            (r#"{"a":"ssn 219099999", "b":"c"}"#, r#"{"a":"ssn *****", "b":"c"}"#),
            ("219-09-9999", "***-**-****"),
            ("{'accountNumber': '998877665544', 'b': 12}", "{'accountNumber':*****, 'b': 12}"),
            (r#"{accountNumber:"998877665544",b:"c"}"#, r#"{accountNumber:"*****",b:"c"}"#),
            (r#"{accountNumber "998877665544"}"#, r#"{accountNumber "*****"}"#),
            (
                "{'accountNumber': {v: 77771, w: 'x'}, b: 12}",
                "{'accountNumber': {*****:*****,*****:*****}, b: 12}",
            ),
            ("{'birthDate': '1990-01-02'}", "{'birthDate':*****}"),
            ("{'note': 'account: 998877665544'}", "{'note': 'account: ************'}"),
            ("accountNumber 998877665544", "accountNumber ************"),
            ("accountNumber=998877665544&a=b", "accountNumber=************&a=b"),
            ("<routingNumber>122100024</routingNumber>", "<routingNumber>*********</routingNumber>"),
            (r#"{"a":"219099999"#, r#"{"a":"*****"#),
            ("\\\"", "\\\""),
            ("", ""),
        ] {
            assert_eq!(mask_document(sent), stored);
        }
    }

    #[test]
    fn digits_at_the_end_of_a_truncated_text_are_omitted() {
        for (text, kept) in [
            (r#"{"a":"id 52345678"#, r#"{"a":"id"#),
            (r#"{"a":"id 523-45"#, r#"{"a":"id"#),
            (r#"{"a":"b"#, r#"{"a":"b"#),
            ("123456789", ""),
        ] {
            assert_eq!(without_last_digits(text), kept);
        }
    }

    #[test]
    fn queries_are_masked() {
        assert_eq!(mask_query("legallastfour=9999&limit=10&a"), "legallastfour=*****&limit=10&a");
        assert_eq!(mask_query("q=219-09-9999&companyid=219099999"), "q=*****&companyid=219099999");
        assert_eq!(mask_query(""), "");
    }

    #[test]
    fn masking_keeps_other_text_unchanged() {
        let text = r#" {"a" : [ 1 , -2.5e3, true ], "ü": "\\", "" : null } "#;
        assert_eq!(mask_document(text), text);
    }
}
