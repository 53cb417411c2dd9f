//! Paging: reads `offset` and `limit`, and creates the metadata and links of a page (specification §2.2,
//! §2.3, §2.6).
//!
//! The storage reports the total number of elements.

use std::num::NonZeroU32;

use payroll_domain::code::Reason;
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::{VersionScope, VersionedWindow, Window};

use crate::shared::query::{Query, normalize_name};
use crate::shared::wire::{Href, Link, Metadata, Pagination};

/// The maximum value of `offset` and of `limit`. Both are signed 32-bit integers.
const MAX_OFFSET_OR_LIMIT: u32 = i32::MAX.unsigned_abs();

/// The maximum size of a page whose entity tag is computed from its elements. The storage reads this many
/// elements at once. A larger page uses the entity tag of the complete list.
const MAX_TAGGED_PAGE_SIZE: u32 = 250;

/// The query parameters for paging.
pub(crate) const PARAMETERS: &[&str] = &["offset", "limit"];

/// The characters besides letters and digits that need no escaping in a query.
const UNESCAPED_CHARACTERS: &[u8] = b"-._~!$&'()*+,;=:@/?";

/// The requested part of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestedPage {
    window: Window,
    /// Whether the request contains `offset` or `limit`. If so, the response describes the page.
    is_requested: bool,
    /// The scope of the entity tag: this page or the complete list.
    tag: VersionScope,
}

impl RequestedPage {
    /// Reads `offset` and `limit`. If the limit is missing or 0, the page contains all elements from the
    /// offset on.
    ///
    /// # Errors
    /// A fault for each parameter that is given twice or is not an integer from 0 to 2147483647.
    pub(crate) fn read(query: &Query) -> Result<Self, Violations> {
        match (read_number(query, "offset"), read_number(query, "limit")) {
            (Ok(offset), Ok(limit)) => {
                let window = Window { offset: offset.unwrap_or(0), limit: limit.and_then(NonZeroU32::new) };
                let is_requested = offset.is_some() || limit.is_some();
                Ok(Self { window, is_requested, tag: VersionScope::List })
            }
            (Err(fault), limit) => Err(Violations::from(fault).with_faults(limit.err())),
            (Ok(_), Err(fault)) => Err(fault.into()),
        }
    }

    /// Reads a page like [`Self::read`], and adds the faults that were found in other parameters.
    ///
    /// # Errors
    /// All faults of the query.
    pub(crate) fn read_with_faults(query: &Query, others: Vec<Violation>) -> Result<Self, Violations> {
        match (Self::read(query), Violations::from_faults(others)) {
            (read, None) => read,
            (Ok(_), Some(others)) => Err(others),
            (Err(own), Some(others)) => Err(others.with_faults(own)),
        }
    }

    /// Makes the entity tag depend on the elements of this page, if the page is short and the list is not
    /// filtered. Otherwise the tag depends on the complete list. Call this function only for lists that
    /// support such tags.
    pub(crate) fn with_page_etag(self, is_filtered: bool) -> Self {
        let is_short = self.window.limit.is_some_and(|limit| limit.get() <= MAX_TAGGED_PAGE_SIZE);
        let tag = if is_short && !is_filtered { VersionScope::Window } else { VersionScope::List };
        Self { tag, ..self }
    }

    /// Whether the entity tag covers the complete list and is thus independent of the elements of the page.
    pub(crate) fn has_list_etag(self) -> bool {
        self.tag == VersionScope::List
    }

    /// Returns the offset and the limit for reading from the storage. For a response without a body, no
    /// elements are read if the entity tag does not depend on the page.
    pub(crate) fn window_for_response(self, without_body: bool) -> Window {
        if without_body && self.has_list_etag() { Window::HEAD_ONLY } else { self.window }
    }

    /// Combines the offset and limit (`window`) with the scope of the version to read: this page or the
    /// complete list.
    pub(crate) fn versioned_window(self, window: Window) -> VersionedWindow {
        VersionedWindow { window, version: self.tag }
    }

    /// Returns the metadata of this page of a collection.
    pub(crate) fn metadata(self, total: u64) -> Metadata {
        let pagination = Pagination {
            offset: self.window.offset,
            limit: self.window.limit.map_or(0, NonZeroU32::get),
            item_count: total,
            total,
        };
        Metadata {
            content_item_count: self.window.elements_in_window(total),
            pagination: self.is_requested.then_some(pagination),
        }
    }

    /// Returns the links of this page of a collection: to itself and, with a limit, to the neighbouring
    /// pages.
    pub(crate) fn links(self, address: &CollectionUrl<'_>, total: u64) -> Vec<Link<'static>> {
        let mut links = vec![Link::to_self(Href::Complete(address.self_url()))];
        let Some(limit) = self.window.limit.map(NonZeroU32::get) else { return links };
        let offset = self.window.offset;
        let mut add_link =
            |rel, offset| links.push(Link { rel, href: Href::Complete(address.page_url(offset, limit)) });
        // The response contains no link to the next page if the offset of that page would exceed the
        // maximum.
        let next = offset.saturating_add(limit);
        if next <= MAX_OFFSET_OR_LIMIT && u64::from(next) < total {
            add_link("next", next);
        }
        if offset > 0 {
            add_link("previous", offset.saturating_sub(limit));
        }
        links
    }
}

/// The URL of a collection as the client sent it. Invalid characters are escaped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CollectionUrl<'a> {
    /// The base URL of all links, without a slash at its end.
    pub(crate) base: &'a str,
    /// The path of the URL as the client sent it.
    pub(crate) path: &'a str,
    /// The query of the URL as the client sent it, without the question mark.
    pub(crate) query: &'a str,
}

impl CollectionUrl<'_> {
    /// Returns the URL of the request itself.
    pub(crate) fn self_url(&self) -> String {
        let separator = if self.query.is_empty() { "" } else { "?" };
        format!("{}{}{separator}{}", self.base, self.path, escape_query(self.query))
    }

    /// Returns the URL of the request with another value for a parameter. The value must not contain
    /// characters that need escaping.
    pub(crate) fn with_parameter(&self, name: &str, value: &str) -> String {
        let others = self.query.split('&').filter(|part| !part.is_empty());
        let others = others.filter(|part| parameter_name(part) != name);
        let other_parameters: String = others.flat_map(|part| [part, "&"]).collect();
        format!("{}{}?{}{name}={value}", self.base, self.path, escape_query(&other_parameters))
    }

    /// Returns the URL of another page. All other parameters are unchanged.
    fn page_url(&self, offset: u32, limit: u32) -> String {
        let others = self.query.split('&').filter(|part| !part.is_empty());
        let others = others.filter(|part| !PARAMETERS.contains(&parameter_name(part).as_str()));
        let other_parameters: String = others.flat_map(|part| [part, "&"]).collect();
        format!("{}{}?{}offset={offset}&limit={limit}", self.base, self.path, escape_query(&other_parameters))
    }
}

/// Returns the normalized parameter name in one part of a query.
fn parameter_name(part: &str) -> String {
    normalize_name(part.split('=').next().unwrap_or_default())
}

/// Converts a query to an equivalent one that conforms to RFC 3986, section 3.4. Clients send invalid
/// queries, for example with an unescaped `%`, and links must still be valid.
fn escape_query(query: &str) -> String {
    let mut escaped = String::with_capacity(query.len());
    for (at, byte) in query.bytes().enumerate() {
        let escapes = || query.bytes().skip(at + 1).take(2).filter(u8::is_ascii_hexdigit).count() == 2;
        match byte {
            b'%' if escapes() => escaped.push('%'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => escaped.push(char::from(byte)),
            byte if UNESCAPED_CHARACTERS.contains(&byte) => escaped.push(char::from(byte)),
            byte => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// Reads a parameter that is an integer from 0 to 2147483647.
fn read_number(query: &Query, name: &str) -> Result<Option<u32>, Violation> {
    let Some(text) = query.single_value(name)? else { return Ok(None) };
    // Only digits are accepted, because `u32::from_str` would also accept a plus sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(number) if digits && number <= MAX_OFFSET_OR_LIMIT => Ok(Some(number)),
        _ => {
            let problem =
                format!("the query parameter {name} must be an integer from 0 to {MAX_OFFSET_OR_LIMIT}");
            Err(Violation::new(Reason::InvalidParameter, problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(query: &str) -> RequestedPage {
        RequestedPage::read(&Query::parse(query)).unwrap()
    }

    fn links(query: &str, total: u64) -> Vec<String> {
        let address = CollectionUrl { base: "https://h/p", path: "/companies", query };
        let shown = |link: &Link<'_>| format!("{} {}", link.rel, link.href);
        page(query).links(&address, total).iter().map(shown).collect()
    }

    #[test]
    fn one_parameter_is_replaced_and_the_others_stay_unchanged() {
        let address = |query| CollectionUrl { base: "https://h", path: "/events", query };
        assert_eq!(address("").with_parameter("after", "x"), "https://h/events?after=x");
        let query = "after=a&a=%2f+b&&afterwards=1&AFTER&after[]=c";
        assert_eq!(
            address(query).with_parameter("after", "x"),
            "https://h/events?a=%2f+b&afterwards=1&after=x"
        );
    }

    #[test]
    fn an_absent_limit_and_zero_mean_all_elements() {
        assert_eq!(page("").window, Window { offset: 0, limit: None });
        assert_eq!(page("limit=0&offset=2147483647").window, Window { offset: 2_147_483_647, limit: None });
        assert_eq!(page("x=y&limit=007").window, Window { offset: 0, limit: NonZeroU32::new(7) });
    }

    #[test]
    fn invalid_and_duplicate_counts_are_rejected_together() {
        let bad = [
            "-1",
            "",
            "1.0",
            "1e2",
            "+1",
            "%2B1",
            "x",
            "2147483648",
            "99999999999999999999",
            "1&offset=1",
            "0x1",
        ];
        for value in bad {
            let faults = RequestedPage::read(&Query::parse(&format!("offset={value}"))).unwrap_err();
            let reasons: Vec<_> = faults.iter().map(|fault| fault.reason).collect();
            assert_eq!(reasons, [Reason::InvalidParameter], "{value}");
        }
        assert_eq!(RequestedPage::read(&Query::parse("offset=-1&limit=-1")).unwrap_err().as_slice().len(), 2);
    }

    #[test]
    fn only_a_response_with_a_page_has_pagination() {
        assert_eq!(page("").metadata(3), Metadata { content_item_count: 3, pagination: None });
        let reported = page("offset=2").metadata(3);
        let pagination = Pagination { offset: 2, limit: 0, item_count: 3, total: 3 };
        assert_eq!(reported, Metadata { content_item_count: 1, pagination: Some(pagination) });
        assert_eq!(page("offset=9&limit=2").metadata(3).content_item_count, 0);
        assert!(page("limit=0").metadata(3).pagination.is_some());
    }

    #[test]
    fn without_a_limit_the_only_link_is_the_request_itself() {
        assert_eq!(links("", 9), ["self https://h/p/companies"]);
        assert_eq!(links("offset=3&x=a%20b", 9), ["self https://h/p/companies?offset=3&x=a%20b"]);
    }

    #[test]
    fn characters_that_urls_cannot_contain_are_escaped_in_links() {
        let query = r#"a=%&b=%2x%2F&c=[|"\^`{}<>]ä&limit=2&d=%4"#;
        let escaped = "a=%25&b=%252x%2F&c=%5B%7C%22%5C%5E%60%7B%7D%3C%3E%5D%C3%A4";
        assert_eq!(
            links(query, 9),
            [
                format!("self https://h/p/companies?{escaped}&limit=2&d=%254"),
                format!("next https://h/p/companies?{escaped}&d=%254&offset=2&limit=2"),
            ]
        );
    }

    #[test]
    fn pages_link_to_their_neighbours_and_keep_other_parameters() {
        let query = "Offset=2&a=%2f+b&limit[]=4&a=";
        let expected = [
            "self https://h/p/companies?Offset=2&a=%2f+b&limit%5B%5D=4&a=".to_owned(),
            "next https://h/p/companies?a=%2f+b&a=&offset=6&limit=4".to_owned(),
            "previous https://h/p/companies?a=%2f+b&a=&offset=0&limit=4".to_owned(),
        ];
        assert_eq!(links(query, 7), expected);
    }

    #[test]
    fn the_first_page_has_no_previous_link_and_the_last_no_next_link() {
        let rels = |query: &str, total| -> Vec<String> {
            links(query, total).iter().filter_map(|link| link.split(' ').next().map(str::to_owned)).collect()
        };
        assert_eq!(rels("limit=4", 4), ["self"]);
        assert_eq!(rels("limit=4", 5), ["self", "next"]);
        assert_eq!(rels("limit=4&offset=4", 8), ["self", "previous"]);
        assert_eq!(rels("limit=4&offset=100", 8), ["self", "previous"]);
        assert_eq!(rels("limit=2147483647&offset=2147483647", u64::MAX), ["self", "previous"]);
    }

    #[test]
    fn following_the_next_links_returns_every_element_once() {
        for (total, limit) in [(0, 1), (1, 1), (7, 3), (9, 3), (10, 4), (3, 100)] {
            let (mut met, mut query) = (0, Some(format!("limit={limit}")));
            while let Some(here) = query {
                assert_eq!(met, u64::from(page(&here).window.offset), "no gap, no overlap");
                met += page(&here).metadata(total).content_item_count;
                let next = links(&here, total).into_iter().find(|link| link.starts_with("next "));
                query = next.and_then(|link| link.split_once('?').map(|(_, query)| query.to_owned()));
            }
            assert_eq!(met, total, "pages of {limit}");
        }
    }
}
