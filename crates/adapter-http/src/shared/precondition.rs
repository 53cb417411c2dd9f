//! Reads `If-Match`, which contains the version that a change expects (specification §9.5, §10.4).

use actix_web::http::header::{HeaderMap, HeaderValue, IF_MATCH};
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

use crate::shared::error::Failure;

/// The versions that a change accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IfMatch {
    /// `*`: any stored version is accepted.
    Any,
    /// One of these versions is accepted. The list is empty if the header contains no entity tag of this
    /// server.
    Versions(Vec<i64>),
}

impl IfMatch {
    /// Reads the header `If-Match`, which may have several lines. Weak entity tags match nothing (RFC 9110,
    /// section 13.1.1).
    ///
    /// # Errors
    /// 428 API-428 if the header is missing.
    pub(crate) fn read_required(headers: &HeaderMap) -> Result<Self, Failure> {
        let mut lines =
            headers.get_all(IF_MATCH).map(|line| String::from_utf8_lossy(line.as_bytes())).peekable();
        if lines.peek().is_none() {
            return Err(Reason::PreconditionRequired.into());
        }
        let all: Vec<_> = lines.collect();
        if all.iter().any(|line| line.trim() == "*") {
            return Ok(Self::Any);
        }
        let tags = all.iter().flat_map(|line| line.split(','));
        Ok(Self::Versions(tags.filter_map(parse_version).collect()))
    }

    /// Reads the header like [`Self::read_required`], but accepts any version if the header is missing. A
    /// malformed header is still an error, because the client intended a condition.
    ///
    /// # Errors
    /// 400 API-40 if the header is malformed.
    pub(crate) fn read_optional(headers: &HeaderMap) -> Result<Self, Failure> {
        let malformed = |line: &HeaderValue| !line.to_str().is_ok_and(is_well_formed);
        if headers.get_all(IF_MATCH).any(malformed) {
            let problem = "the header If-Match must be * or ETags with commas between them";
            return Err(Violation::new(Reason::InvalidParameter, problem).into());
        }
        Ok(Self::read_required(headers).unwrap_or(Self::Any))
    }

    /// Whether the change accepts this version of the object.
    pub(crate) fn accepts(&self, version: i64) -> bool {
        match self {
            Self::Any => true,
            Self::Versions(versions) => versions.contains(&version),
        }
    }

    /// Returns the version that the object must still have when the change is stored; `None` accepts any
    /// version.
    ///
    /// # Errors
    /// 412 API-412 if the stored version is not an expected version.
    pub(crate) fn required_version(&self, stored: i64) -> Result<Option<i64>, Failure> {
        match self {
            Self::Any => Ok(None),
            Self::Versions(_) if self.accepts(stored) => Ok(Some(stored)),
            Self::Versions(_) => Err(Reason::PreconditionFailed.into()),
        }
    }
}

/// Whether a line is `*` or a comma-separated list of entity tags (RFC 9110, section 13.1.1).
fn is_well_formed(line: &str) -> bool {
    let tag = |text: &str| {
        let text = text.trim();
        let opaque = text.strip_prefix("W/").unwrap_or(text).strip_prefix('"');
        opaque.and_then(|text| text.strip_suffix('"')).is_some_and(|text| !text.contains(['"', ' ']))
    };
    line.trim() == "*" || line.split(',').all(tag)
}

/// Returns the version in a strong entity tag of this server; `None` for other entity tags.
fn parse_version(tag: &str) -> Option<i64> {
    tag.trim().strip_prefix('"')?.strip_suffix('"')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Option<IfMatch> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IF_MATCH, HeaderValue::from_str(line).unwrap());
        }
        IfMatch::read_required(&headers).ok()
    }

    #[test]
    fn a_strong_etag_is_a_version_and_an_asterisk_is_any_version() {
        assert_eq!((read(&[]), IfMatch::read_optional(&HeaderMap::new()).ok()), (None, Some(IfMatch::Any)));
        assert_eq!(read(&[" * "]), Some(IfMatch::Any));
        assert_eq!(read(&["\"12\""]), Some(IfMatch::Versions(vec![12])));
        assert_eq!(read(&["\"12\", \"x\"", "\"13\""]), Some(IfMatch::Versions(vec![12, 13])));
    }

    #[test]
    fn an_optional_precondition_must_be_well_formed() {
        for good in ["*", "\"12\"", "W/\"12\", \"\"", " \"1\" , \"x\" "] {
            assert!(is_well_formed(good), "{good}");
        }
        for bad in ["", "{}", "12", "\"12", "\"1\",", "\"1\"\"2\"", "**", "w/\"1\""] {
            assert!(!is_well_formed(bad), "{bad}");
        }
    }

    #[test]
    fn foreign_and_weak_etags_match_no_version() {
        for line in ["", "12", "W/\"12\"", "\"12", "\"x\"", "\"\""] {
            assert_eq!(read(&[line]), Some(IfMatch::Versions(Vec::new())), "{line}");
        }
    }
}
