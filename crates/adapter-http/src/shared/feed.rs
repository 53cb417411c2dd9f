//! The event feed over HTTP (specification §9.4), for partners and operators. The callers check the
//! permissions: `partner/routes/events.rs` and `operator/events.rs`.

use std::num::NonZeroU32;

use payroll_domain::code::Reason;
use payroll_domain::event::{Event, EventDomain};
use payroll_domain::id::CompanyId;
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::events::{FeedQuery, FeedResult};

use crate::shared::cursor::CursorKind;
use crate::shared::error::Failure;
use crate::shared::etag::combine_versions;
use crate::shared::handler_result::HandlerResult;
use crate::shared::query::Query;
use crate::shared::response::GetResponse;
use crate::shared::wire::{Envelope, Href, Link, Metadata};

/// The default number of events in a response.
pub(crate) const DEFAULT_LIMIT: u32 = 100;
/// The maximum number of events in one response. The limit is needed because a response is built in memory.
pub(crate) const MAX_LIMIT: u32 = 1_000;

/// The query parameters of an event feed.
pub(crate) const PARAMETERS: &[&str] = &["after", "companyid", "domain", "limit"];

/// Reads the query of a feed, except for the company.
///
/// # Errors
/// 400 API-40 for each invalid parameter.
pub(crate) fn read_feed_query(query: &Query) -> Result<FeedQuery, Violations> {
    let after =
        parse_parameter(query, "after", "a cursor of this feed", |text| CursorKind::Event.decode(text));
    let domain = parse_parameter(query, "domain", "a domain of events", EventDomain::parse);
    match (after, domain, read_event_limit(query)) {
        (Ok(after), Ok(domain), Ok(limit)) => {
            Ok(FeedQuery { after, company_id: None, visible_companies: None, domain, limit })
        }
        (after, domain, limit) => {
            let faults = [after.err(), domain.err(), limit.err()].into_iter().flatten().collect();
            Err(Violations::from_faults(faults).unwrap_or_else(|| Reason::InvalidParameter.into()))
        }
    }
}

/// Returns the company in the query; `None` if the query has none. The inner `Err` means that the text is not
/// a valid company id.
///
/// # Errors
/// 400 API-40 if the parameter is given twice.
pub(crate) fn read_company_filter(query: &Query) -> Result<Option<Result<CompanyId, ()>>, Violation> {
    Ok(query.single_value("companyid")?.map(|text| text.parse().map_err(|_| ())))
}

/// Returns the requested number of events, from 1 to [`MAX_LIMIT`].
///
/// # Errors
/// 400 API-40 if `limit` is not a number in this range.
pub(crate) fn read_event_limit(query: &Query) -> Result<NonZeroU32, Violation> {
    read_limit(query, DEFAULT_LIMIT, MAX_LIMIT)
}

/// Returns the requested number of elements, from 1 to `maximum`; `default` if the query has no `limit`.
///
/// # Errors
/// 400 API-40 if `limit` is not a number in this range.
pub(crate) fn read_limit(query: &Query, default: u32, maximum: u32) -> Result<NonZeroU32, Violation> {
    // Only digits are accepted, because `u32::from_str` would also accept a plus sign.
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
    let rule = format!("an integer from 1 to {maximum}");
    let limit = parse_parameter(query, "limit", &rule, |text| {
        number(text).filter(|limit| *limit <= maximum).and_then(NonZeroU32::new)
    })?;
    Ok(limit.unwrap_or(NonZeroU32::MIN.saturating_add(default.saturating_sub(1))))
}

/// Reads a parameter that may be given at most once. Returns `None` if the query does not contain it.
///
/// # Errors
/// 400 API-40 if the parameter is given twice or its value is invalid.
pub(crate) fn parse_parameter<T>(
    query: &Query,
    name: &str,
    must_be: &str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Violation> {
    let Some(text) = query.single_value(name)? else { return Ok(None) };
    let wrong =
        || Violation::new(Reason::InvalidParameter, format!("the query parameter {name} must be {must_be}"));
    read(text).map(Some).ok_or_else(wrong)
}

/// Returns the value of a parameter. If the value is invalid, the fault is added to `faults`, and the result
/// is `None`.
pub(crate) fn collect_fault<T>(read: Result<T, Violation>, faults: &mut Vec<Violation>) -> Option<T> {
    read.map_err(|fault| faults.push(fault)).ok()
}

/// Returns the version of these events, from which the entity tag is computed. The version depends on the
/// next cursor and also on the first event, because deletion of old events changes the response.
pub(crate) fn feed_version(feed: &FeedResult) -> i64 {
    match feed {
        FeedResult::TooOld => 0,
        FeedResult::Events { events, next } => {
            let first = events.first().map_or(0, |event| event.position);
            // If the next cursor and the position of the first event both change, the two changes must not
            // cancel each other. `combine_versions` ensures that the version changes.
            combine_versions(next.unwrap_or(0), first)
        }
    }
}

/// Creates the response with events of the feed and with the next cursor.
///
/// # Errors
/// 410 API-410 if the events after the cursor were deleted.
pub(crate) fn feed_response(
    reading: &GetResponse<'_>,
    feed: FeedResult,
    write: impl Fn(&Event, &mut Vec<u8>) -> serde_json::Result<()>,
) -> HandlerResult {
    let FeedResult::Events { events, next } = feed else { return Err(Failure::from(Reason::CursorTooOld)) };
    if let Some(response) = reading.without_body() {
        return Ok(response);
    }
    let address = reading.collection_url();
    let further = next.map_or_else(
        || address.self_url(),
        |next| address.with_parameter("after", &CursorKind::Event.encode(next)),
    );
    let envelope = Envelope {
        metadata: Some(Metadata { content_item_count: events.len() as u64, pagination: None }),
        links: vec![
            Link::to_self(Href::Complete(address.self_url())),
            Link { rel: "next", href: Href::Complete(further) },
        ],
    };
    reading.with_body(crate::shared::wire::Content::Complete(envelope.serialize(&events, write)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_invalid_parameter_is_reported() {
        for bad in [
            "after=",
            "after=7",
            "after=a&after=b",
            "domain=",
            "domain=clt_dem",
            "domain=WRKR",
            "limit=0",
            "limit=1001",
            "limit=-1",
            "limit=%2B1",
            "limit=",
            "limit=99999999999",
        ] {
            let faults = read_feed_query(&Query::parse(bad)).unwrap_err();
            let reasons: Vec<_> = faults.iter().map(|fault| fault.reason).collect();
            assert_eq!(reasons, [Reason::InvalidParameter], "{bad}");
        }
        assert_eq!(
            read_feed_query(&Query::parse("after=x&domain=x&limit=x")).unwrap_err().as_slice().len(),
            3
        );
    }

    #[test]
    fn without_parameters_the_first_hundred_events_are_requested() {
        let query = read_feed_query(&Query::parse("")).unwrap();
        assert_eq!((query.after, query.domain, query.limit.get()), (None, None, 100));
        let query = format!("after={}&domain=CLT_PYRN&limit=1000", CursorKind::Event.encode(7));
        let query = read_feed_query(&Query::parse(&query)).unwrap();
        let domain = Some(EventDomain::PayrunCompleted);
        assert_eq!((query.after, query.domain, query.limit.get()), (Some(7), domain, 1000));
    }
}
