//! Entity tags for conditional requests (specification §2.5). A weak entity tag is computed from the data
//! that determine the response, not from its body. A streamed response therefore has an entity tag before its
//! first byte. A strong entity tag is the version of one object.

use std::fmt::Write;

use payroll_domain::access::Scopes;
use payroll_domain::date::Date;
use payroll_domain::steps;
use sha2::{Digest, Sha256};

/// The data that determine the content of a response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EtagInputs<'a> {
    /// The version of the stored data. Each change that can be visible in the response increases this
    /// version.
    pub(crate) stored_version: i64,
    /// The date, if the response depends on the current day.
    pub(crate) day: Option<Date>,
    /// The id of the application that sent the request. The id is included because applications see different
    /// data.
    pub(crate) application: &'a str,
    /// The version of the application's grants and settings. Each change to the grants or settings increases
    /// this version.
    pub(crate) access: i64,
    /// The scopes of the token. Scopes and grants together determine which values are masked.
    pub(crate) scopes: Scopes,
    /// The base URL that links begin with.
    pub(crate) base: &'a str,
    /// The path and the query as they were sent, because links repeat them.
    pub(crate) target: &'a str,
    /// The negotiated media type of the response.
    pub(crate) media_type: &'a str,
}

/// A weak or strong entity tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EntityTag {
    is_weak: bool,
    opaque_tag: String,
}

/// The number of bytes of the hash in an entity tag. With 128 bits, a collision is practically impossible.
const HASH_BYTES: usize = 16;

impl EntityTag {
    /// Creates the weak entity tag of a response. The tag includes the version of this program, because
    /// another release may serialize the same data differently.
    pub(crate) fn new(version: &EtagInputs<'_>) -> Self {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(bytes);
        };
        part(env!("CARGO_PKG_VERSION").as_bytes());
        part(&version.stored_version.to_be_bytes());
        part(version.day.map(|day| day.to_string()).unwrap_or_default().as_bytes());
        part(version.application.as_bytes());
        part(&version.access.to_be_bytes());
        part(version.scopes.to_string().as_bytes());
        part(version.base.as_bytes());
        part(version.target.as_bytes());
        part(version.media_type.as_bytes());
        let mut opaque = String::with_capacity(2 * HASH_BYTES);
        for byte in hash.finalize().iter().take(HASH_BYTES) {
            // The result is ignored, because writing to a string cannot fail.
            let _ = write!(opaque, "{byte:02x}");
        }
        Self { is_weak: true, opaque_tag: opaque }
    }

    /// Creates the strong entity tag for a version of one object.
    pub(crate) fn from_version(version: i64) -> Self {
        Self { is_weak: false, opaque_tag: version.to_string() }
    }

    /// Returns the value of the `ETag` header.
    pub(crate) fn header(&self) -> String {
        let prefix = if self.is_weak { "W/" } else { "" };
        format!("{prefix}\"{}\"", self.opaque_tag)
    }

    /// Whether one of the `If-None-Match` lines contains this tag. The comparison is weak, so `W/` is
    /// ignored. An invalid tag matches nothing.
    pub(crate) fn matches_if_none_match<'a>(&self, lines: impl IntoIterator<Item = &'a [u8]>) -> bool {
        lines.into_iter().any(|line| {
            steps::record_steps(line.len());
            let line = String::from_utf8_lossy(line);
            // A header line is split at its commas. The entity tags of this server contain no comma, so
            // they stay complete. An entity tag of another server with a comma never matches.
            line.trim() == "*"
                || line.split(',').any(|element| self.matches(element.trim_matches([' ', '\t'])))
        })
    }

    fn matches(&self, element: &str) -> bool {
        let tag = element.strip_prefix("W/").unwrap_or(element);
        let opaque = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
        opaque == Some(self.opaque_tag.as_str())
    }
}

/// The factor of the first version in [`combine_versions`]. With an odd factor whose set bits are spread over
/// 64 bits, different pairs of small versions have different results.
const VERSION_MULTIPLIER: i64 = 0x1E37_79B9_7F4A_7C15;

/// Combines two versions into one. The result changes if either version changes. If both versions change, the
/// two changes do not cancel each other.
pub(crate) const fn combine_versions(first: i64, second: i64) -> i64 {
    first.wrapping_mul(VERSION_MULTIPLIER).wrapping_add(second)
}

/// Returns the version of a list from a hash of its rows. Use this version for lists that have no stored
/// version.
pub(crate) fn compute_rows_version(rows: &[impl AsRef<[u8]>]) -> i64 {
    let mut hash = Sha256::new();
    for row in rows {
        hash.update(row.as_ref());
    }
    let hash: [u8; 32] = hash.finalize().into();
    hash.first_chunk().map_or(0, |first| i64::from_be_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use payroll_domain::access::Scope;

    const ETAG_INPUTS: EtagInputs<'_> = EtagInputs {
        stored_version: 1,
        day: None,
        application: "app",
        access: 2,
        scopes: Scopes::NONE,
        base: "http://h",
        target: "/companies?limit=1",
        media_type: "application/json",
    };

    fn sample_tag() -> EntityTag {
        EntityTag::new(&ETAG_INPUTS)
    }

    fn matches_header_lines(lines: &[&str]) -> bool {
        sample_tag().matches_if_none_match(lines.iter().map(|line| line.as_bytes()))
    }

    #[test]
    fn an_etag_is_weak_and_unchanged_while_the_data_is_unchanged() {
        let header = sample_tag().header();
        assert!(header.starts_with("W/\"") && header.ends_with('"') && header.len() == 36, "{header}");
        assert_eq!(sample_tag(), sample_tag());
    }

    #[test]
    fn an_etag_depends_on_everything_that_changes_the_response() {
        let scopes: Scopes = [Scope::ReadTaxIds].into_iter().collect();
        let others = [
            EtagInputs { stored_version: 2, ..ETAG_INPUTS },
            EtagInputs { day: payroll_domain::date::parse_date("2026-05-12").ok(), ..ETAG_INPUTS },
            EtagInputs { application: "other", ..ETAG_INPUTS },
            EtagInputs { access: 3, ..ETAG_INPUTS },
            EtagInputs { scopes, ..ETAG_INPUTS },
            EtagInputs { base: "http://", target: "h/companies?limit=1", ..ETAG_INPUTS },
            EtagInputs { target: "/companies?limit=2", ..ETAG_INPUTS },
            EtagInputs { media_type: "application/vnd.vendor.companies.v1+json", ..ETAG_INPUTS },
        ];
        for other in others {
            assert_ne!(EntityTag::new(&other), sample_tag(), "{other:?}");
        }
    }

    #[test]
    fn etags_are_compared_weakly_in_lists_and_over_several_lines() {
        let weak = sample_tag().header();
        let strong = weak.trim_start_matches("W/").to_owned();
        for line in [&weak, &strong, "*", &format!("\"a,b\", {weak}"), &format!(" {strong} ,W/\"x\"")] {
            assert!(matches_header_lines(&[line]), "{line}");
        }
        assert!(matches_header_lines(&["\"x\"", &weak]));
    }

    #[test]
    fn different_and_malformed_etags_do_not_match() {
        let bare = sample_tag().header().replace(['W', '/', '"'], "");
        for line in
            ["", "\"x\"", "W/\"x\"", &bare, &format!("w/\"{bare}\""), &format!("\"{bare}"), "**", "\"a,*,b\""]
        {
            assert!(!matches_header_lines(&[line]), "{line}");
        }
        assert!(!matches_header_lines(&[]));
    }
}
