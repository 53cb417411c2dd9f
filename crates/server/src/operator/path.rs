//! Builds paths of the operator API. Ids are encoded in paths, because an id can be any text that a person
//! typed.

use std::fmt::Write;

/// The prefix of every path of the operator API.
const API_ROOT: &str = "/operator/v1";

/// A path with its query, encoded for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiPath {
    text: String,
    has_query: bool,
}

/// Returns the path with these segments. The segments are encoded. An invalid id therefore leads to a missing
/// object, and never to another path of the API.
pub(crate) fn path(segments: &[&str]) -> ApiPath {
    let mut text = API_ROOT.to_owned();
    for segment in segments {
        text.push('/');
        push_encoded(&mut text, segment);
    }
    ApiPath { text, has_query: false }
}

impl ApiPath {
    /// Appends a segment to the path. Call this function before adding a query.
    pub(crate) fn join(mut self, segment: &str) -> Self {
        self.text.push('/');
        push_encoded(&mut self.text, segment);
        self
    }

    /// Appends a query parameter. Without a value, the path does not change.
    pub(crate) fn with_query(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.text.push(if self.has_query { '&' } else { '?' });
            self.text.push_str(name);
            self.text.push('=');
            push_encoded(&mut self.text, &value.to_string());
            self.has_query = true;
        }
        self
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// Appends a text with percent-encoding, except for unreserved characters (RFC 3986 §2.3). If the text
/// consists only of dots, the dots are encoded too, because a segment of dots would change the path.
fn push_encoded(text: &mut String, raw: &str) {
    let only_dots = raw.bytes().all(|byte| byte == b'.');
    for byte in raw.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' => text.push(char::from(byte)),
            b'.' if !only_dots => text.push('.'),
            // The result is ignored, because writing to a String cannot fail.
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_text_is_encoded_as_one_path_segment() {
        for (typed, sent) in [
            ("ACME-1_x", "/operator/v1/companies/ACME-1_x"),
            ("a/b?c#d", "/operator/v1/companies/a%2Fb%3Fc%23d"),
            ("..", "/operator/v1/companies/%2E%2E"),
            ("é 1", "/operator/v1/companies/%C3%A9%201"),
        ] {
            assert_eq!(path(&["companies", typed]).into_text(), sent);
        }
    }

    #[test]
    fn parameters_without_a_value_are_omitted() {
        let path = path(&["events"])
            .with_query("after", None::<&str>)
            .with_query("limit", Some(5))
            .with_query("domain", Some("A&B"));
        assert_eq!(path.into_text(), "/operator/v1/events?limit=5&domain=A%26B");
    }
}
