//! The delivery log over HTTP (specification §9.6, §9.7), for partners and operators. The callers check the
//! permissions: `partner/routes/deliveries.rs` and `operator/deliveries.rs`.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{DeliveryState, Notification};
use payroll_domain::document;
use payroll_domain::event::{EventAction, EventDomain};
use payroll_domain::hook::{Hook, HookKey};
use payroll_domain::input::{self, Value};
use payroll_domain::violation::{DocumentPosition, Violation, Violations};
use payroll_ports::deliveries::{Delivery, DeliveryPage, DeliveryQuery, ReplayQuery};
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::write::AuditContext;
use payroll_ports::{Rows, Store, StoreError, new_uuid};
use serde::Serialize;

use crate::shared::api::ListenerState;
use crate::shared::cursor::CursorKind;
use crate::shared::error::Failure;
use crate::shared::etag::compute_rows_version;
use crate::shared::feed::{collect_fault, parse_parameter, read_limit};
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::ChangeResponse;
use crate::shared::media_type::JSON;
use crate::shared::query::Query;
use crate::shared::response::GetResponse;
use crate::shared::wire::{Content, DeliveryResource, Envelope, Href, Link, Metadata};

/// The default number of deliveries in a response.
pub(crate) const DEFAULT_LIMIT: u32 = 50;
/// The maximum number of deliveries in a response. Each delivery may have 20 attempts with 2 KiB of response
/// body each, so a response has at most about 4 MB.
pub(crate) const MAX_LIMIT: u32 = 100;
/// The maximum number of deliveries that one transaction replays. The limit is small so that other writers do
/// not wait long.
const REPLAY_BATCH_SIZE: NonZeroU32 = NonZeroU32::MIN.saturating_add(499);
/// The maximum number of batches that one request replays. With this limit, a request takes less than a
/// second. The response contains the cursor for the next request. Together with the rate limit for replays,
/// this limit bounds the load on a receiver.
const MAX_REPLAY_BATCHES: u32 = 2;

/// The query parameters of a delivery log.
pub(crate) const PARAMETERS: &[&str] = &["state", "domain", "from", "to", "before", "limit"];

/// Reads the filters of the delivery log from the query.
///
/// # Errors
/// 400 API-40 for each invalid parameter.
pub(crate) fn read_delivery_query(query: &Query) -> Result<DeliveryQuery, Violations> {
    let instant =
        |name| parse_parameter(query, name, "a date or an instant", |text| Timestamp::parse(text).ok());
    let before =
        parse_parameter(query, "before", "the id of a delivery", |text| CursorKind::Delivery.decode(text));
    let mut faults = Vec::new();
    let delivery_query = DeliveryQuery {
        state: collect_fault(
            parse_parameter(query, "state", &state_names(), DeliveryState::parse),
            &mut faults,
        )
        .flatten(),
        domain: collect_fault(
            parse_parameter(query, "domain", "a domain of events", EventDomain::parse),
            &mut faults,
        )
        .flatten(),
        from: collect_fault(instant("from"), &mut faults).flatten(),
        to: collect_fault(instant("to"), &mut faults).flatten(),
        before: collect_fault(before, &mut faults).flatten(),
        limit: collect_fault(read_limit(query, DEFAULT_LIMIT, MAX_LIMIT), &mut faults)
            .unwrap_or(NonZeroU32::MIN),
    };
    Violations::from_faults(faults).map_or(Ok(delivery_query), Err)
}

/// Lists the valid values of `state` for an error message.
fn state_names() -> String {
    let names: Vec<_> = DeliveryState::ALL.iter().map(|state| state.as_str()).collect();
    format!("one of {}", names.join(", "))
}

/// Serialized deliveries of a response. Deliveries have no version number, so the entity tag is computed from
/// their serialized form.
pub(crate) struct SerializedDeliveries {
    rows: Vec<Vec<u8>>,
    next_cursor: Option<i64>,
}

impl SerializedDeliveries {
    /// Serializes a page of the log.
    ///
    /// # Errors
    /// [`StoreError::Bug`] if a delivery cannot be serialized.
    pub(crate) fn from_page(page: &DeliveryPage) -> Result<Self, StoreError> {
        let rows = page.deliveries.iter().map(|delivery| serialize(&DeliveryResource::new(delivery)));
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(Self { rows, next_cursor: page.next_cursor })
    }

    /// Serializes one delivery, including the body that the hook receives.
    ///
    /// # Errors
    /// [`StoreError::Bug`] if a delivery cannot be serialized.
    pub(crate) fn from_delivery(delivery: &Delivery) -> Result<Self, StoreError> {
        let whole = DeliveryResource::with_body(delivery).map_err(|error| StoreError::Bug(error.into()))?;
        Ok(Self { rows: vec![serialize(&whole)?], next_cursor: None })
    }

    /// Returns the hash of the rows, from which the entity tag is computed.
    pub(crate) fn version(&self) -> i64 {
        compute_rows_version(&self.rows)
    }

    /// Creates the response to a GET of the log.
    ///
    /// # Errors
    /// Returns the errors of [`GetResponse::with_body`].
    pub(crate) fn list_response(self, reading: &GetResponse<'_>) -> HandlerResult {
        if let Some(response) = reading.without_body() {
            return Ok(response);
        }
        let address = reading.collection_url();
        let mut links = vec![Link::to_self(Href::Complete(address.self_url()))];
        if let Some(next) = self.next_cursor {
            let older = address.with_parameter("before", &CursorKind::Delivery.encode(next));
            links.push(Link { rel: "next", href: Href::Complete(older) });
        }
        let metadata = Metadata { content_item_count: self.rows.len() as u64, pagination: None };
        let envelope = Envelope { metadata: Some(metadata), links };
        reading.with_body(Content::Complete(envelope.serialize(&self.rows, copy_row)?))
    }

    /// Creates the response to a GET of one delivery.
    ///
    /// # Errors
    /// Returns the errors of [`GetResponse::with_body`].
    pub(crate) fn single_response(self, reading: &GetResponse<'_>) -> HandlerResult {
        reading.rows_response(Rows::All(self.rows), |row, _, out| copy_row(row, out))
    }
}

fn serialize(delivery: &DeliveryResource<'_>) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(delivery).map_err(|error| StoreError::Bug(error.into()))
}

#[expect(clippy::ptr_arg, reason = "the caller passes stored rows of this type")]
#[expect(clippy::unnecessary_wraps, reason = "writers of rows can fail")]
fn copy_row(row: &Vec<u8>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    out.extend_from_slice(row);
    Ok(())
}

/// Returns 202 with a delivery that was queued by a replay or a test call; `None` if the hook or the delivery
/// is unknown.
///
/// # Errors
/// The error of the store.
async fn accepted_response(
    store: &dyn Store,
    hook: &HookKey,
    position: i64,
) -> Result<Option<ChangeResponse>, StoreError> {
    let Some(delivery) = store.delivery(hook, position).await? else { return Ok(None) };
    let body =
        Envelope::without_links().serialize(&[serialize(&DeliveryResource::new(&delivery))?], copy_row)?;
    Ok(Some(StoredResponse { status: 202, content_type: JSON.to_owned(), body }.into()))
}

/// Replays one delivery. Returns 202 with the delivery; `None` if the delivery is unknown.
///
/// # Errors
/// The error of the store.
pub(crate) async fn replay_delivery(
    store: Arc<dyn Store>,
    hook: HookKey,
    position: i64,
    audit: AuditContext,
) -> Result<Option<ChangeResponse>, StoreError> {
    if !store.replay_delivery(&hook, position, &audit).await? {
        return Ok(None);
    }
    accepted_response(&*store, &hook, position).await
}

/// Queues a test notification. Returns 202 with the delivery; `None` if the hook is unknown.
///
/// # Errors
/// The error of the store.
pub(crate) async fn queue_test_call(
    store: Arc<dyn Store>,
    hook: HookKey,
    notification: Notification,
    audit: AuditContext,
) -> Result<Option<ChangeResponse>, StoreError> {
    let Some(position) = store.queue_test_delivery(&hook, &notification, &audit).await? else {
        return Ok(None);
    };
    accepted_response(&*store, &hook, position).await
}

/// Creates the notification of a test call. The notification has the hook's first event domain and is marked
/// as a test.
pub(crate) fn test_notification(api: &ListenerState, hook: &Hook) -> Notification {
    let domain = hook.domains.first().copied().unwrap_or(EventDomain::CompanyDemographics);
    Notification {
        notification_id: new_uuid(&*api.randomness),
        company_id: hook.company_id.clone(),
        worker_id: None,
        pay_period_id: None,
        domain,
        action: match domain {
            EventDomain::WorkerAdded => EventAction::Add,
            EventDomain::PayrunCompleted => EventAction::PayrunCompleted,
            _ => EventAction::Update,
        },
        as_of: api.now(),
        test: true,
    }
}

/// Reads from the body of a bulk replay which deliveries to replay.
///
/// # Errors
/// 400 API-40 if the body is not JSON, API-52 if it is empty, and a code for each invalid member.
pub(crate) fn read_replay_query(body: &[u8]) -> Result<ReplayQuery, Failure> {
    let node = input::parse(body).map_err(Violation::from)?;
    if !matches!(node.value, Value::Object(_)) {
        return Err(Violation::new(Reason::InvalidParameter, "the body must be an object").into());
    }
    let replay = document::read_replay(&node)?;
    let after = match replay.after.as_deref().map(|text| CursorKind::Delivery.decode(text)) {
        Some(None) => {
            let sentence = "the parameter `after` must be the `next` of an earlier response";
            let fault = Violation::new(Reason::FieldInvalid, sentence)
                .at_position("/after", DocumentPosition::default());
            return Err(fault.into());
        }
        found => found.flatten(),
    };
    Ok(ReplayQuery {
        failed_only: replay.failed_only,
        from: replay.from,
        to: replay.to,
        after,
        limit: REPLAY_BATCH_SIZE,
    })
}

/// The result of a bulk replay (specification §9.7).
#[derive(Debug, Default, Serialize)]
struct ReplayedResource {
    replayed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Replays many deliveries in batches. The response is 202 with the number of replayed deliveries, and with a
/// cursor if more deliveries may match.
///
/// # Errors
/// The error of the store. The batches before the failed one remain replayed.
pub(crate) async fn replay_deliveries(
    store: Arc<dyn Store>,
    hook: HookKey,
    mut query: ReplayQuery,
    audit: AuditContext,
) -> Result<Option<ChangeResponse>, StoreError> {
    let mut replayed = 0_u64;
    for _ in 0..MAX_REPLAY_BATCHES {
        let batch = store.replay_deliveries(&hook, &query, &audit).await?;
        replayed = replayed.saturating_add(batch.deliveries);
        query.after = batch.next_cursor;
        if batch.next_cursor.is_none() {
            break;
        }
    }
    let resource =
        ReplayedResource { replayed, next: query.after.map(|next| CursorKind::Delivery.encode(next)) };
    let body = serde_json::to_vec(&resource).map_err(|error| StoreError::Bug(error.into()))?;
    Ok(Some(StoredResponse { status: 202, content_type: JSON.to_owned(), body }.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_invalid_parameter_is_reported() {
        let delivery = CursorKind::Delivery.encode(7);
        let good = format!("state=RETRYING&domain=CLT_PYRN&from=2026-01-01&to=2026-02-01&before={delivery}");
        let read = read_delivery_query(&Query::parse(&good)).unwrap();
        assert_eq!((read.state, read.before), (Some(DeliveryState::Retrying), Some(7)));
        assert_eq!(
            (read.limit.get(), read_delivery_query(&Query::parse("limit=100")).unwrap().limit.get()),
            (50, 100)
        );
        for bad in [
            "state=waiting",
            "domain=WRKR",
            "from=now",
            "to=",
            "before=7",
            "limit=101",
            "state=WAITING&state=WAITING",
        ] {
            let faults = read_delivery_query(&Query::parse(bad)).unwrap_err();
            let reasons: Vec<_> = faults.iter().map(|fault| fault.reason).collect();
            assert_eq!(reasons, [Reason::InvalidParameter], "{bad}");
        }
        let all = "state=x&domain=x&from=x&to=x&before=x&limit=x";
        assert_eq!(read_delivery_query(&Query::parse(all)).unwrap_err().as_slice().len(), 6);
    }

    #[test]
    fn a_replay_continues_where_the_previous_response_ended() {
        let of = |text: &str| read_replay_query(text.as_bytes());
        let next = CursorKind::Delivery.encode(9);
        let query = of(&format!(r#"{{"failed": true, "after": "{next}"}}"#)).unwrap();
        assert_eq!((query.failed_only, query.after, query.limit.get()), (true, Some(9), 500));
        for bad in ["", " ", "{", "{}", "[]", r#"{"failed": true, "after": "9"}"#] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
