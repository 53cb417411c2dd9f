//! The audit log (specification §10.13), which lists all changes with their actors, newest first.

use payroll_domain::audit::AuditedKind;
use payroll_domain::date::Timestamp;
use payroll_domain::violation::Violations;
use payroll_ports::audit::AuditQuery;
use payroll_ports::idempotency::StoredResponse;

use super::call::OperatorCall;
use crate::operator::wire::AuditResource;
use crate::shared::feed::{collect_fault, parse_parameter, read_event_limit};
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::page::CollectionUrl;
use crate::shared::query::Query;
use crate::shared::response::from_stored;
use crate::shared::wire::{Envelope, Href, Link, Metadata};

/// The query parameters of the audit log.
pub(super) const PARAMETERS: &[&str] =
    &["companyid", "kind", "resourceid", "from", "until", "before", "limit"];

/// Handles a request for `GET /operator/v1/audit`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let query = AuditQuery {
        visible_companies: call.visible_companies().map(<[_]>::to_vec),
        ..read_query(&call.incoming.query())?
    };
    let page = call.store().read_audit_log(&query).await?;
    let base = call.incoming.base_url();
    let address = CollectionUrl { base: &base, path: call.incoming.path(), query: call.incoming.raw_query() };
    let mut links = vec![Link::to_self(Href::Complete(address.self_url()))];
    if let Some(next) = page.next_cursor {
        let older = address.with_parameter("before", &next.to_string());
        links.push(Link { rel: "next", href: Href::Complete(older) });
    }
    let metadata = Metadata { content_item_count: page.rows.len() as u64, pagination: None };
    let body = Envelope { metadata: Some(metadata), links }
        .serialize(&page.rows, |row, out| serde_json::to_writer(out, &AuditResource::new(row)?))?;
    from_stored(StoredResponse { status: 200, content_type: JSON.to_owned(), body })
}

fn read_query(query: &Query) -> Result<AuditQuery, Violations> {
    const INSTANT_HINT: &str = "a date or an instant";
    let instant = |name| parse_parameter(query, name, INSTANT_HINT, |text| Timestamp::parse(text).ok());
    let mut faults = Vec::new();
    let audit_query = AuditQuery {
        before: collect_fault(parse_parameter(query, "before", "a position", parse_position), &mut faults)
            .flatten(),
        company_id: collect_fault(
            parse_parameter(query, "companyid", "an id", |text| text.parse().ok()),
            &mut faults,
        )
        .flatten(),
        visible_companies: None,
        kind: collect_fault(
            parse_parameter(query, "kind", "a kind of object", AuditedKind::parse),
            &mut faults,
        )
        .flatten(),
        resource_id: collect_fault(query.single_value("resourceid"), &mut faults)
            .flatten()
            .map(str::to_owned),
        from: collect_fault(instant("from"), &mut faults).flatten(),
        until: collect_fault(instant("until"), &mut faults).flatten(),
        limit: collect_fault(read_event_limit(query), &mut faults).unwrap_or(std::num::NonZeroU32::MIN),
    };
    Violations::from_faults(faults).map_or(Ok(audit_query), Err)
}

fn parse_position(text: &str) -> Option<i64> {
    text.parse().ok().filter(|position| *position >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use payroll_domain::code::Reason;

    #[test]
    fn parameters_are_parsed_and_every_fault_is_reported() {
        let query = "companyid=A&kind=payPeriod&resourceid=P&from=2026-01-01&until=2026-01-02T00:00:00Z&before=9&limit=2";
        let read = read_query(&Query::parse(query)).unwrap();
        assert_eq!((read.before, read.kind, read.limit.get()), (Some(9), Some(AuditedKind::PayPeriod), 2));
        assert_eq!(read.until.unwrap().as_seconds() - read.from.unwrap().as_seconds(), 86_400);
        let bad = "companyid=a%20b&kind=x&from=x&until=x&before=-1&limit=0&resourceid=1&resourceid=2";
        let faults = read_query(&Query::parse(bad)).unwrap_err();
        assert!(faults.iter().all(|fault| fault.reason == Reason::InvalidParameter));
        assert_eq!(faults.as_slice().len(), 7);
    }
}
