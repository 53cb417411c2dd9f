//! The request log over HTTP (specification §9.10), for partners and operators. The callers check the
//! permissions: `partner/routes/requests.rs` and `operator/requests.rs`. The module `request_log` writes the
//! log.

use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::id::Id;
use payroll_domain::violation::Violations;
use payroll_ports::requests::{RequestDetails, RequestPage, RequestQuery};
use payroll_ports::{Rows, StoreError};
use serde_json::{Map, Value};

use crate::shared::cursor::CursorKind;
use crate::shared::etag::compute_rows_version;
use crate::shared::feed::{collect_fault, parse_parameter, read_limit};
use crate::shared::handler_result::HandlerResult;
use crate::shared::query::Query;
use crate::shared::response::GetResponse;
use crate::shared::route_table::PathIds;
use crate::shared::wire::{Content, Envelope, Href, Link, LoggedRequestResource, Metadata};

/// The default number of requests in a response.
pub(crate) const DEFAULT_LIMIT: u32 = 100;
/// The maximum number of requests in one response. The limit is needed because a response is built in memory.
pub(crate) const MAX_LIMIT: u32 = 1_000;

/// The query parameters of the request log.
pub(crate) const PARAMETERS: &[&str] = &["status", "from", "to", "before", "limit"];

/// Reads the filters of the request log from the query.
///
/// # Errors
/// 400 API-40 for each invalid parameter.
pub(crate) fn read_request_query(query: &Query) -> Result<RequestQuery, Violations> {
    let instant =
        |name| parse_parameter(query, name, "a date or an instant", |text| Timestamp::parse(text).ok());
    let before =
        parse_parameter(query, "before", "the cursor of a response", |text| CursorKind::Request.decode(text));
    let status = parse_parameter(
        query,
        "status",
        "a status such as 404, or a class of them such as 4xx",
        parse_status_range,
    );
    let mut faults = Vec::new();
    let request_query = RequestQuery {
        before: collect_fault(before, &mut faults).flatten(),
        status: collect_fault(status, &mut faults).flatten(),
        from: collect_fault(instant("from"), &mut faults).flatten(),
        to: collect_fault(instant("to"), &mut faults).flatten(),
        limit: collect_fault(read_limit(query, DEFAULT_LIMIT, MAX_LIMIT), &mut faults)
            .unwrap_or(NonZeroU32::MIN),
    };
    Violations::from_faults(faults).map_or(Ok(request_query), Err)
}

/// Returns the range of statuses that a text selects: one status such as `404`, or a class such as `4xx`.
fn parse_status_range(text: &str) -> Option<RangeInclusive<u16>> {
    let (lowest, highest) = match text.strip_suffix("xx") {
        Some(class) => (format!("{class}00"), format!("{class}99")),
        None => (text.to_owned(), text.to_owned()),
    };
    let status = |text: &str| {
        let plain = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse().ok())?.filter(|status| (100..=599).contains(status))
    };
    Some(status(&lowest)?..=status(&highest)?)
}

/// Returns the id of the logged request in the path.
///
/// # Errors
/// 404 API-7 if the text is not an id.
pub(crate) fn request_id_in_path(ids: &PathIds) -> Result<String, Violations> {
    let id: Option<Id<()>> = ids.get("requestId");
    id.map(|id| id.to_string()).ok_or_else(|| Reason::UnknownResource.into())
}

/// Removes the query and the body from the details, because both can contain personal data.
///
/// # Errors
/// [`StoreError::Bug`] if the stored text is not a JSON object.
pub(crate) fn remove_personal_data(details: &RequestDetails) -> Result<RequestDetails, StoreError> {
    let read = || -> serde_json::Result<String> {
        let mut members: Map<String, Value> = serde_json::from_str(&details.0)?;
        members.retain(|name, _| name != "query" && name != "body");
        serde_json::to_string(&members)
    };
    read().map(RequestDetails).map_err(|error| StoreError::Bug(error.into()))
}

/// Serialized requests of a response. The entity tag is computed from their serialized form.
pub(crate) struct SerializedRequests {
    rows: Vec<Vec<u8>>,
    next_cursor: Option<i64>,
}

impl SerializedRequests {
    /// Serializes a page of the log.
    ///
    /// # Errors
    /// [`StoreError::Bug`] if a request cannot be serialized.
    pub(crate) fn from_page(page: &RequestPage) -> Result<Self, StoreError> {
        let rows = page.requests.iter().map(|request| {
            serde_json::to_vec(&LoggedRequestResource::new(request))
                .map_err(|error| StoreError::Bug(error.into()))
        });
        Ok(Self { rows: rows.collect::<Result<_, _>>()?, next_cursor: page.next_cursor })
    }

    /// Wraps the details of one request for a response.
    pub(crate) fn from_details(details: RequestDetails) -> Self {
        Self { rows: vec![details.0.into_bytes()], next_cursor: None }
    }

    /// Creates the response to a GET of the details of one request.
    ///
    /// # Errors
    /// Returns the errors of [`GetResponse::with_body`].
    pub(crate) fn single_response(self, reading: &GetResponse<'_>) -> HandlerResult {
        reading.rows_response(Rows::All(self.rows), |row, _, out| {
            out.extend_from_slice(row);
            Ok(())
        })
    }

    /// Returns the hash of the rows, from which the entity tag is computed.
    pub(crate) fn version(&self) -> i64 {
        compute_rows_version(&self.rows)
    }

    /// Creates the response to a GET of the log.
    ///
    /// # Errors
    /// Returns the errors of [`GetResponse::with_body`].
    pub(crate) fn list_response(&self, reading: &GetResponse<'_>) -> HandlerResult {
        if let Some(response) = reading.without_body() {
            return Ok(response);
        }
        let address = reading.collection_url();
        let mut links = vec![Link::to_self(Href::Complete(address.self_url()))];
        if let Some(next) = self.next_cursor {
            let older = address.with_parameter("before", &CursorKind::Request.encode(next));
            links.push(Link { rel: "next", href: Href::Complete(older) });
        }
        let metadata = Metadata { content_item_count: self.rows.len() as u64, pagination: None };
        let envelope = Envelope { metadata: Some(metadata), links };
        let content = envelope.serialize(&self.rows, |row, out| {
            out.extend_from_slice(row);
            Ok(())
        });
        reading.with_body(Content::Complete(content?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use payroll_domain::code::Reason;

    #[test]
    fn every_invalid_parameter_is_reported() {
        let good =
            format!("status=4xx&from=2026-01-01&to=2026-02-01&before={}", CursorKind::Request.encode(7));
        let read = read_request_query(&Query::parse(&good)).unwrap();
        assert_eq!((read.status, read.before, read.limit.get()), (Some(400..=499), Some(7), 100));
        assert_eq!(
            read_request_query(&Query::parse("status=503&limit=1000")).unwrap().status,
            Some(503..=503)
        );
        for bad in
            ["status=", "status=xx", "status=0xx", "status=6xx", "status=+04", "status=4", "status=4xxx"]
                .into_iter()
                .chain(["from=now", "to=", "before=7", "limit=1001", "status=404&status=404"])
        {
            let faults = read_request_query(&Query::parse(bad)).unwrap_err();
            let reasons: Vec<_> = faults.iter().map(|fault| fault.reason).collect();
            assert_eq!(reasons, [Reason::InvalidParameter], "{bad}");
        }
        assert_eq!(
            read_request_query(&Query::parse("status=x&from=x&to=x&before=x&limit=x"))
                .unwrap_err()
                .as_slice()
                .len(),
            5
        );
    }
}
