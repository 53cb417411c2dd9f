//! Operators read the deliveries of a hook and replay them (specification §10.15). The code that both APIs
//! share is in `crate::shared::deliveries`.

use payroll_domain::code::Reason;
use payroll_domain::hook::Hook;
use payroll_domain::id::Id;

use super::call::OperatorCall;
use super::hooks::{self, HookRequest};
use super::response;
use crate::shared::cursor::CursorKind;
use crate::shared::deliveries::{self, SerializedDeliveries};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::ChangeResponse;
use crate::shared::media_type::JSON;
use crate::shared::response::GetResponse;

/// Handles a request for `GET …/hooks/{hookId}/deliveries`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let key = hooks::hook_key(&call)?;
    let query = match deliveries::read_delivery_query(&call.incoming.query()) {
        Ok(query) => query,
        Err(faults) => {
            hooks::read_hook_report(&call, &key).await?;
            return Err(faults.into());
        }
    };
    let page = call.store().deliveries(&key, &query).await?;
    // The hook is read only for an empty page, because any delivery proves that the hook exists. Reading a
    // hook is expensive: it counts the pending deliveries.
    if page.deliveries.is_empty() {
        hooks::read_hook_report(&call, &key).await?;
    }
    let shown = SerializedDeliveries::from_page(&page)?;
    let tag = response::collection_tag(&call, shown.version());
    shown.list_response(&GetResponse::with_etag(&call.incoming, JSON, tag))
}

/// Handles a request for `GET …/hooks/{hookId}/deliveries/{deliveryId}`.
pub(super) async fn get_delivery(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let (key, position) = (hooks::hook_key(&call)?, delivery_position(&call)?);
    let delivery = call.store().delivery(&key, position).await?.ok_or(Reason::UnknownResource)?;
    let shown = SerializedDeliveries::from_delivery(&delivery)?;
    let tag = response::collection_tag(&call, shown.version());
    shown.single_response(&GetResponse::with_etag(&call.incoming, JSON, tag))
}

/// Handles a request for `POST …/hooks/{hookId}/deliveries/{deliveryId}/replay`.
pub(super) async fn replay(call: OperatorCall) -> HandlerResult {
    let (on, body) = HookRequest::without_body(call).await?;
    let position = delivery_position(&on.call)?;
    on.change_idempotently(&body, |store, Hook { key, .. }, audit, _| {
        deliveries::replay_delivery(store, key, position, audit)
    })
    .await
}

/// Handles a request for `POST …/hooks/{hookId}/replay`.
pub(super) async fn replay_deliveries(call: OperatorCall) -> HandlerResult {
    let (on, body) = HookRequest::with_body(call).await?;
    let query = on.call.incoming.process_body(&body, deliveries::read_replay_query).await?;
    on.change_idempotently(&body, |store, Hook { key, .. }, audit, links| async move {
        let Some(replayed) = deliveries::replay_deliveries(store, key, query, audit).await? else {
            return Ok(None);
        };
        let content = String::from_utf8_lossy(&replayed.response.body);
        Ok(Some(ChangeResponse::from(response::create_stored_response(
            replayed.response.status,
            &content,
            links,
        )?)))
    })
    .await
}

/// Handles a request for `POST …/hooks/{hookId}/test`.
pub(super) async fn queue_test_notification(call: OperatorCall) -> HandlerResult {
    let (on, body) = HookRequest::without_body(call).await?;
    let notification = deliveries::test_notification(&on.call.incoming.api, &on.hook);
    on.change_idempotently(&body, |store, Hook { key, .. }, audit, _| {
        deliveries::queue_test_call(store, key, notification, audit)
    })
    .await
}

/// Decodes the delivery id in the path to the position of the delivery in the queue.
fn delivery_position(call: &OperatorCall) -> Result<i64, Failure> {
    let id: Id<()> = call.id("deliveryId")?;
    Ok(CursorKind::Delivery.decode(id.as_str()).ok_or(Reason::UnknownResource)?)
}
